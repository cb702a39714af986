/// What a worker says. Nothing of it is believed before it was checked here.
public enum WorkerReply: Hashable, Sendable {
    /// The models are loaded; said once, before everything else.
    case hello(PluginIdentity)
    /// The same of a worker that reads codes.
    case codeLibrary(CodeLibrary)
    case assessment(FaceRole, FrameAssessment)
    case reading(CodeReading)
    case forgotten
    /// The plug-in's code, or an `OpenFailure`; the worker ends.
    case cannotOpen(status: Int32)
    /// A code the plug-in wants to be known, `[a-z0-9_.]{1,48}`.
    case note(level: Int32, code: String)

    enum Kind {
        static let hello: UInt16 = 0x8000
        static let reference: UInt16 = 0x8001
        static let probe: UInt16 = 0x8002
        static let forgotten: UInt16 = 0x8003
        static let reading: UInt16 = 0x8004
        static let codeLibrary: UInt16 = 0x8010
        static let note: UInt16 = 0x80FE
        static let cannotOpen: UInt16 = 0x80FF
    }

    /// The longest reply with its header, in octets.
    public static let most = MessageHeader.size + max(PluginIdentity.mostOctets, CodeReading.mostOctets)

    /// The type it travels as.
    public var type: UInt16 {
        switch self {
        case .hello: Kind.hello
        case .codeLibrary: Kind.codeLibrary
        case .assessment(.reference, _): Kind.reference
        case .assessment(.probe, _): Kind.probe
        case .reading: Kind.reading
        case .forgotten: Kind.forgotten
        case .note: Kind.note
        case .cannotOpen: Kind.cannotOpen
        }
    }

    /// Puts the reply with its header at the beginning of `octets`, which has room for `most`.
    ///
    /// - Returns: how many octets were put.
    /// - Throws: what the other end would.
    public func encode(request: UInt32, into octets: inout MutableSpan<UInt8>) throws(MessageError) -> Int {
        var writer = OctetWriter(at: MessageHeader.size)
        switch self {
        case .hello(let identity):
            try identity.check()
            identity.encode(&writer, &octets)
        case .codeLibrary(let library):
            try library.check()
            library.encode(&writer, &octets)
        case .assessment(let role, let assessment):
            try assessment.check(role)
            assessment.encode(&writer, &octets)
        case .reading(let reading):
            try reading.check()
            reading.encode(&writer, &octets)
        case .forgotten: break
        case .cannotOpen(let status):
            guard status > 0 else { throw .badStatus }
            writer.little32(UInt32(bitPattern: status), &octets)
        case .note(let level, let code):
            guard Self.isCode(code) else { throw .badIdentity }
            writer.little32(UInt32(bitPattern: level), &octets)
            writer.text(code, &octets)
        }
        guard !writer.isPastEnd else { throw .tooLong }
        MessageHeader(length: UInt32(writer.position - MessageHeader.size), type: type, request: request).encode(into: &octets)
        return writer.position
    }

    /// - Parameter payload: exactly what follows the header.
    public init(_ frame: MessageHeader, decoding payload: borrowing Span<UInt8>) throws(MessageError) {
        guard payload.count == Int(frame.length) else { throw .wrongLength }
        var reader = OctetReader()
        switch frame.type {
        case Kind.hello: self = .hello(try PluginIdentity(&reader, payload))
        case Kind.codeLibrary: self = .codeLibrary(try CodeLibrary(&reader, payload))
        case Kind.reference: self = .assessment(.reference, try FrameAssessment(.reference, &reader, payload))
        case Kind.probe: self = .assessment(.probe, try FrameAssessment(.probe, &reader, payload))
        case Kind.reading: self = .reading(try CodeReading(&reader, payload))
        case Kind.forgotten: self = .forgotten
        case Kind.cannotOpen:
            let status = Int32(bitPattern: reader.little32(payload))
            guard status > 0 || reader.isPastEnd else { throw .badStatus }
            self = .cannotOpen(status: status)
        case Kind.note: self = try Self.note(&reader, payload)
        default: throw .unknownType
        }
        guard reader.isAtEnd(payload) else { throw .wrongLength }
    }

    /// Whether a plug-in may say it: nothing about a person fits in.
    public static func isCode(_ code: String) -> Bool {
        (1...48).contains(code.utf8.count) && code.utf8.allSatisfy(isOfCode)
    }

    private static func isOfCode(_ octet: UInt8) -> Bool {
        (0x61...0x7A).contains(octet) || (0x30...0x39).contains(octet) || octet == 0x5F || octet == 0x2E
    }

    private static func note(_ reader: inout OctetReader, _ payload: borrowing Span<UInt8>) throws(MessageError) -> WorkerReply {
        let level = Int32(bitPattern: reader.little32(payload)), count = payload.count - reader.position
        guard !reader.isPastEnd, (1...48).contains(count) else { throw .wrongLength }
        guard let code = reader.text(payload, count: count, where: isOfCode) else { throw .badIdentity }
        return .note(level: level, code: code)
    }
}

