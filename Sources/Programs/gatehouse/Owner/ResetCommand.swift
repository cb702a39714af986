import Appliance
import ArgumentParser
import Trust

struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Take an order of the kind reset: the gate erases whom it believes, its settings and its audit log when it starts next.",
        discussion: """
            Refused are an order that too few of the root's signers signed, one with a number that is not higher than the last one's, one for other \
            gates, and one that has ended. From the moment it is taken nobody is let in (a gate that runs needs a SIGHUP to notice), and not before a \
            site file was installed that came after it. docs/provisioning.md says what is erased and what is not.
            """)

    @Argument(help: "The signed order (`gatehouse order build --kind reset`).")
    var file: String

    @OptionGroup var gate: GateOptions

    @Flag(help: "Only say whether the order would be taken.")
    var check = false

    func run() throws {
        let root = try TrustSource.signers(gate.root), bytes = try NamedFile.read(file, most: 1 << 20), id = try gate.identity()
        do throws(OrderRegisterError) {
            if check {
                let order = try OrderRegister(gate.into).check(bytes, .reset, root: root, gate: id, now: TrustSource.now)
                return say("factory reset \(order.number) would be taken", to: 1)
            }
            let taken = try FactoryReset(gate.into, patience: TrustSource.patience).take(bytes, root: root, gate: id, now: TrustSource.now)
            say("factory reset \(taken.order.number) taken: done when the gate starts next", to: 1)
            TrustCommand.tell(taken.doubt)
        } catch {
            throw TrustCommand.refuse("\(error.isOfFile ? file : gate.into): \(error)")
        }
    }
}
