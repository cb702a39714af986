/// On the worker's pipe: `u32 capabilities | u32 smallest reference | u8 length of the id | u8 length of the version | id | version | hash`.
extension PluginIdentity {
    /// Octets of the longest.
    static let mostOctets = 10 + 64 + 64 + 64

    /// `FMP_CAP_MATCH`
    private static let matches: UInt32 = 1 << 0

    /// - Throws: `badIdentity`, `badNumber`.
    public func check() throws(WorkerMessageError) {
        guard Self.isName(id, Self.isOfIdentifier), Self.isName(version, Self.isOfVersion) else { throw .badIdentity }
        guard modelSHA256.utf8.count == 64, modelSHA256.utf8.allSatisfy(Self.isHexadecimal) else { throw .badIdentity }
        guard capabilities & Self.matches != 0, referenceMinimum <= WorkerPicture.mostPixels else { throw .badNumber }
    }

    private static func isName(_ text: String, _ isAllowed: (UInt8) -> Bool) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowed)
    }

    private static func isOfIdentifier(_ octet: UInt8) -> Bool {
        (0x61...0x7A).contains(octet) || (0x30...0x39).contains(octet) || octet == 0x2E || octet == 0x5F || octet == 0x2D
    }

    /// Seen by people, on terminals that obey control characters.
    private static func isOfVersion(_ octet: UInt8) -> Bool { (0x20...0x7E).contains(octet) }

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

    init(_ reader: inout OctetReader, _ octets: borrowing Span<UInt8>) throws(WorkerMessageError) {
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
