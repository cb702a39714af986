import Glibc
import Linux
import Relay

/// A relay's confinement: the log is a folder that it reads, its state is `data`, and it may connect to one port of this machine.
struct RelayScene {
    /// What it is let do, and the gate is not: sockets of the network that connect.
    static let permitted: Set<String> = [
        "socket AF_INET", "socket AF_INET of datagrams", "socket AF_INET6", "socket AF_NETLINK", "socketpair",
    ]

    private let scene: Scene
    private var needs = OutletNeeds()

    init(of scene: Scene, port: UInt16 = 1) {
        self.scene = scene
        needs.ports = [port]
    }

    func confine() -> Bool {
        do throws(ConfinementError) {
            var isWhole = true
            try RelayConfinement(needs, log: scene.trust, state: scene.data).apply(.required) { _ in isWhole = false }
            return isWhole
        } catch {
            return false
        }
    }

    // MARK: of the relay alone

    /// How many of its own attempts went otherwise than they should.
    static func tryAll(trustFile: [UInt8], landlock: Int) -> Int {
        guard let there = Listener.tcp(), let elsewhere = Listener.tcp() else { fail("cannot listen") }
        var failures = 0
        func attempt(_ name: String, works: Bool, _ body: @escaping (Scene) -> Bool) {
            let scene = Scene(trustFile: trustFile)
            defer { scene.remove() }
            let ending = Child.run { RelayScene(of: scene, port: there.port).confine() ? (body(scene) ? 0 : EACCES) : Child.notConfined }
            let isRight = ending == .code(works ? 0 : EACCES)
            print("\(isRight ? "ok" : "FAILED") relay: \(name)\(works ? "" : " is refused")" + (isRight ? "" : ": \(ending)"))
            if !isRight { failures += 1 }
        }
        attempt("reads the log", works: true) { opens($0.trust + "/demo.json", O_RDONLY) }
        attempt("writes the log", works: false) { opens($0.trust + "/demo.json", O_WRONLY) }
        attempt("makes a file beside the log", works: false) { opens($0.trust + "/audit.seal", O_WRONLY | O_CREAT) }
        attempt("removes the log", works: false) { unlink($0.trust + "/demo.json") == 0 }
        attempt("locks the log, or its folder", works: false) { locks($0.trust + "/demo.json") || locks($0.trust) }
        attempt("locks its own state", works: false) { locks($0.data + "/mine") }
        attempt("keeps its cursor", works: true) {
            (try? DurableFolder($0.data, exclusively: false).replace("cursor", with: [1])) != nil
        }
        attempt("reads another's state", works: false) { opens($0.outside + "/kept", O_RDONLY) }
        attempt("connects to its own port", works: true) { _ in connects(there.port) }
        if landlock >= 4 {
            attempt("connects to another port", works: false) { _ in connects(elsewhere.port) }
        } else {
            print("skipped relay: another port: this kernel's Landlock knows no network")
        }
        attempt("takes more memory than is for it", works: false) { _ in
            // Not by malloc: what is only asked for and given back, an optimizer leaves out.
            let octets = mmap(nil, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let octets, octets != MAP_FAILED else { return false }
            munmap(octets, 64 << 20)
            return true
        }
        return failures
    }

    private static func opens(_ path: String, _ flags: Int32) -> Bool {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    /// By a descriptor that only reads, as of the gate's lock.
    private static func locks(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { fail("\(path): errno \(errno)") }
        defer { close(descriptor) }
        return [LOCK_EX, LOCK_SH].contains { flock(descriptor, $0 | LOCK_NB) == 0 }
    }

    private static func connects(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        } == 0
    }
}
