/// Why a screen shows nothing.
public enum ScreenError: Error, Hashable, Sendable {
    /// The framebuffer does not exist.
    case notFound
    /// It was there, and is gone or has become another.
    case gone
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
    /// Whether it shows anything to anybody: not so where somebody else shows the code.
    var isSeen: Bool { get }
    /// Whether it is a device that can be taken away; then `check` is worth a call now and then.
    var canVanish: Bool { get }
    /// Finds out whether the screen is still what it was when it was opened.
    func check() throws(ScreenError)
    /// What the operator should know of this screen, as a sentence; nil where all is well.
    var caution: String? { get }
    /// Whether the code that was shown last had room; where not, and `show` did not throw, the screen says so by itself.
    var hasRoom: Bool { get }
    /// Pixels of a module of a code of so many modules, its quiet zone with it; nil of what has none.
    func pixels(ofModules modules: Int) -> Int?
    /// Whether `check` found another size, once: what had no room may have it now.
    func takeChange() -> Bool
    /// Shows `uri` (ASCII octets) as a QR code, in place of what was there.
    func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError)
    /// Shows no code, so that none of an ended visit can be scanned. What the sign says stays.
    func clearCode() throws(ScreenError)
    /// Says this beside the code, in one of its languages, by number.
    func tell(_ sign: Sign, language: Int) throws(ScreenError)
    /// Shows these beside the code, in place of the sign, until the next one.
    func list(_ verdicts: [VerdictLine]) throws(ScreenError)
    /// Shows nothing.
    func clear() throws(ScreenError)
    /// Leaves the screen black. Closing twice is allowed.
    func close()
}

extension Screen {
    public var isSeen: Bool { true }
    public var canVanish: Bool { false }
    public func check() throws(ScreenError) {}
    public var caution: String? { nil }
    public var hasRoom: Bool { true }
    public func pixels(ofModules modules: Int) -> Int? { nil }
    public func takeChange() -> Bool { false }

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
    public var isSeen: Bool { false }

    public init() {}
    public func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError) {}
    public func clearCode() throws(ScreenError) {}
    public func tell(_ sign: Sign, language: Int) throws(ScreenError) {}
    public func list(_ verdicts: [VerdictLine]) throws(ScreenError) {}
    public func clear() throws(ScreenError) {}
    public func close() {}
}

extension ScreenMoniker {
    /// The screen this moniker names, opened and empty.
    ///
    /// - Parameter words: of each language that it speaks, in turn.
    public func makeScreen(words: [WordSheet] = []) throws(ScreenError) -> any Screen {
        switch self {
        case .framebuffer(let path, let view): try FramebufferScreen(path, view, words: words)
        case .terminal: TerminalScreen(sheets: words)
        case .none: NoScreen()
        }
    }
}
