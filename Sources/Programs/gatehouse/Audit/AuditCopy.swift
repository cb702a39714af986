import Appliance
import ArgumentParser
import Audit
import Linux
import Trust

struct AuditCopy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy the sealed segments of a gate's audit log, and tell the gate that they may go when it needs room.",
        discussion: """
            Every copy is read back before the gate is told. The gate may run meanwhile. What was exported before is left out.

            With --request, the signers of the trust root order it: the file is a signed order of the kind export (`gatehouse order build`). It is used \
            up when the copies are there, and the same file does nothing a second time.

            Exit code: 0 copied, or nothing to copy; 1 refused, or not everything could be copied; 2 unusable options.
            """)

    @Option(help: ArgumentHelp("The folder the audit log is kept in.", valueName: "folder"))
    var data = "/var/lib/gatehouse"

    @Option(help: ArgumentHelp("The current segment's name.", valueName: "name"))
    var name = "audit.jsonl"

    @Option(
        help: ArgumentHelp("Where the copies go: a folder of this gate's own. It is made where only it is missing.", valueName: "folder"))
    var into: String?

    @Flag(help: "Not --into itself, but a folder in it that has the gate's id: gatehouse-ID.")
    var byGate = false

    @Flag(help: "Only say whether the order (--request) would be obeyed.")
    var check = false

    @Option(help: ArgumentHelp("Started by root: become this user first of all.", valueName: "user"))
    var user: String?

    @Flag(help: "Once what is sealed is copied, have the running gate seal what it has written since, and copy that too.")
    var seal = false

    @Flag(help: "Also what was exported before.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "From the segment on that has the record of this number, exported before or not.  (default: what was not exported before)",
            valueName: "number"))
    var from: UInt64?

    @Option(help: ArgumentHelp("A signed order of the kind export; with --root and --trust.", valueName: "file"))
    var request: String?

    @Option(help: ArgumentHelp("The root file: who signs orders.", valueName: "file"))
    var root: String?

    @Option(help: ArgumentHelp("The trust folder, where it is kept which orders were taken.", valueName: "folder"))
    var trust = "/etc/gatehouse/trust"

    @Option(
        help: ArgumentHelp(
            "The gate's id.  (default: the board's serial number, or what was drawn once and is kept in the trust folder)", valueName: "id")
    )
    var gateID: String?

    func validate() throws {
        if all, from != nil { throw ValidationError("--all and --from: one of them says from where on") }
    }

    private var choice: AuditExport.Choice { from.map { .record($0) } ?? (all ? .all : .waiting) }

    func run() throws {
        if let user {
            try opened("--user \(user)") { () throws(ConfinementError) in try User(named: user).become(keeping: []) }
        }
        let path = data + "/" + name
        let order = try request.map { try NamedFile.read($0, most: 1 << 20) }
        if let order { _ = try obey(order, isTaken: false) }
        if check {
            if order == nil { throw ValidationError("--check is about an order: name it with --request") }
            return
        }
        guard var into else { throw ValidationError("--into is missing: where the copies go") }
        if byGate {
            guard let id = try id() else { throw ValidationError("--by-gate: this gate has no id (--trust)") }
            into += "/gatehouse-" + id
        }
        do throws(AuditExportError) {
            try copy(path, into: into)
        } catch {
            throw TrustCommand.refuse("\(error)")
        }
        if let order { _ = try obey(order, isTaken: true) }
    }

    /// What is sealed is copied before the gate is asked for a seal. A seal makes room for the next segment, and below a bound that was
    /// made smaller it lets many go: those of which nobody has a copy too, where the setting is drop-oldest.
    private func copy(_ path: String, into destination: String) throws(AuditExportError) {
        var exports = [try AuditExport(of: path, into: destination, choice)]
        tell(exports[0].copies)
        if seal {
            if try AuditExport.seal(path) {
                let next = exports[0].copies.last.map { AuditExport.Choice.behind($0.segment) } ?? choice
                exports.append(try AuditExport(of: path, into: destination, next))
                tell(exports[1].copies)
            } else {
                say("gatehouse: the current segment was not sealed: no gate runs here, or its log is full. The sealed ones are copied")
            }
        }
        let count = exports.reduce(0) { $0 + $1.copies.count }
        guard let last = exports.last(where: { !$0.copies.isEmpty }) else { return say("nothing to export", to: 1) }
        let exported = Sentence.count(count, "segment") + " exported"
        say(exported + (last.marked > 0 ? ", up to \(last.marked), digest \(last.digest)" : ""), to: 1)
        if let copied = last.copies.last?.segment, last.marked < copied {
            let first = last.marked > 0 ? "\(last.marked + 1)" : "\(copied)"
            say("gatehouse: the gate is told nothing from segment \(first) on: its last line cannot be read. Export again")
        }
        if let left = exports.first?.leftOut {
            let names = left.count == 1 ? "segment \(left.lowerBound) is" : "segments \(left.lowerBound) to \(left.upperBound) are"
            say("gatehouse: the gate is told nothing: \(names) before record \(from ?? 0), and nobody has a copy")
        }
    }

    private func tell(_ copies: [AuditExport.Copy]) {
        for copy in copies { say("\(copy.name) \(copy.octets) \(copy.sha256)", to: 1) }
    }

    /// Checks the order, or takes it. It is taken last: an export that fails may be tried again, one more that succeeds changes nothing.
    private func obey(_ order: [UInt8], isTaken: Bool) throws {
        guard let root else { throw ValidationError("--request needs --root: who signs orders") }
        let signers = try TrustSource.signers(root), id = try id()
        do throws(OrderRegisterError) {
            let register = OrderRegister(trust, patience: TrustSource.patience)
            if isTaken {
                TrustCommand.tell(try register.take(order, .export, root: signers, gate: id, now: TrustSource.now).doubt)
            } else {
                _ = try register.check(order, .export, root: signers, gate: id, now: TrustSource.now)
            }
        } catch {
            throw TrustCommand.refuse("--request: \(error)")
        }
    }

    private func id() throws -> String? {
        if let gateID, !GateID.isWellFormed(gateID) {
            throw ValidationError("--gate-id \(gateID): use 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return gateID ?? GateIdentity(trust)?.id
    }
}
