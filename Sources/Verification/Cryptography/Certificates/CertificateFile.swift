extension Certificate {
    /// The most certificates of one file.
    public static let mostInFile = 16

    /// The certificates of a PEM file (RFC 7468, section 5), in its order. Lines outside of them, as `openssl x509 -text` writes them, are
    /// passed over, and so are blanks at the end of a line (section 2).
    ///
    /// - Throws: `malformedCertificate` where there is none, one that is cut off or does not parse, or more than `mostInFile`.
    public static func all(inPEM text: [UInt8]) throws(CryptographyError) -> [Certificate] {
        var certificates: [Certificate] = []
        var block: [UInt8]?
        let blanks = Array(" \t\r".utf8)
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let word = line[..<(line.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? line.startIndex)]
            if word.elementsEqual("-----BEGIN CERTIFICATE-----".utf8) {
                guard block == nil, certificates.count < mostInFile else { throw .malformedCertificate }
                block = []
            }
            block?.append(contentsOf: word + [UInt8(ascii: "\n")])
            guard let whole = block, word.elementsEqual("-----END CERTIFICATE-----".utf8) else { continue }
            certificates.append(try Certificate(pem: whole.span))
            block = nil
        }
        guard block == nil, !certificates.isEmpty else { throw .malformedCertificate }
        return certificates
    }

    private init(pem: Span<UInt8>) throws(CryptographyError) {
        let der: [UInt8]
        do throws(CryptographyError) { der = try PEM.decode(pem, label: "CERTIFICATE", longest: Self.longest) } catch {
            throw .malformedCertificate
        }
        try self.init(der.span)
    }
}
