// Attacks the confinement of the gate, and of the process that listens on its network, from within: each forbidden thing is tried in a
// process of its own, confined as they are, and fails; each thing they have to do is tried in the same way, and works. Root runs it twice,
// as itself and as an ordinary user.
//
//     confinement-check

import Appliance
import CTrespass
import Devices
import Glibc
import Linux
import SelfTest

func confineGate(_ scene: Scene, _ link: HCIMoniker, sound: SounderMoniker? = nil) -> Bool {
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
    func report(_ name: String, _ trespasses: Trespasses, _ count: Int, _ failures: Int) -> Bool {
        print(
            "confinement \(failures == 0 ? "ok" : "FAILED") as \(who), \(name): \(trespasses.attempts) attempts at \(count) forbidden things,"
                + " \(trespasses.controls) of which work without a confinement; Landlock \(landlock), \(trespasses.skipped) skipped;"
                + " \(failures) failures")
        return failures == 0
    }
    var trespasses = Trespasses(trustFile: demo.trust, landlock: landlock, neighbour: neighbour)
    let byAir = Attacked.gate { .unix(path: $0.folder + "/air") }
    trespasses.tryUnconfined(byAir)
    trespasses.tryAll(byAir, named: "\(who), unix:")
    trespasses.tryAll(.gate { _ in .userChannel(index: 0) }, named: "\(who), hci:")
    var needs = Needs(trustFile: demo.trust)
    needs.doAll()
    let isGateWell = report("gate", trespasses, Trespasses.count(byAir), trespasses.failures + needs.failures)
    var strangers = Trespasses(trustFile: demo.trust, landlock: landlock, neighbour: neighbour)
    strangers.tryUnconfined(.listener)
    strangers.tryAll(.listener, named: "\(who), listener")
    var listenerNeeds = ListenerNeeds()
    listenerNeeds.doAll()
    return report("listener", strangers, Trespasses.count(.listener), strangers.failures + listenerNeeds.failures) && isGateWell
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
