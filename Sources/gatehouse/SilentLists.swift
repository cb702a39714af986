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
    ///   - tells: whether lists are named also where nothing is refused.
    ///   - evenOfTime: whether a list against which there is only time is refused too. A gate that took no newer bundle for that would be worse off.
    func check(_ contents: TrustContents, at time: Seconds, evenOfTime: Bool, tells: Bool = true) throws {
        let lists = try Self.found(contents, at: time)
        let counts = lists.contains { $0.turnsAway && (evenOfTime || !$0.isOfTime) }
        if counts, !allowSilentLists {
            // The refusal first: where one line is shown, it is this.
            say("refused: a status list says nothing, so nobody whose credential names it would be let in: replace it, leave it out, or say --allow-silent-lists")
        }
        let isRefused = counts && !allowSilentLists
        if tells || isRefused { for list in lists { say("gatehouse: " + Self.words(list)) } }
        if isRefused { throw ExitCode(1) }
    }

    /// Says what is silent in a bundle that is taken.
    static func tell(_ contents: TrustContents, at time: Seconds) {
        for list in (try? found(contents, at: time)) ?? [] { say("gatehouse: " + words(list)) }
    }

    static func words(_ list: SilentList) -> String {
        let fate = list.turnsAway ? "" : " Whose credential names it is let in all the same, as the issuer's entry says."
        return "the status list \(printable(list.url)) says nothing: \(list.fault.rawValue). \(list.fault.sentence)\(fate)"
    }

    static func found(_ contents: TrustContents, at time: Seconds) throws -> [SilentList] {
        do throws(TrustError) {
            return CredentialVerifier(trust: try TrustStore(contents)).silentLists(at: time)
        } catch {
            throw Trust.refuse(error)
        }
    }
}
