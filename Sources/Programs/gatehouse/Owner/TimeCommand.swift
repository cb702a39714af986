import Appliance
import ArgumentParser
import Envelopes
import Linux
import Trust

struct TimeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time", abstract: "Set a gate's clock by an order that the signers of its trust root signed.",
        subcommands: [TimeSet.self])
}

struct TimeSet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Take an order of the kind time, once, and print its time in seconds since 1970.",
        discussion: """
            Refused are an order that too few of the root's signers signed, one with a number that is not higher than the last one's, one for other \
            gates, one that has ended, one that would set the clock to before a time that has certainly passed, and one that would turn back a clock \
            that is ahead, unless it says "turnBack":true. The order is used up when it is taken, also where setting the clock then fails.
            """)

    @Argument(help: "The signed order (`gatehouse order build --kind time`).")
    var file: String

    @OptionGroup var gate: GateOptions

    @Flag(help: "Set the clock of this system too, which needs CAP_SYS_TIME.")
    var setClock = false

    func run() throws {
        let root = try TrustSource.signers(gate.root), bytes = try NamedFile.read(file, most: 1 << 20)
        let id = try gate.identity()
        let time: Seconds, doubt: TrustInstallationError?
        do throws(OrderRegisterError) {
            (time, doubt) = try ClockSetting.take(
                bytes, from: gate.into, root: root, gate: id, now: TrustSource.now, patience: TrustSource.patience)
        } catch {
            throw TrustCommand.refuse("\(error.isOfFile ? file : gate.into): \(error)")
        }
        say("\(time)", to: 1)
        TrustCommand.tell(doubt)
        guard setClock else { return }
        let code = Clock.set(time)
        guard code == 0 else {
            throw TrustCommand.refuse(
                "the order is used up, and the system refuses to set its clock (\(systemCause(code))): set it to \(Timestamp.text(time) ?? "\(time)") by hand"
            )
        }
    }
}

/// Which gate an order is given to.
struct GateOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The root file: who signs, and how many have to.", valueName: "file"))
    var root: String

    @Option(help: ArgumentHelp("The folder the gate takes its trust bundle from; it has to exist.", valueName: "folder"))
    var into: String

    @Option(
        help: ArgumentHelp(
            "The gate's id.  (default: the board's serial number, or what was drawn once and is kept in the folder)", valueName: "id"))
    var gateID: String?

    func identity() throws -> String? {
        if let gateID {
            guard GateID.isWellFormed(gateID) else {
                throw ValidationError("--gate-id \(gateID): use 1 to 64 of A-Z a-z 0-9 . _ -")
            }
            return gateID
        }
        do throws(TrustInstallationError) {
            return try GateIdentity.made(into, patience: TrustSource.patience).id
        } catch {
            throw TrustCommand.refuse("\(into): \(error)")
        }
    }
}
