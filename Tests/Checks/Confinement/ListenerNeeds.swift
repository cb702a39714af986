import CTrespass
import Glibc
import Linux
import ListenerSandbox

/// Does everything that the process which listens on the gate's network has to do, each thing in a process confined as it is.
struct ListenerNeeds {
    private(set) var failures = 0

    /// What is open before the confinement: two descriptors, and a loop that watches them.
    private struct Open {
        let loop: EventLoop
        let socket = ListeningSocket(descriptor: ListenerConfinement.listener)
        let channel = ListenerConfinement.channel
    }

    mutating func doAll() {
        need("a connection taken, read, answered and ended") { open in
            guard (try? open.loop.wait(until: Self.soon)) ?? 0 > 0, let (connection, _) = try? open.socket.accept() else { return false }
            guard (try? open.loop.add(connection, for: [.readable, .writable], token: 3)) != nil else { return false }
            guard Self.reads(connection), Self.writes(connection) else { return false }
            ListeningSocket.endSending(connection)
            open.loop.remove(connection)
            return close(connection) == 0
        }
        need("the gate heard and answered") { open in Self.reads(open.channel) && Self.writes(open.channel) }
        need("the loop's sleep") { open in
            open.loop.remove(ListenerConfinement.listener)
            open.loop.remove(ListenerConfinement.channel)
            return (try? open.loop.wait(until: Clock.monotonic() + 1_000_000)) == 0 && Clock.wall() > 0
        }
        need("an abort of its own", ending: .signal(SIGABRT)) { _ in
            // Its last words are not the check's; nor is a backtrace, which a listener's environment forbids.
            close(2)
            signal(SIGABRT, SIG_DFL)
            abort()
        }
        need("memory for four requests, and none beyond its bound") { _ in
            var octets = [UInt8](repeating: 1, count: 8 << 20)
            octets[octets.count - 1] = 2
            let beyond = mmap(nil, 512 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            return octets.last == 2 && beyond == MAP_FAILED && errno == ENOMEM
        }
    }

    private static var soon: UInt64 { Clock.monotonic() + 10_000_000_000 }

    private static func reads(_ descriptor: Int32) -> Bool {
        var octet: UInt8 = 0
        return withUnsafeMutableBytes(of: &octet) { Channel.read(into: $0, from: descriptor) } == 1 && octet == UInt8(ascii: "x")
    }

    private static func writes(_ descriptor: Int32) -> Bool {
        withUnsafeBytes(of: UInt8(ascii: "y")) { Channel.write($0, to: descriptor) } == 1
    }

    private mutating func need(_ name: String, ending wanted: Ending = .code(0), _ body: @escaping (Open) -> Bool) {
        let scene = Scene(trustFile: []), parent = getpid()
        defer { scene.remove() }
        let ending = Child.run {
            scene.outside.withCString { outside in
                var place = trespass_scene()
                place.outside = outside
                guard Attacked.listener.prepare(&place), let loop = try? EventLoop(capacity: 8),
                    (try? loop.add(ListenerConfinement.listener, for: .readable, token: 1)) != nil,
                    (try? loop.add(ListenerConfinement.channel, for: .readable, token: 2)) != nil,
                    Attacked.listener.confine(in: scene, parent: parent)
                else { return Child.notConfined }
                return body(Open(loop: loop)) ? 0 : 199
            }
        }
        print("\(ending == wanted ? "ok" : "FAILED") still possible: \(name) (listener)" + (ending == wanted ? "" : ": \(ending)"))
        if ending != wanted { failures += 1 }
    }
}
