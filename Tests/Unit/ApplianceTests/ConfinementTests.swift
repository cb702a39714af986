import Devices
import Glibc
import Linux
import Testing

@testable import Appliance

// A confinement is for good, so nothing here puts one on: `confinement-check` does, in processes of their own.

@Test("only the user channel is worth a capability")
func capabilitiesOfLinks() {
    #expect(Confinement.capabilities(of: .userChannel(index: 0)) == .networkAdministration)
    for link: HCIMoniker in [.serial(path: "/dev/ttyAMA0", baud: 115_200), .unix(path: "/run/air"), .tcp(host: "::1", port: 1)] {
        #expect(Confinement.capabilities(of: link) == [])
    }
}

@Test("users are found by name, and root is no ordinary one")
func usersByName() throws {
    #expect(throws: ConfinementError.userIsRoot) { try User(named: "root") }
    #expect(throws: ConfinementError.noSuchUser) { try User(named: "no-such-user") }
    #expect(throws: ConfinementError.noSuchUser) { try User(named: "") }
    let nobody = try User(named: "nobody")
    #expect(nobody.id != 0 && nobody.groups.contains(nobody.group))
}

@Test("a capability the process has not, or has already, changes nothing about what is run")
func raisedAsItIs() {
    let before = Capabilities.current
    let inside = Capabilities(rawValue: 1 << 63).raised { Capabilities.current.effective }
    #expect(inside == before.effective)
    #expect(Capabilities.networkAdministration.raised { 7 } == 7)
    #expect(throws: LinkError.ended) { try Capabilities.networkAdministration.raised { () throws(LinkError) in throw .ended } }
    #expect(Capabilities.current == before)
}

@Test("the report names what holds and what does not")
func reports() {
    func line(
        _ user: uid_t, _ capabilities: Capabilities, _ landlock: Int, _ isFiltered: Bool, _ strictness: Confinement.Strictness = .required
    ) -> String {
        ConfinementReport(
            strictness: strictness, user: user, capabilities: capabilities, landlock: landlock, isFiltered: isFiltered, missing: []
        ).line
    }
    #expect(line(100, [], 3, true) == "confined: user 100; capabilities none; files by Landlock 3; system calls by a list")
    #expect(
        line(100, .networkAdministration, 0, true).contains(
            "CAP_NET_ADMIN, only while the controller is opened; no Landlock: files by their modes, and none to be made; system"))
    #expect(line(100, [], 0, false).contains("no Landlock: files by their modes alone; any system call"))
    #expect(line(0, [], 3, true).contains("root: name an ordinary one with --user"))
    #expect(line(100, Capabilities(rawValue: 0x21), 3, false).contains("capabilities 0x21; files by Landlock 3; any system call"))
    #expect(line(0, [], 0, false, .off) == "not confined: everything its user may do, it may do")
}

@Test("a path stays readable when another takes its place, but not the top of the file system")
func placesOfPaths() {
    #expect(Confinement.withPlace("/usr/lib/os-release").contains("/usr/lib"))
    #expect(Confinement.withPlace("/etc/passwd") == ["/etc/passwd"])
    #expect(Confinement.withPlace("/no/such/thing") == ["/no/such/thing"])
    #expect(Confinement.withPlace("relative").first == "relative")
}

@Test("asking what there is gives nothing up")
func offers() {
    let before = Capabilities.current
    let offer = ConfinementOffer()
    #expect(offer.line.hasPrefix("confinement: "))
    #expect(offer.canOpenController == before.permitted.contains(.networkAdministration))
    #expect(Capabilities.current == before && ConfinementOffer() == offer)
}
