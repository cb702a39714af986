import ArgumentParser
import Board
import Glibc
import Sandbox

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
        if geteuid() == 0, !folder.isEmpty, mkdir(folder, 0o700) == 0 { try give(folder, to: user, named: name) }
        try opened("--user \(name)") { () throws(ConfinementError) in try user.become(keeping: Confinement.capabilities(of: link)) }
    }

    /// The folder just made, and not what somebody else has put in its place since.
    private func give(_ folder: String, to user: User, named name: String) throws {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        var facts = stat()
        guard descriptor >= 0, fstat(descriptor, &facts) == 0, facts.st_uid == 0, fchown(descriptor, user.id, user.group) == 0 else {
            throw ValidationError("--data \(folder): cannot be given to \(name) (\(systemCause(errno)))")
        }
    }

    /// Gives up what a gate at work does not need.
    ///
    /// - Parameter folders: in which files are made and changed.
    func confine(_ devices: BoardOptions.Devices, _ trust: TrustOptions, writable folders: [String]) throws {
        let confinement = Confinement(
            link: devices.hci, lights: devices.lights, screen: devices.screen, camera: devices.camera, readable: trust.files, writable: folders)
        let strictness = try strictness()
        let report = try opened("--confine \(confine)") { () throws(ConfinementError) in try confinement.apply(strictness) }
        for error in report.missing { say("gatehouse: not confined in this: \(error)") }
        say("gatehouse: " + report.line)
    }
}
