import CBOR
import Envelopes

/// What a list's signature is over, taken apart but for its entries (mdoc.md section 6.2). Members that are not named here are ignored.
struct VICALContents {
    let version: String
    let provider: String
    let date: Seconds
    let nextUpdate: Seconds?
    let issue: UInt64?
    let entries: [CBORItem]

    /// Second editions count on from 1.0.
    private static let majorVersion = "1."

    init(_ payload: [UInt8]) throws(VICALError) {
        do throws(CBORError) {
            let root = try CBORDocument(parsing: payload, options: VICALLimits.options).root
            version = try root.member("version").require(\.text)
            provider = try root.member("vicalProvider").require(\.text)
            date = try Self.date(root.member("date"))
            nextUpdate = try root["nextUpdate"].map { (item) throws(CBORError) in try Self.date(item) }
            issue = try root["vicalIssueID"].map { (item) throws(CBORError) in try item.require(\.uint64) }
            entries = try root.member("certificateInfos").require(\.elements)
        } catch {
            throw VICALError(error, otherwise: .contents)
        }
        guard version.utf8.starts(with: Self.majorVersion.utf8) else { throw .version }
        guard 1...VICALLimits.text ~= provider.utf8.count else { throw .contents }
        guard entries.count <= VICALLimits.entries else { throw .tooManyEntries }
    }

    /// RFC 3339 under tag 0; a missing tag is tolerated, as in documents.
    private static func date(_ item: CBORItem) throws(CBORError) -> Seconds {
        let text = try (item.content(of: 0) ?? item).require(\.text)
        guard let seconds = Timestamp.seconds(text) else { throw item.fault(.wrongType) }
        return seconds
    }

    /// Throws `rolledBack`, `issueMissing`.
    func checkIssue(against inForce: UInt64?) throws(VICALError) {
        guard let inForce else { return }
        guard let issue else { throw .issueMissing }
        guard issue >= inForce else { throw .rolledBack }
    }

    func warnings(_ settings: VICAL.Settings, at now: Seconds) -> [VICALWarning] {
        VICALWarning.of(date: date, nextUpdate: nextUpdate, issue: issue, settings, at: now)
    }
}
