import Appliance
import Audit
import CTrespass
import Credentials
import Devices
import Glibc
import Linux
import Trust
import VisionProtocol

/// Does everything a gate at work has to do, each thing in a process confined as the gate is.
struct Needs {
    let trustFile: [UInt8]
    private(set) var failures = 0

    init(trustFile: [UInt8]) {
        self.trustFile = trustFile
    }

    mutating func doAll() {
        audit()
        trust()
        links()
        feed()
        sound()
        faces()
        codes()
        process()
    }

    private mutating func need(
        _ name: String, ending wanted: Ending = .code(0), link: (Scene) -> HCIMoniker = { .unix(path: $0.folder + "/air") },
        sound: (Scene) -> SounderMoniker? = { _ in nil }, before prepare: @escaping (Scene) -> Bool = { _ in true },
        _ body: @escaping (Scene) -> Bool
    ) {
        let scene = Scene(trustFile: trustFile), moniker = link(scene), sounder = sound(scene)
        defer { scene.remove() }
        let ending = Child.run {
            guard prepare(scene), confineGate(scene, moniker, sound: sounder) else { return Child.notConfined }
            return body(scene) ? 0 : 199
        }
        print("\(ending == wanted ? "ok" : "FAILED") still possible: \(name)" + (ending == wanted ? "" : ": \(ending)"))
        if ending != wanted { failures += 1 }
    }

    // MARK: files

