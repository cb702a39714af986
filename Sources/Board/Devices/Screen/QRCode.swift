import CQREncode

/// Why a QR code cannot be made.
public enum QRCodeError: Error, Hashable, Sendable {
    /// There is nothing to encode, or more than `QRCode.largestSide` holds.
    case badLength
    /// libqrencode has no memory.
    case noMemory
}

/// A QR code: a square of dark and light modules, in a buffer made once.
///
/// Byte mode, error correction level M: the letters of an `OPENID4VP://` URI are not all in the alphanumeric set, and level M
/// stands a scratched screen. What does not fit into version 20 so is at level L, or its modules would be too small for a phone.
public struct QRCode: ~Copyable {
    /// Modules per side of the largest code kept: version 31. Denser codes are hard to scan from any screen.
    public static var largestSide: Int { 141 }
    /// Octets of the longest text, at level L (ISO/IEC 18004 table 7).
    public static var longest: Int { 1840 }
    /// Octets of the longest text at level M, in version 20.
    static var longestAtM: Int { 666 }
    /// Light modules that must surround a code on each side (ISO/IEC 18004, 9.1).
    public static var quietZone: Int { 4 }

    /// Modules per side; 0 while there is no code.
    public private(set) var side = 0
    /// One octet per module, 1 for dark, row by row.
    private var modules: InlineArray<19_881, UInt8>

    public init() {
        modules = InlineArray(repeating: 0)
    }

    /// Makes the code for `text`, of 1 to `longest` octets.
    public mutating func encode(_ text: UnsafeRawBufferPointer) throws(QRCodeError) {
        side = 0
        guard !text.isEmpty, text.count <= Self.longest, let start = text.baseAddress else { throw .badLength }
        let octets = start.assumingMemoryBound(to: UInt8.self)
        let level = text.count <= Self.longestAtM ? QR_ECLEVEL_M : QR_ECLEVEL_L
        guard let code = QRcode_encodeData(Int32(text.count), octets, 0, level) else { throw .noMemory }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard width > 0, width <= Self.largestSide, let data = code.pointee.data else { throw .badLength }
        for index in 0..<width * width {
            // The other bits tell what a module is for.
            modules[index] = data[index] & 1
        }
        side = width
    }

    /// Modules per side of the code of a text so long; 0 where there is none.
    public static func side(ofOctets count: Int) -> Int {
        var code = QRCode()
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: max(count, 0))
        text.withUnsafeBytes { text in
            do throws(QRCodeError) { try code.encode(text) } catch { code.clear() }
        }
        return code.side
    }

    /// Forgets the code.
    public mutating func clear() {
        side = 0
    }

    /// Whether the module is dark. Everything outside the code is light, so the quiet zone needs no case of its own.
    public func isDark(row: Int, column: Int) -> Bool {
        guard row >= 0, column >= 0, row < side, column < side else { return false }
        return modules[row * side + column] != 0
    }
}

extension QRCode {
    /// Of the libqrencode that is loaded.
    public static var libraryVersion: String { QRcode_APIVersionString().map { String(cString: $0) } ?? "unknown" }
}
