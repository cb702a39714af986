/// Writes one JSON text, compact, on one line: audit records, `--json` output, the claims of a verified credential.
///
/// Calls nest as the text does; a comma appears where one is due. The caller keeps names and values in step: the writer does not check the
/// shape.
public struct JSONWriter {
    /// UTF-8 octets written so far.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// - Parameter capacity: octets to make room for at once.
    public init(reserving capacity: Int = 0) {
        bytes.reserveCapacity(max(capacity, 0))
    }

    /// Overwrites everything written so far with zeros and begins again. Texts handed out before are copies and stay.
    @inline(never)
    public mutating func erase() {
        for index in bytes.indices { bytes[index] = 0 }
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// The text so far.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public mutating func object<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        beginObject()
        try body(&self)
        endObject()
    }

    public mutating func array<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        beginArray()
        try body(&self)
        endArray()
    }

    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The name of the member whose value is written next.
    public mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// The same name as a member of a checked text, octet for octet.
    public mutating func name(copying key: JSONValue) {
        copy(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { escape(byte) }
        bytes.append(UInt8(ascii: "\""))
    }

    public mutating func integer(_ value: some BinaryInteger) { literal(String(value)) }
    public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }
    public mutating func null() { literal("null") }

    /// A finite double in the shortest form that reads back the same; JSON has no other, so the rest become null.
    public mutating func double(_ value: Double) { literal(value.isFinite ? "\(value)" : "null") }

    /// A checked value, octet for octet: number lexemes and escapes stay as they were.
    public mutating func copy(_ value: JSONValue) {
        separate()
        value.withSource { source in source.withUnsafeBytes { bytes.append(contentsOf: $0) } }
    }

    public mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }
    public mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }
    public mutating func member(_ name: String, _ value: some BinaryInteger) {
        self.name(name)
        integer(value)
    }

    private mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    /// RFC 8259 section 7: quote, backslash and control characters; DEL too, so that a terminal shows what was written.
    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x20, 0x7F:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 0x0F)])
        default:
            bytes.append(byte)
        }
    }
}
