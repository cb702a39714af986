import ArgumentParser
import Credentials
import Desk
import Envelopes
import Trust

/// A status list that has just come: what it says of itself, and what a gate would say of it.
struct FetchedList {
    /// What credentials call it.
    let url: String
    /// The moment before it was asked for: it is not taken for newer than it is.
    let fetched: Seconds
    let answer: ListRequest.Answer
    let facts: StatusListFacts

    /// Refuses a list that would say nothing to a gate.
    ///
    /// - Parameters:
    ///   - contents: of the trust folder, without its lists.
    ///   - issuers: ids, one of which has to be one of its issuer's; any issuer of the folder where there are none.
    func check(_ contents: TrustContents, _ issuers: [String]) throws {
        var contents = contents
        contents.lists = [PinnedStatusList(url: url, fetched: fetched, bytes: answer.octets)]
        let store: TrustStore
        do throws(TrustError) {
            store = try TrustStore(contents)
        } catch {
            throw TrustCommand.refuse(error)
        }
        guard let summary = store.statusLists(at: fetched).first else { return }
        if let fault = summary.fault { throw refuse("says nothing (\(fault.rawValue)): \(fault.sentence)") }
        guard !issuers.isEmpty else { return }
        let signer = store.issuers.first { $0.ids.first == summary.issuer }
        guard let signer, issuers.contains(where: { id in signer.ids.contains { Array($0.utf8) == Array(id.utf8) } }) else {
            throw refuse("is a list of \(summary.issuer ?? "nobody"), not of \(issuers.joined(separator: ", "))")
        }
    }

    /// The refusal first, then what came: whoever looks for the reason needs both.
    func refuse(_ reason: String) -> ExitCode {
        let code = TrustCommand.refuse("the list \(url) \(reason)")
        for row in rows(isChecked: nil) { say(row) }
        return code
    }

    // MARK: For people

    /// - Parameter isChecked: whether a trusted issuer's signature was found to hold; nil where it was found not to, which is said already.
    func rows(isChecked: Bool?) -> [String] {
        func time(_ seconds: Seconds?) -> String? { seconds.map { Timestamp.text($0) ?? "\($0)" } }
        var rows = [printable(url)]
        if answer.redirects > 0 { rows.append("  sent on to \(printable(answer.address))") }
        let size = "\(answer.octets.count) octets, SHA-256 \(fingerprint(answer.octets))"
        rows.append("  \(facts.form.rawValue), \(facts.entries) entries, \(size)")
        let purposes = facts.purposes.isEmpty ? "" : ", for \(facts.purposes.map(printable).joined(separator: ", "))"
        rows.append("  issuer \(facts.issuer.map(printable) ?? "not said")\(purposes)")
        if let name = facts.name, Array(name.utf8) != Array(url.utf8) {
            rows.append("! calls itself \(printable(name)): an issuer's entry has to say so (`lists` of its `status`)")
        }
        let times = [
            time(facts.signed).map { "made \($0)" }, time(facts.expires).map { "ends \($0)" },
            facts.timeToLive.map { "to be fetched again after \($0) s" },
        ].compactMap { $0 }
        rows.append("  " + (times.isEmpty ? "says nothing about time" : times.joined(separator: ", ")))
        switch isChecked {
        case true?: rows.append("  verified: the signature of an issuer of the trust folder holds")
        case false?: rows.append("! not verified: whose keys it is to be checked with, --folder says")
        case nil: break
        }
        return rows
    }
}
