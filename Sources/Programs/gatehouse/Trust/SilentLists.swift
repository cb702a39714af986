import ArgumentParser
import Credentials
import Envelopes
import Trust

/// Status lists of a bundle that say nothing: whoever's credential names one would be turned away, or let in though revoked, and no sign of
/// it.
struct SilentLists: ParsableArguments {
    @Flag(
        help:
            "Take a bundle with status lists that say nothing: whoever's credential names one is judged by the issuer's policy for an unknown status."
    )
    var allowSilentLists = false

    /// At an operator's desk: what a gate would say of the lists when the bundle was made, or the last of them fetched, if that is later.
    func checkAtDesk(_ bundle: TrustBundle) throws {
        let lists = try Self.found(bundle.contents, at: bundle.contents.lists.reduce(bundle.created) { max($0, $1.fetched) })
        if !allowSilentLists { try Self.refuse(for: lists.filter(\.isHeeded), among: lists, atDesk: true) }
        Self.tell(lists)
    }

    /// At a gate, where a bundle is in force. One against whose lists there is only time is taken: a gate that took no newer bundle for
    /// that would be worse off.
    func checkAtGate(_ contents: TrustContents, at time: Seconds) throws {
        guard !allowSilentLists else { return }
        let lists = try Self.found(contents, at: time)
        try Self.refuse(for: lists.filter { $0.isHeeded && !$0.isOfTime }, among: lists, atDesk: false)
    }

    /// Says what is silent in a bundle that is taken.
    static func tell(_ contents: TrustContents, at time: Seconds) { tell((try? found(contents, at: time)) ?? []) }

    private static func tell(_ lists: [SilentList]) {
        for list in lists { say("gatehouse: " + words(list)) }
    }

    /// The refusal first, with the list in it: where one line is shown, it is this.
    ///
    /// - Parameters:
    ///   - counting: the lists that stand against the bundle; where there are none it is not refused.
    ///   - lists: all that are silent.
    private static func refuse(for counting: [SilentList], among lists: [SilentList], atDesk: Bool) throws {
        guard let first = counting.first else { return }
        let name = printable(first.url), isOne = counting.count == 1, them = isOne ? "it" : "them"
        let fault = isOne ? "the status list \(name) says nothing" : "\(counting.count) status lists say nothing, the first is \(name)"
        // Nobody at a gate can give an option.
        let remedy =
            atDesk ? "replace \(them), leave \(them) out, or say --allow-silent-lists" : "replace \(them) or leave \(them) out, at the desk"
        say("refused: \(fault) (\(first.fault.rawValue)): \(remedy)")
        tell(lists)
        throw ExitCode(1)
    }

    static func words(_ list: SilentList) -> String {
        let fate =
            switch (list.turnsAway, list.letsIn) {
            case (true, true):
                "Whose credential names it is turned away, or let in though it may have been revoked: as its issuer's entry says of an unknown status."
            case (true, false): "Whose credential names it is turned away."
            case (false, true): "Whose credential names it is let in, though it may have been revoked."
            case (false, false): "No issuer's entry looks at it."
            }
        return "the status list \(printable(list.url)) says nothing: \(list.fault.rawValue). \(list.fault.sentence) \(fate)"
    }

    static func found(_ contents: TrustContents, at time: Seconds) throws -> [SilentList] {
        do throws(TrustError) {
            return try TrustStore(contents).silentLists(at: time)
        } catch {
            throw TrustCommand.refuse(error)
        }
    }
}
