import CBOR
import Envelopes

/// The octets of a bundle's payload: a CBOR map with text keys in the core deterministic encoding (RFC 8949 section 4.2.1).
///
/// ```
/// bundle = { "gatehouse-trust-bundle": 1, "sequence": uint, "created": int, "notBefore": int, "notAfter": int, "clock": "reject" /
/// "accept",
///            "issuers": [* issuer], "contexts": [* context], "lists": [* list], ? "sections": [+ section] }
/// issuer = { "name": text, "entry": bstr }          ; a trust file in the form of RFC 8785
/// context = { "url": text, "bytes": bstr }
/// list = { "url": text, "fetched": int, "bytes": bstr }
/// section = { "kind": text, "version": uint, "content": bstr }   ; contents: `AnonCredsContents`, `MdocContents`,
///                                                                ; `TrustedKeyContents`, each of version 1
/// ```
/// Times are seconds since 1970; each array is in the order of the octets of its names or URLs.
extension TrustBundle {
    private static let version: Int64 = 1
    /// Items: five of an issuer and of a context, seven of a list, for as many as there may be, and the rest.
    private static let options = CBOROptions(form: .deterministic, bytes: largest, depth: 4, items: 5 * TrustStore.mostFiles + 8192)

    /// The one encoding of this bundle.
    public func encoded() throws(TrustBundleError) -> [UInt8] {
        let octets = try Self.cbor { () throws(CBORError) in
            let others = try TrustSection.otherContents(contents)
            return try CBORWriter.encode { $0.map { write(to: &$0, others: others) } }
        }
        guard octets.count <= Self.largest else { throw .tooLarge }
        return octets
    }

    private func write(to map: inout CBORMapWriter, others: [(kind: String, version: UInt64, content: [UInt8])]) {
        map.entry("gatehouse-trust-bundle") { $0.integer(Self.version) }
        map.entry("sequence") { $0.integer(sequence) }
        map.entry("created") { $0.integer(created) }
        map.entry("notBefore") { $0.integer(notBefore) }
        map.entry("notAfter") { $0.integer(notAfter) }
        map.entry("clock") { $0.text(clock.rawValue) }
        for section in TrustSection.known { map.entry(section.kind) { section.write(contents, &$0) } }
        TrustSection.writeOthers(others, to: &map)
    }

    /// The bundle of an unsigned payload: nobody vouches for it. What a gate believes comes out of `SignedTrustBundle.verify` only.
    public init(decoding octets: [UInt8]) throws(TrustBundleError) {
        guard octets.count <= Self.largest else { throw .tooLarge }
        let root = try Self.cbor { () throws(CBORError) in try CBORDocument(parsing: octets, options: Self.options).root }
        // The version first: another one may well have keys this one does not know.
        guard root.kind == .map else { throw .malformed(root.fault(.wrongType)) }
        guard let version = root["gatehouse-trust-bundle"] else { throw .malformed(root.fault(.missing)) }
        guard version.int64 == Self.version else { throw .unsupportedVersion }
        var others = TrustContents()
        if let item = root[TrustSection.others] { try TrustSection.readOthers(item, into: &others) }
        let fields = try Self.cbor { () throws(CBORError) in try Fields(root) }
        guard let clock = ClockPolicy.allCases.first(where: { fields.clock.isText($0.rawValue) }) else { throw .clockPolicyRefused }
        guard let sequence = fields.sequence.int64 else { throw .sequenceRefused }
        var contents = fields.contents
        (contents.mdoc, contents.anoncreds, contents.trustedKey) = (others.mdoc, others.anoncreds, others.trustedKey)
        try self.init(
            sequence: sequence, created: fields.created, notBefore: fields.notBefore, notAfter: fields.notAfter, clock: clock,
            contents: contents)
        // Only the order of the arrays can still differ: it was put right above, and right it has to be already.
        guard try encoded() == octets else { throw .malformed(root.fault(.unsortedKeys)) }
    }

    static func cbor<Result>(_ body: () throws(CBORError) -> Result) throws(TrustBundleError) -> Result {
        do throws(CBORError) {
            return try body()
        } catch {
            throw .malformed(error)
        }
    }
}

/// The payload's map taken apart, with types and nothing else checked.
private struct Fields {
    let sequence: CBORItem
    let clock: CBORItem
    let created: Seconds
    let notBefore: Seconds
    let notAfter: Seconds
    let contents: TrustContents

    init(_ root: CBORItem) throws(CBORError) {
        self = try root.map { entries throws(CBORError) in try Fields(&entries) }
    }

    private init(_ entries: inout CBOREntries) throws(CBORError) {
        _ = try entries.require("gatehouse-trust-bundle")
        sequence = try entries.require("sequence")
        clock = try entries.require("clock")
        created = try entries.require("created").require(\.int64)
        notBefore = try entries.require("notBefore").require(\.int64)
        notAfter = try entries.require("notAfter").require(\.int64)
        var contents = TrustContents()
        for section in TrustSection.known { try section.read(entries.require(section.kind), &contents) }
        // Read already, whatever else is wrong.
        _ = entries.take(TrustSection.others)
        self.contents = contents
    }
}
