import Devices
import Glibc
import Linux

/// How little the running gate may do, as options say it.
package struct ConfinementConfiguration: Sendable {
    /// The ordinary user to become when started as root; nil to stay who it is.
    package var user: String?
    package var word: String

    package init(user: String?, word: String) {
        self.user = user
        self.word = word
    }

    func strictness() throws(ConfigurationError) -> Confinement.Strictness {
        guard let strictness = Confinement.Strictness(rawValue: word) else {
            throw ConfigurationError("--confine \(word): use required, as-possible or off")
        }
        return strictness
    }

    /// Becomes the user named, for good; the data folder is made first, where only root may make it.
    func becomeUser(for link: HCIMoniker, data folder: String) throws(ConfigurationError) {
        guard let name = user else { return }
        let user = try opened("--user \(name)") { () throws(ConfinementError) in try User(named: name) }
        if geteuid() == 0, !folder.isEmpty, mkdir(folder, 0o700) == 0 { try give(folder, to: user, named: name) }
        try opened("--user \(name)") { () throws(ConfinementError) in try user.become(keeping: Confinement.capabilities(of: link)) }
    }

    /// The folder just made, and not what somebody else has put in its place since.
    private func give(_ folder: String, to user: User, named name: String) throws(ConfigurationError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        var facts = stat()
        guard descriptor >= 0, fstat(descriptor, &facts) == 0, facts.st_uid == 0, fchown(descriptor, user.id, user.group) == 0 else {
            throw ConfigurationError("--data \(folder): cannot be given to \(name) (\(systemCause(errno)))")
        }
    }

    /// Gives up what a gate at work does not need.
    ///
    /// - Parameters:
    ///   - readable: what is read again later.
    ///   - writable: folders in which files are made and changed.
    func confine(_ links: DeviceLinks, readable: [String], writable: [String]) throws(ConfigurationError) {
        let confinement = Confinement(
            link: links.hci, lights: links.lights, screen: links.screen, camera: links.camera, door: links.door, sound: links.sound,
            readable: readable, writable: writable)
        let strictness = try strictness()
        let report = try opened("--confine \(word)") { () throws(ConfinementError) in try confinement.apply(strictness) }
        for error in report.missing { say("not confined in this: \(error)") }
        say(report.line)
    }
}