/// Why a worker could not open its plug-in, beside the plug-in's own codes (`FMP_E_...`).
public enum OpenFailure: Int32, Hashable, Sendable, CaseIterable {
    /// The system's loader refuses the file, or there is none.
    case notLoadable = 0x10100
    /// It does not export `fmp_plugin_v1`.
    case noEntry = 0x10101
    /// It does not serve this version of the interface.
    case wrongVersion = 0x10102
    /// Its table of calls is too short, or a call is missing.
    case badTable = 0x10103
    /// What it says about itself cannot be: names, hash, capabilities, the length of a template.
    case badIdentity = 0x10104
    /// It said that it is open, but gave nothing to work with, or gave a code below 0.
    case badOpen = 0x10105
    /// The configuration file cannot be read, or is longer than 64 KiB.
    case badConfiguration = 0x10106
    /// The sandbox could not be had.
    case notConfined = 0x10107
}

/// Who the plug-in says it is, told once by each worker when its models are loaded.
public struct PluginIdentity: Hashable, Sendable {
    /// `[a-z0-9._-]{1,64}`
    public var id: String
    public var version: String
    /// SHA-256 over all its models as 64 lower-case hexadecimal digits: a threshold belongs to it.
    public var modelSHA256: String
    /// `FMP_CAP_...`
    public var capabilities: UInt32
    /// Pixels between the eyes of a reference that can be relied on; 0 where the plug-in does not know.
    public var referenceMinimum: UInt32

    public init(id: String, version: String, modelSHA256: String, capabilities: UInt32, referenceMinimum: UInt32) {
        self.id = id
        self.version = version
        self.modelSHA256 = modelSHA256
        self.capabilities = capabilities
        self.referenceMinimum = referenceMinimum
    }

    /// `FMP_CAP_PAD_PASSIVE`
    public var checksAttacks: Bool { capabilities & 1 << 2 != 0 }
}

/// On the worker's pipe: `u32 capabilities | u32 smallest reference | u8 length of the id | u8 length of the version | id | version |
/// hash`.
extension PluginIdentity {
    /// Octets of the longest.
    static let mostOctets = 10 + 64 + 64 + 64

    /// `FMP_CAP_MATCH`
    private static let matches: UInt32 = 1 << 0

    /// - Throws: `badIdentity`, `badNumber`.
    public func check() throws(MessageError) {
        guard Self.isName(id, Self.isOfIdentifier), Self.isName(version, Self.isOfVersion) else { throw .badIdentity }
        guard modelSHA256.utf8.count == 64, modelSHA256.utf8.allSatisfy(Self.isHexadecimal) else { throw .badIdentity }
        guard capabilities & Self.matches != 0, referenceMinimum <= PictureHeader.mostPixels else { throw .badNumber }
    }

    static func isName(_ text: String, _ isAllowed: (UInt8) -> Bool) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowed)
    }

    static func isOfIdentifier(_ octet: UInt8) -> Bool {
        (0x61...0x7A).contains(octet) || (0x30...0x39).contains(octet) || octet == 0x2E || octet == 0x5F || octet == 0x2D
    }

    /// Seen by people, on terminals that obey control characters.
    static func isOfVersion(_ octet: UInt8) -> Bool { (0x20...0x7E).contains(octet) }

    private static func isHexadecimal(_ octet: UInt8) -> Bool {
        (0x30...0x39).contains(octet) || (0x61...0x66).contains(octet)
    }

    func encode(_ writer: inout OctetWriter, _ octets: inout MutableSpan<UInt8>) {
        writer.little32(capabilities, &octets)
        writer.little32(referenceMinimum, &octets)
        writer.octet(UInt8(clamping: id.utf8.count), &octets)
        writer.octet(UInt8(clamping: version.utf8.count), &octets)
        for text in [id, version, modelSHA256] { writer.text(text, &octets) }
    }

    init(_ reader: inout OctetReader, _ octets: borrowing Span<UInt8>) throws(MessageError) {
        let capabilities = reader.little32(octets)
        let referenceMinimum = reader.little32(octets)
        let idCount = Int(reader.octet(octets)), versionCount = Int(reader.octet(octets))
        guard !reader.isPastEnd, octets.count == reader.position + idCount + versionCount + 64 else { throw .wrongLength }
        guard let id = reader.text(octets, count: idCount, where: Self.isOfIdentifier),
            let version = reader.text(octets, count: versionCount, where: Self.isOfVersion),
            let hash = reader.text(octets, count: 64, where: Self.isHexadecimal)
        else { throw .badIdentity }
        self.init(id: id, version: version, modelSHA256: hash, capabilities: capabilities, referenceMinimum: referenceMinimum)
        try check()
    }
}
