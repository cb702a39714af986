import ArgumentParser
import Board
import Glibc

/// How little the running gate may do.
struct ConfinementOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "The ordinary user to become when started as root, with its groups. Everything is then read and opened as this user; a data folder that is made, is made for it.  (default: stay who it is)",
        valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp(
        "What becomes of a gate whose capabilities or system calls cannot be confined: required (it does not start), as-possible (it says so), or off (nothing is confined). Landlock is taken as far as the kernel has it.",
        valueName: "how"))
    var confine = "required"

    func strictness() throws -> Confinement.Strictness {
        guard let strictness = Confinement.Strictness(rawValue: confine) else {
            throw ValidationError("--confine \(confine): use required, as-possible or off")
        }
        return strictness
    }

    /// Becomes the user named, for good; the data folder is made first, where only root may make it.
    func becomeUser(for link: HCIMoniker, data folder: String) throws {
        guard let name = user else { return }
        let user = try opened("--user \(name)") { () throws(ConfinementError) in try User(named: name) }
        if geteuid() == 0, !folder.isEmpty, mkdir(folder, 0o700) == 0, chown(folder, user.id, user.group) != 0 {
            throw ValidationError("--data \(folder): cannot be given to \(name) (errno \(errno))")
        }
        try opened("--user \(name)") { () throws(ConfinementError) in try user.become(keeping: Confinement.capabilities(of: link)) }
    }

    /// Gives up what a gate at work does not need.
    func confine(_ devices: BoardOptions.Devices, _ trust: TrustOptions, data folder: String, isSigned: Bool) throws {
        let confinement = Confinement(
            link: devices.hci, lights: devices.lights, readable: trust.files, writable: [folder] + (isSigned ? [trust.trust] : []))
        let strictness = try strictness()
        let report = try opened("--confine \(confine)") { () throws(ConfinementError) in try confinement.apply(strictness) }
        for error in report.missing { say("gatehouse: not confined in this: \(error)") }
        say("gatehouse: " + report.line)
    }
}
