import CTrespass
import Devices
import Glibc
import Linux

/// Tries everything forbidden, each in a process confined as the gate is.
struct Trespasses {
    let trustFile: [UInt8]
    let landlock: Int
    let neighbour: Int32
    private(set) var failures = 0
    private(set) var skipped = 0
    private(set) var controls = 0

    init(trustFile: [UInt8], landlock: Int, neighbour: Int32) {
        self.trustFile = trustFile
        self.landlock = landlock
        self.neighbour = neighbour
    }

    mutating func tryAll(_ link: @escaping (Scene) -> HCIMoniker, named name: String) {
        tryAll(named: name) { confine($0, link($0)) }
    }

    /// - Parameter permitted: what the confinement is not for, by name.
    mutating func tryAll(named name: String, permitted: Set<String> = [], _ confined: @escaping (Scene) -> Bool) {
        for index in 0..<Int(trespass_count()) {
            let trespass = Self.trespass(index)
            let title = String(cString: trespass.name)
            if permitted.contains(title) { continue }
            if trespass.by_landlock, landlock == 0 {
                print("skipped \(title) (\(name)): this kernel has no Landlock")
                skipped += 1
                continue
            }
            let ending = attempt(index, confined)
            let isPrevented =
                switch ending {
                case .signal(let number): (trespass.end == TRESPASS_KILLED || !permitted.isEmpty) && number == SIGSYS
                case .code(let code): trespass.end == TRESPASS_REFUSED && [EPERM, EACCES, EXDEV].contains(code)
                }
            print("\(isPrevented ? "ok" : "FAILED") \(title) (\(name)): \(ending)")
            if !isPrevented { failures += 1 }
        }
    }

    /// The same without a confinement: what fails there too would prove nothing.
    mutating func tryUnconfined() {
        for index in 0..<Int(trespass_count()) {
            let trespass = Self.trespass(index)
            guard trespass.works || (trespass.works_for_root && geteuid() == 0) else { continue }
            let ending = attempt(index, nil)
            controls += 1
            guard ending != .code(0) else { continue }
            print("FAILED \(String(cString: trespass.name)): does not even work without a confinement: \(ending)")
            failures += 1
        }
    }

    private func attempt(_ index: Int, _ confined: ((Scene) -> Bool)?) -> Ending {
        let scene = Scene(trustFile: trustFile), neighbour = neighbour
        defer { scene.remove() }
        return Child.run {
            if let confined, !confined(scene) { return Child.notConfined }
            return scene.data.withCString { data in
                scene.outside.withCString { outside in
                    var place = trespass_scene(data: data, outside: outside, neighbour: neighbour)
                    return Self.trespass(index).attempt(&place)
                }
            }
        }
    }

    private static func trespass(_ index: Int) -> trespass {
        guard let found = trespass_at(Int32(index)) else { fail("no attempt \(index)") }
        return found.pointee
    }
}