    private mutating func audit() {
        nonisolated(unsafe) var log: AuditLog?
        need(
            "a record in the audit log, on the disk",
            before: { scene in
                log = try? AuditLog(scene.data + "/audit.jsonl")
                return log != nil
            },
            { scene in
                guard let log, (try? log.append(AuditRecord(event: "one"))) != nil, (try? log.append(AuditRecord(event: "two"))) != nil,
                    let report = try? AuditReport(checking: scene.data + "/audit.jsonl")
                else { return false }
                return report.records == 2 && report.badLine == nil
            })
        // Without Landlock the data folder cannot be told from others, and is not written.
        if ConfinementOffer().landlock == 0 {
            return print("skipped a file of the data folder replaced whole: this kernel has no Landlock")
        }
        need("a file of the data folder replaced whole") { scene in
            let new = scene.data + "/.mark.new"
            let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            let folder = open(scene.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard file >= 0, folder >= 0, write(file, "x", 1) == 1, fsync(file) == 0 else { return false }
            return rename(new, scene.data + "/mine") == 0 && fsync(folder) == 0 && unlink(scene.data + "/mine") == 0
        }
    }

    private mutating func trust() {
        need("the trust folder read again") { scene in (try? TrustStore(folder: scene.trust))?.issuers.count == 1 }
        need(
            "a trust folder in the place of another", before: { scene in rename(scene.trust, scene.trust + "-old") == 0 },
            { scene in
                (try? TrustStore(folder: scene.trust + "-old"))?.issuers.count == 1
            })
    }

    // MARK: links

    private static func opens(_ moniker: HCIMoniker, times: Int = 2) -> Bool {
        let link = moniker.makeLink()
        for _ in 0..<times {
            guard (try? link.open()) != nil, link.descriptor >= 0 else { return false }
            link.close()
        }
        return true
    }

    private mutating func links() {
        need("a unix socket connected, twice", before: { Listener.unix($0.folder + "/air") != nil }) { scene in
            Self.opens(.unix(path: scene.folder + "/air"))
        }
        guard let listener = Listener.tcp(), let other = Listener.tcp() else { fail("no TCP on this machine") }
        let bridge = HCIMoniker.tcp(host: "127.0.0.1", port: listener.port)
        need("a TCP port connected, twice", link: { _ in bridge }, { _ in Self.opens(bridge) })
        let reachesAllPorts = ConfinementOffer().landlock < 4
        need("TCP, but no other family, type or (by Landlock) port", link: { _ in bridge }) { _ in
            let isElsewhere = (try? HCIMoniker.tcp(host: "127.0.0.1", port: other.port).makeLink().open()) != nil
            return socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0) < 0 && socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0) < 0
                && socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) < 0 && isElsewhere == reachesAllPorts
        }
        guard let terminal = trespass_terminal().map({ String(cString: $0) }) else { fail("no pseudo-terminal on this machine") }
        let serial = HCIMoniker.serial(path: terminal, baud: 115_200)
        // Once: a pseudo-terminal stays reserved while its far end is open, and only CAP_SYS_ADMIN could pass that.
        need("a serial line opened and set", link: { _ in serial }, { _ in Self.opens(serial, times: 1) })
        need("the user channel, as far as the kernel has it", link: { _ in .userChannel(index: 65_000) }) { _ in
            do throws(LinkError) {
                try HCIMoniker.userChannel(index: 65_000).makeLink().open()
                return false
            } catch {
                return error == .noSuchController || error == .noBluetoothInKernel
            }
        }
        let held = Capabilities.current.permitted.contains(.networkAdministration)
        need("one capability, only while the controller is opened", link: { _ in .userChannel(index: 0) }) { _ in
            let (effective, permitted) = Capabilities.current
            guard effective.isEmpty, permitted == (held ? .networkAdministration : []) else { return false }
            let raised = Capabilities.networkAdministration.raised { Capabilities.current.effective }
            return raised == permitted && Capabilities.current.effective.isEmpty
        }
    }

    // MARK: the feed

    /// A socket is connected before; that is all there is to be sent to.
    private mutating func feed() {
        nonisolated(unsafe) var feed: DatagramSocket?
        nonisolated(unsafe) var listener: Int32 = -1
        need(
            "a verdict sent where the gate was connected to before, and nothing new connected",
            before: { scene in
                listener = Listener.datagrams(scene.folder + "/feed")
                feed = try? DatagramSocket(to: scene.folder + "/feed")
                return listener >= 0 && feed != nil
            },
            { scene in
                let sent = [UInt8](repeating: 7, count: 64).withUnsafeBytes { feed?.send($0) }
                var came = [UInt8](repeating: 0, count: 65)
                guard sent == 0, recv(listener, &came, came.count, Int32(MSG_DONTWAIT)) == 64 else { return false }
                // Full: at once, and not by waiting.
                var last: Int32? = 0
                for _ in 0..<5000 where last == 0 { last = [UInt8](repeating: 7, count: 64).withUnsafeBytes { feed?.send($0) } }
                return last == EAGAIN && (try? DatagramSocket(to: scene.folder + "/feed")) == nil
            })
    }

    // MARK: sound

    /// A channel of plain files. Without Landlock no file is opened to be written, and the channel stays as it was opened first.
    private mutating func sound() {
        guard ConfinementOffer().landlock > 0 else {
            return print("skipped a PWM channel opened again: this kernel has no Landlock")
        }
        let channel = { (scene: Scene) in SounderMoniker.pwm(channel: scene.outside + "/pwm0") }
        need(
            "a PWM channel opened again after a fault, and nothing beside it", sound: channel,
            before: { scene in
                mkdir(scene.outside + "/pwm0", 0o777) == 0
                    && ["period", "duty_cycle", "enable"].allSatisfy { close(creat(scene.outside + "/pwm0/" + $0, 0o666)) == 0 }
            },
            { scene in
                for _ in 0..<2 {
                    guard let sounder = try? channel(scene).makeSounder(), (try? sounder.set(880)) != nil else { return false }
                    sounder.close()
                }
                return open(scene.outside + "/kept", O_WRONLY | O_CLOEXEC) < 0
            })
    }

    // MARK: the face matcher

    /// Compiled by `Tests/Scripts/plugins.sh`.
    private static let plugin = ".build/plugins/test/test_matcher.so"

    private mutating func faces() {
        var settings = SupervisorSettings()
        settings.plugin = Self.plugin
        settings.models = "/usr/share"
        let isThere = access(Self.plugin, R_OK) == 0 && (try? Supervisor(settings)) != nil
        guard isThere else { return print("skipped a matcher's worker: no gatehouse-vision beside this program, or no \(Self.plugin)") }
        nonisolated(unsafe) var worker: VisionClient?
        need(
            "a matcher's worker asked, ended and started again",
            before: { _ in
                worker = (try? Supervisor(settings)).map { VisionClient(supervisor: $0) }
                return worker != nil
            },
            { _ in
                guard let worker, (try? worker.ask(.forget)) == .forgotten else { return false }
                worker.restart(at: Clock.monotonic())
                return (try? worker.ask(.forget)) == .forgotten && worker.starts == 2
            })
    }

    // MARK: the reader of codes

    private mutating func codes() {
        let isThere = (try? Supervisor(SupervisorSettings())) != nil
        guard isThere else { return print("skipped a worker for codes: no gatehouse-vision beside this program") }
        nonisolated(unsafe) var reader: CodeReader?
        need(
            "a worker for codes asked, ended and started again, without a plug-in",
            before: { _ in
                reader = (try? Supervisor(SupervisorSettings())).map { CodeReader(supervisor: $0) }
                return reader != nil
            },
            { _ in
                let white = [UInt8](repeating: 255, count: 64 * 64 * 3)
                let head = PictureHeader(format: .rgb24, width: 64, height: 64, stride: 192)
                func isRead(_ reader: CodeReader) -> Bool {
                    white.withUnsafeBytes { (try? reader.read(head, $0))?.status == .nothing }
                }
                guard let reader, isRead(reader) else { return false }
                reader.stop()
                return isRead(reader) && reader.starts == 2
            })
    }

    // MARK: the process itself

    private mutating func process() {
        nonisolated(unsafe) var signals: Signals?
        need(
            "SIGHUP as something to read",
            before: { _ in
                signals = try? Signals()
                return signals != nil
            }, { _ in raise(SIGHUP) == 0 && signals?.next() == .reload && signals?.next() == nil })
        need("an abort of its own", ending: .signal(SIGABRT)) { _ in
            // Its last words are not the check's.
            close(2)
            abort()
        }
        need("the loop's sleep") { _ in (try? EventLoop().wait(until: Clock.monotonic() + 1_000_000)) == 0 && Clock.wall() > 0 }
        need("memory, and random octets") { _ in
            var octets = [UInt8](repeating: 1, count: 64 << 20)
            octets.append(contentsOf: [UInt8](repeating: 2, count: 64 << 20))
            var numbers = SystemRandomNumberGenerator()
            return octets.count == 128 << 20 && numbers.next() as UInt64 != numbers.next()
        }
        nonisolated(unsafe) var manager: Int32 = -1
        need(
            "a word to the service manager",
            before: { scene in
                manager = Listener.datagrams(scene.folder + "/notify")
                return manager >= 0 && setenv("NOTIFY_SOCKET", scene.folder + "/notify", 1) == 0
            },
            { scene in
                ServiceManager().ready()
                var octets = [UInt8](repeating: 0, count: 64)
                return recv(manager, &octets, octets.count, Int32(MSG_DONTWAIT)) == 7 && octets.starts(with: Array("READY=1".utf8))
            })
    }
}
