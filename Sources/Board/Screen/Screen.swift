/// Why a screen shows nothing.
public enum ScreenError: Error, Hashable, Sendable {
    /// The framebuffer does not exist.
    case notFound
    /// The process may not use it.
    case notPermitted
    /// The device is no framebuffer, or its depth is not 16, 24 or 32 bits.
    case unsupported
    /// The code does not fit.
    case tooSmall
    /// The URI cannot be made into a code.
    case code(QRCodeError)
    /// Any other refusal of the system.
    case system(errno: Int32)
}

/// Where the visitor finds the code to scan.
public protocol Screen: AnyObject {
    /// What the operator should know of this screen, as a sentence; nil where all is well.
    var caution: String? { get }
    /// Shows `uri` (ASCII octets) as a QR code, in place of what was there.
    func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError)
    /// Shows nothing, so that no code of an ended visit can be scanned.
    func clear() throws(ScreenError)
    /// Leaves the screen black. Closing twice is allowed.
    func close()
}

extension Screen {
    public var caution: String? { nil }

    public func show(_ uri: String) throws(ScreenError) {
        var uri = uri
        let result = uri.withUTF8 { octets in
            do throws(ScreenError) {
                try show(UnsafeRawBufferPointer(octets))
                return Result<Void, ScreenError>.success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}

/// `none:`: somebody else shows the code.
public final class NoScreen: Screen {
    public init() {}
    public func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError) {}
    public func clear() throws(ScreenError) {}
    public func close() {}
}

extension ScreenMoniker {
    /// The screen this moniker names, opened and empty.
    public func makeScreen() throws(ScreenError) -> any Screen {
        switch self {
        case .framebuffer(let path): try FramebufferScreen(path)
        case .terminal: TerminalScreen()
        case .none: NoScreen()
        }
    }
}
