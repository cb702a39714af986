import Bluetooth
import Devices
import Glibc
import Linux

/// What the bring-up of a controller gave, step by step, without ever advertising.
public struct BringUpReport: Sendable {
    /// How each step went, in the order they are taken.
    public private(set) var steps: [(step: BringUp.Step, result: BringUp.Result)] = []
    /// What the controller said of itself, as far as it came.
    public private(set) var controller = Controller()
    /// What was dropped of what the controller sent.
    public private(set) var drops: [(name: String, count: UInt32)] = []
    /// Why the controller cannot be used; nil when it can.
    public private(set) var fault: ControllerFault?

    /// Brings the controller at the end of `link` up and lets go of it. Takes a few seconds at the most.
    public init(_ link: any HCILink) throws(LinkError) {
        try link.open()
        defer { link.close() }
        let memory = UnsafeMutablePointer<HostStorage>.allocate(capacity: 1)
        memory.initialize(to: HostStorage())
        defer {
            memory.deinitialize(count: 1)
            memory.deallocate()
        }
        var host = Host(storage: memory, table: AttributeTable())
        var nobody = Nobody()
        let packet = UnsafeMutableRawBufferPointer.allocate(byteCount: H4Framer.capacity, alignment: 64)
        defer { packet.deallocate() }
        host.open(now: Self.now())
        // A fault starts everything over: what was there before is what there is to tell.
        var table = host.bringUp
        while !host.isReady, fault == nil {
            table = host.bringUp
            controller = host.controller
            try Self.send(&host, to: link)
            try Self.wait(link, until: host.deadline)
            let count = try link.read(into: packet)
            if count > 0 {
                let octets = UnsafeRawBufferPointer(rebasing: packet[..<count]).assumingMemoryBound(to: UInt8.self)
                note(host.receive(octets.span, now: Self.now(), to: &nobody))
            }
            if let deadline = host.deadline, Self.now() >= deadline { note(host.expire(now: Self.now())) }
        }
        if fault == nil {
            table = host.bringUp
            controller = host.controller
        }
        list(table)
        count(host.counters)
    }

    /// A report without a controller, for tests.
    init(_ controller: Controller, steps: [(step: BringUp.Step, result: BringUp.Result)], fault: ControllerFault? = nil) {
        self.controller = controller
        self.steps = steps
        self.fault = fault
    }

    private mutating func note(_ event: HostEvent?) {
        if case .fault(let reason, _) = event { fault = reason }
    }

    private mutating func list(_ bringUp: BringUp) {
        var raw: UInt8 = 0
        while let step = BringUp.Step(rawValue: raw) {
            steps.append((step, failure(of: step, isCurrent: step == bringUp.current) ?? bringUp.result(of: step)))
            raw += 1
        }
    }

    private mutating func count(_ counters: DropCounters) {
        var raw: UInt8 = 0
        while let drop = Drop(rawValue: raw) {
            if counters[drop] > 0 { drops.append((drop.name.description, counters[drop])) }
            raw += 1
        }
    }

    /// How the step went that the bring-up broke off at: the table it would have been noted in is gone.
    private func failure(of step: BringUp.Step, isCurrent: Bool) -> BringUp.Result? {
        switch fault {
        case .bringUpRefused(step, let status): .done(status)
        case .bringUpMalformed(step): .malformed
        case .commandTimeout where isCurrent: .timedOut
        default: nil
        }
    }

    private static func send(_ host: inout Host, to link: any HCILink) throws(LinkError) {
        var frame = PacketFrame()
        while !link.hasUnsent, host.next(into: &frame, now: now()) {
            try link.write(&frame)
        }
        if link.hasUnsent { try link.flush() }
    }

    private static func wait(_ link: any HCILink, until deadline: Instant?) throws(LinkError) {
        guard !link.hasUnread else { return }
        var watched = pollfd(fd: link.descriptor, events: Int16(POLLIN | (link.hasUnsent ? POLLOUT : 0)), revents: 0)
        let rest = deadline.map { $0.milliseconds(since: now()) } ?? 1000
        _ = poll(&watched, 1, Int32(clamping: rest + 1))
    }

    private static func now() -> Instant { Instant(nanoseconds: Clock.monotonic()) }
}

/// An application without attributes.
private struct Nobody: HostApplication {
    mutating func read(_ handle: UInt16, into value: inout AttributeValue) -> ATTError? { .readNotPermitted }
    mutating func write(_ handle: UInt16, _ value: borrowing Span<UInt8>, isCommand: Bool) -> ATTError? { .writeNotPermitted }
}
