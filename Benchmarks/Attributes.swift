import Bluetooth
import SelfTest

/// An application with one value in memory.
private struct OneValue: HostApplication {
    var written = 0
    mutating func read(_ handle: UInt16, into value: inout AttributeValue) -> ATTError? {
        value.append(0x2A)
        return nil
    }
    mutating func write(_ handle: UInt16, _ value: borrowing Span<UInt8>, isCommand: Bool) -> ATTError? {
        written &+= value.count
        return nil
    }
}

/// Moves packets until nothing moves. A function of its own: captured by one inside another, the host would lie in a box, and
/// each of the measured accesses would be checked for exclusivity at run time, which took longer than the host did.
private func converse(
    _ host: inout Host, _ controller: inout ScriptedController, _ application: inout OneValue, _ frame: inout PacketFrame,
    _ now: Instant
) {
    while host.next(into: &frame, now: now) {
        var packet: [UInt8] = []
        for index in 0..<frame.count { packet.append(frame.storage[index]) }
        controller.receive(packet)
        for answer in controller.takeToHost() { _ = host.receive(answer.span, now: now, to: &application) }
    }
}

/// From an HCI packet with a request to the HCI packet with its response.
func benchAttributes() {
    var table = AttributeTable()
    do throws(AttributeTableError) {
        try table.addService(UUID(0x1234))
        try table.addCharacteristic(UUID(0x1235), .read | .write | .writeWithoutResponse)
    } catch { return }
    let storage = UnsafeMutablePointer<HostStorage>.allocate(capacity: 1)
    storage.initialize(to: HostStorage())
    defer {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }
    var host = Host(storage: storage, table: table)
    var application = OneValue()
    var controller = ScriptedController()
    var frame = PacketFrame()
    let now = Instant(nanoseconds: 1)
    host.open(now: now)
    converse(&host, &controller, &application, &frame, now)
    controller.connect()
    for packet in controller.takeToHost() { _ = host.receive(packet.span, now: now, to: &application) }
    converse(&host, &controller, &application, &frame, now)
    let handle = ScriptedController.handle
    let credit: [UInt8] = [4, 0x13, 5, 1, UInt8(handle), 0, 1, 0]
    let requests: [(String, [UInt8])] = [
        ("read", [0x0A, 3, 0]), ("read by type", [0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28]), ("write request", [0x12, 3, 0, 1, 2, 3, 4]),
    ]
    for (name, request) in requests {
        let packet = [2, UInt8(handle), 0x20, UInt8(4 + request.count), 0, UInt8(request.count), 0, 4, 0] + request
        let count = 20_000
        var answered = 0
        let time = least(rounds: 15) {
            for _ in 0..<count {
                _ = host.receive(packet.span, now: now, to: &application)
                if host.next(into: &frame, now: now) { answered += 1 }
                _ = host.receive(credit.span, now: now, to: &application)
            }
        }
        precondition(answered == 15 * count, "every request has its response")
        print(
            "HCI packet to ATT response, \(name): \(text(time / Double(count), 0)) ns, the credit that comes back included; the least of 15 rounds"
        )
    }
}
