import CTrespass
import Devices
import Glibc
import Linux
import ListenerSandbox

/// Whose confinement is attacked.
enum Attacked {
    case gate((Scene) -> HCIMoniker)
    case listener

    /// How an attempt has to end.
    func end(of trespass: trespass) -> trespass_end {
        switch self {
        case .gate: trespass.gate
        case .listener: trespass.listener
        }
    }

    /// What is done in the process of its own before the confinement: a listener has its descriptors.
    func prepare(_ scene: inout trespass_scene) -> Bool {
        switch self {
        case .gate: true
        case .listener: trespass_open_sockets(&scene, ListenerConfinement.channel, ListenerConfinement.listener) == 0
        }
    }

    /// - Parameter parent: of the process that is confined.
    func confine(in scene: Scene, parent: Int32) -> Bool {
        switch self {
        case .gate(let link): return confineGate(scene, link(scene))
        case .listener:
            do throws(ConfinementError) {
                try ListenerConfinement(parent: parent).apply()
                return true
            } catch {
                return false
            }
        }
    }
}

/// Tries everything forbidden, each in a process confined as the gate is, or as the one that listens on its network.
struct Trespasses {
    let trustFile: [UInt8]
    let landlock: Int
    let neighbour: Int32
    private(set) var failures = 0
    private(set) var skipped = 0
    private(set) var controls = 0
    private(set) var attempts = 0

    init(trustFile: [UInt8], landlock: Int, neighbour: Int32) {
        self.trustFile = trustFile
        self.landlock = landlock
        self.neighbour = neighbour
    }

    /// Forbidden things.
    static func count(_ attacked: Attacked) -> Int { indices(attacked).count }

    private static func indices(_ attacked: Attacked) -> [Int] {
        (0..<Int(trespass_count())).filter { attacked.end(of: trespass($0)) != TRESPASS_ALLOWED }
    }

    mutating func tryAll(_ attacked: Attacked, named name: String) {
        for index in Self.indices(attacked) {
            let trespass = Self.trespass(index), end = attacked.end(of: trespass)
            let title = String(cString: trespass.name)
            attempts += 1
            if case .gate = attacked, trespass.by_landlock, landlock == 0 {
                print("skipped \(title) (\(name)): this kernel has no Landlock")
                skipped += 1
                continue
            }
            let ending = attempt(index, attacked, isConfined: true)
            let isPrevented =
                switch ending {
                case .signal(let number): end == TRESPASS_KILLED && number == SIGSYS
                case .code(let code): end == TRESPASS_REFUSED && [EPERM, EACCES, EXDEV].contains(code)
                }
            print("\(isPrevented ? "ok" : "FAILED") \(title) (\(name)): \(ending)")
            if !isPrevented { failures += 1 }
        }
    }

    /// The same without a confinement: what fails there too would prove nothing.
    mutating func tryUnconfined(_ attacked: Attacked) {
        for index in Self.indices(attacked) {
            let trespass = Self.trespass(index)
            guard trespass.works || (trespass.works_for_root && geteuid() == 0) else { continue }
            let ending = attempt(index, attacked, isConfined: false)
            controls += 1
            guard ending != .code(0) else { continue }
            print("FAILED \(String(cString: trespass.name)): does not even work without a confinement: \(ending)")
            failures += 1
        }
    }

    private func attempt(_ index: Int, _ attacked: Attacked, isConfined: Bool) -> Ending {
        let scene = Scene(trustFile: trustFile), neighbour = neighbour, parent = getpid()
        defer { scene.remove() }
        return Child.run {
            scene.data.withCString { data in
                scene.outside.withCString { outside in
                    scene.trust.withCString { trust in
                        var place = trespass_scene()
                        (place.data, place.outside, place.trust, place.neighbour) = (data, outside, trust, neighbour)
                        guard attacked.prepare(&place), !isConfined || attacked.confine(in: scene, parent: parent) else {
                            return Child.notConfined
                        }
                        return Self.trespass(index).attempt(&place)
                    }
                }
            }
        }
    }

    private static func trespass(_ index: Int) -> trespass {
        guard let found = trespass_at(Int32(index)) else { fail("no attempt \(index)") }
        return found.pointee
    }
}
