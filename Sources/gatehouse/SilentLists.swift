import ArgumentParser
import Credentials

/// Status lists of a bundle that say nothing: everybody whose credential names one would be turned away, and no sign of it.
struct SilentLists: ParsableArguments {
    @Flag(help: "Take a bundle with status lists that say nothing: whoever's credential names one is judged by the issuer's policy for an unknown status.")
    var allowSilentLists = false

    /// At an operator's desk: what a gate would say of the lists when the bundle was made, or the last of them fetched, if that is later.
    func check(_ bundle: TrustBundle) throws {
        try check(bundle.contents, at: bundle.contents.lists.reduce(bundle.created) { max($0, $1.fetched) }, evenOfTime: true)
    }

    /// - Parameters:
    ///   - time: that the lists are judged at, in seconds since 1970.
    ///   - evenOfTime: whether a list that is only too old, or not yet valid, is refused too. A gate that took no newer bundle for that would be worse off.
    func check(_ contents: TrustContents, at time: Seconds, evenOfTime: Bool) throws {
        var isRefused = false
        for (list, fault) in try Self.found(contents, at: time) {
            let counts = evenOfTime || !fault.isOfTime
            isRefused = isRefused || counts
            say("gatehouse: the status list \(printable(list.url)) says nothing: \(fault.rawValue). \(fault.sentence)")
        }
        guard isRefused, !allowSilentLists else { return }
        throw Trust.refuse("a status list says nothing, so nobody whose credential names it would be let in: replace it, leave it out, or say --allow-silent-lists")
    }

    static func found(_ contents: TrustContents, at time: Seconds) throws -> [(list: StatusListSummary, fault: StatusListFault)] {
        do throws(TrustError) {
            return CredentialVerifier(trust: try TrustStore(contents)).statusLists(at: time).compactMap { list in list.fault.map { (list, $0) } }
        } catch {
            throw Trust.refuse(error)
        }
    }
}
