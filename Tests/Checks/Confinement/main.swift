// Attacks the gate's confinement from within: each forbidden thing is tried in a process of its own, confined as the gate is, and fails;
// each thing a gate at work has to do is tried in the same way, and works. Root runs it twice, as itself and as an ordinary user.
//
//     confinement-check

import Appliance
import CTrespass
import Devices
import Glibc
import Linux
import SelfTest

func confine(_ scene: Scene, _ link: HCIMoniker, sound: SounderMoniker? = nil) -> Bool {
    do throws(ConfinementError) {
        let report = try Confinement(link: link, sound: sound, readable: [scene.trust], writable: [scene.data]).apply(.required)
        return report.isFiltered && report.missing.isEmpty
    } catch {
        return false
    }
}

func check(as who: String) -> Bool {
    trespass_be_open()
    let neighbour = trespass_neighbour()
    defer { kill(neighbour, SIGKILL) }
    guard neighbour > 0, let demo = try? DemoCredential(portrait: 10) else { fail("cannot begin") }
    let landlock = ConfinementOffer().landlock
    var trespasses = Trespasses(trustFile: demo.trust, landlock: landlock, neighbour: neighbour)
    trespasses.tryUnconfined()
    trespasses.tryAll({ .unix(path: $0.folder + "/air") }, named: "\(who), unix:")
    trespasses.tryAll({ _ in .userChannel(index: 0) }, named: "\(who), hci:")
    // Files are Landlock's to keep from it: without, the unit has to.
    if landlock > 0 { trespasses.tryAll(named: "\(who), relay", permitted: RelayScene.permitted) { RelayScene(of: $0).confine() } }
    let relayFailures = landlock > 0 ? RelayScene.tryAll(trustFile: demo.trust, landlock: landlock) : 0
    var needs = Needs(trustFile: demo.trust)
    needs.doAll()
    let failures = trespasses.failures + needs.failures + relayFailures
    print(
        "confinement \(failures == 0 ? "ok" : "FAILED") as \(who): \(2 * trespass_count()) attempts at \(trespass_count()) forbidden things,"
            + " \(trespasses.controls) of which work without a confinement; Landlock \(landlock), \(trespasses.skipped) skipped; \(failures) failures"
    )
    return failures == 0
}

var isWell = true
if geteuid() == 0 {
    let ending = Child.run {
        do throws(ConfinementError) {
            // As with --user: with the one capability still to be had.
            try User(named: "nobody").become(keeping: .networkAdministration)
        } catch {
            fail("cannot become nobody: \(error)")
        }
        let isWell = check(as: "nobody")
        fflush(nil)
        return isWell ? 0 : 1
    }
    isWell = ending == .code(0)
    isWell = check(as: "root") && isWell
} else {
    isWell = check(as: "user \(geteuid())")
}
exit(isWell ? 0 : 1)
