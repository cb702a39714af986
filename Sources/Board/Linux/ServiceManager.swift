// <sys/socket.h> belongs to whichever of CLinux and Glibc the compiler met first in this module.
import CLinux
import Glibc

/// The service manager that started the process, told over `$NOTIFY_SOCKET` how it goes (`sd_notify(3)`); nobody when the variable is
/// absent.
public final class ServiceManager {
    /// Nanoseconds within which the service manager wants to hear `alive`, or nil. Call it at half that time.
    public let watchdogInterval: UInt64?

    private var address = sockaddr_un()
    private var addressLength: socklen_t = 0
    private let descriptor: Int32

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` from the environment.
    public convenience init() {
        let interval = Self.variable("WATCHDOG_USEC").flatMap { UInt64($0) }
        let process = Self.variable("WATCHDOG_PID").flatMap { Int32($0) }
        // Meant for another process, a parent perhaps.
        let isOurs = process == nil || process == getpid()
        self.init(socket: Self.variable("NOTIFY_SOCKET"), watchdogMicroseconds: isOurs ? interval : nil)
    }

    /// - Parameters:
    ///   - path: of a unix datagram socket; a leading `@` means the abstract name space.
    public init(socket path: String?, watchdogMicroseconds: UInt64?) {
        if let watchdogMicroseconds, watchdogMicroseconds > 0, watchdogMicroseconds < 1 << 50 {
            watchdogInterval = watchdogMicroseconds * 1000
        } else {
            watchdogInterval = nil
        }
        let octets = path.map { [UInt8]($0.utf8) } ?? []
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard let first = octets.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), octets.count < room else {
            descriptor = -1
            return
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { name in
            name.copyBytes(from: octets)
            if first == UInt8(ascii: "@") { name[0] = 0 }
        }
        addressLength = socklen_t(MemoryLayout<sa_family_t>.size + octets.count)
        descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // READY must not be lost to a busy moment, nor the gate to a service manager that hangs.
        var patience = timeval(tv_sec: 0, tv_usec: 100_000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The gate works.
    public func ready() { tell("READY=1" as StaticString) }
    /// The text beside the unit's state, one line, which the health check of an image reads.
    public func status(_ text: String) { tell("STATUS=" + text) }
    /// What follows may take up to two minutes without a word of `alive`, at the start too.
    public func bePatient() {
        guard watchdogInterval != nil else { return tell("EXTEND_TIMEOUT_USEC=120000000" as StaticString) }
        tell("EXTEND_TIMEOUT_USEC=120000000\nWATCHDOG_USEC=120000000\nWATCHDOG=1" as StaticString)
    }

    /// The interval of the unit again.
    public func beStrict() {
        guard let watchdogInterval else { return }
        tell("WATCHDOG_USEC=\(watchdogInterval / 1000)\nWATCHDOG=1")
    }

    /// The loop still turns.
    public func alive() { tell("WATCHDOG=1" as StaticString) }
    /// The gate is ending on purpose.
    public func stopping() { tell("STOPPING=1" as StaticString) }

    private func tell(_ message: StaticString) {
        tell(UnsafeRawBufferPointer(start: message.utf8Start, count: message.utf8CodeUnitCount))
    }

    private func tell(_ message: String) {
        var message = message
        message.withUTF8 { tell(UnsafeRawBufferPointer($0)) }
    }

    private func tell(_ message: UnsafeRawBufferPointer) {
        guard descriptor >= 0 else { return }
        let length = addressLength
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                // The service manager being gone or slow is not the gate's trouble.
                _ = sendto(descriptor, message.baseAddress, message.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }

    private static func variable(_ name: StaticString) -> String? {
        name.withUTF8Buffer { name in
            name.withMemoryRebound(to: CChar.self) { name in
                name.baseAddress.flatMap { getenv($0) }.map { String(cString: $0) }
            }
        }
    }
}
