import Testing

@testable import Bluetooth

/// Looking for a phone: commands, time and what ends it.
@Suite struct ScanningTests {
    @Test("passive at first, active after two seconds, and the filter of duplicates is emptied every two")
    func legacy() {
        let phone = Phone.central()
        phone.controller.commands = []
        #expect(phone.scan())
        #expect(phone.host.isScanning == true)
        #expect(phone.sent == ["2005 01 00 00 00 00 4A", "200B 00 30 00 30 00 01 00", "200C 01 01"])
        phone.controller.commands = []
        phone.pass(milliseconds: 1999)
        #expect(phone.sent == [])
        phone.pass(milliseconds: 1)
        #expect(phone.sent == ["200C 00 01", "200B 01 30 00 30 00 01 00", "200C 01 01"])
        phone.controller.commands = []
        phone.pass(milliseconds: 4000)
        #expect(phone.sent == ["200C 00 01", "200C 01 01", "200C 00 01", "200C 01 01"])
    }

    @Test("the extended commands where the controller has only those, and their reports")
    func extended() {
        let phone = Phone.central(.extendedCentralOnly)
        // Bit 12 of the LE event mask, and bit 17, but not bit 1.
        #expect(phone.last(.leSetEventMask) == "55 18 02 00 00 00 00 00")
        phone.controller.commands = []
        phone.scan()
        #expect(phone.sent == ["2005 01 00 00 00 00 4A", "2041 01 00 01 00 30 00 30 00", "2042 01 01 00 00 00 00"])
        phone.deliver(Phone.report(Phone.advertisement))
        #expect(phone.events.last == .ready)
        phone.deliver(Phone.event([0x0D, 1] + Phone.extendedEntry(Phone.advertisement)))
        phone.run()
        #expect(phone.events.last == .found(Phone.peer))
        #expect(!phone.controller.isScanning)
        #expect(phone.last(.leSetExtendedScanEnable) == "00 01 00 00 00 00")
    }

    @Test("the LE event mask has reports only where there is a scanner")
    func mask() {
        #expect(Phone.central().last(.leSetEventMask) == "57 08 00 00 00 00 00 00")
        #expect(Phone.central(Script()).last(.leSetEventMask) == "55 08 00 00 00 00 00 00")
    }

    @Test("the first report of the service is told, once, and ends scanning")
    func found() {
        let phone = Phone.central()
        phone.scan()
        phone.deliver(Phone.report("02 01 06", peer: "01 01 01 01 01 01"))
        phone.deliver(Phone.report(Phone.advertisement))
        phone.deliver(Phone.report(Phone.advertisement))
        phone.run()
        #expect(phone.events == [.ready, .found(Phone.peer)])
        #expect(!phone.controller.isScanning)
        #expect(phone.host.isScanning == false)
        #expect(phone.counters.total == 0)
        phone.pass(milliseconds: 60_000)
        #expect(phone.events == [.ready, .found(Phone.peer)])
    }

    @Test("a scan has its end, whatever the controller does")
    func until() {
        let phone = Phone.central()
        phone.scan(milliseconds: 5000)
        phone.pass(milliseconds: 4999)
        #expect(phone.events == [.ready])
        phone.pass(milliseconds: 1)
        #expect(phone.events == [.ready, .scanEnded])
        #expect(!phone.controller.isScanning)
    }

    @Test("one thing is on the air at a time: each ends the one before")
    func one() {
        let phone = Phone.central()
        phone.advertise()
        #expect(phone.controller.isAdvertising)
        phone.scan()
        #expect(phone.controller.isScanning && !phone.controller.isAdvertising)
        phone.advertise()
        #expect(!phone.controller.isScanning && phone.controller.isAdvertising)
        phone.scan()
        phone.initiate()
        #expect(phone.controller.isInitiating && !phone.controller.isScanning)
        // The controller is strict: it would complain of two things at once.
        phone.advertise()
        #expect(!phone.controller.isInitiating && phone.controller.isAdvertising)
        phone.rest()
        #expect(!phone.controller.isAdvertising)
    }

    /// A host whose command that begins scanning is sent, and its answer on the way.
    private static func enabling(_ script: Script = .centralRole) -> Phone {
        let phone = Phone.central(script)
        phone.controller.commands = []
        var frame = PacketFrame()
        _ = phone.host.scan(for: Phone.service, from: Phone.own, until: phone.now.adding(milliseconds: 30_000), now: phone.now)
        while phone.controller.opcodes.last != .leSetScanEnable {
            while let packet = phone.controller.next() { phone.deliver(packet) }
            guard phone.host.next(into: &frame, now: phone.now) else { break }
            var packet: [UInt8] = []
            for index in 0..<frame.count { packet.append(frame.storage[index]) }
            phone.controller.take(packet)
        }
        #expect(phone.controller.opcodes == [.leSetRandomAddress, .leSetScanParameters, .leSetScanEnable])
        phone.controller.commands = []
        return phone
    }

    /// The controller is strict: it complains of two things at once, and of an address that changes meanwhile.
    @Test("scanning that is given up before it has begun is ended ahead of what follows")
    func givenUpEarly() {
        let advertising = Self.enabling()
        advertising.advertise()
        #expect(advertising.controller.isAdvertising && !advertising.controller.isScanning)
        #expect(advertising.controller.opcodes.first == .leSetScanEnable && advertising.events == [.ready])
        let initiating = Self.enabling()
        initiating.initiate()
        #expect(initiating.controller.isInitiating && !initiating.controller.isScanning)
        #expect(initiating.sent == ["200C 00 01", "2005 01 00 00 00 00 4A", InitiatingTests.legacy])
        let resting = Self.enabling()
        resting.rest()
        #expect(resting.sent == ["200C 00 01"] && !resting.controller.isScanning)
        // Another scan in its place is one.
        let other = Self.enabling()
        other.scan()
        #expect(other.sent == ["200C 00 01", "2005 01 00 00 00 00 4A", "200B 00 30 00 30 00 01 00", "200C 01 01"])
        #expect(other.host.isScanning == true)
    }

    @Test("a refusal that comes when nobody scans any more leaves what follows as it is", arguments: [0x0C, 0x01] as [UInt8])
    func refusedLate(status: UInt8) {
        var script = Script.centralRole
        script.refusals = [.leSetScanEnable: status]
        let phone = Self.enabling(script)
        phone.controller.script.refusals = [:]
        phone.initiate()
        #expect(phone.sent == ["200C 00 01", "2005 01 00 00 00 00 4A", InitiatingTests.legacy])
        #expect(phone.controller.isInitiating && phone.events == [.ready])
        phone.linked()
        #expect(phone.host.role == .central)
    }

    @Test("a phone that connects while scanning begins ends scanning")
    func linkedMeanwhile() {
        let phone = Phone.central()
        phone.scan()
        phone.connect()
        #expect(phone.events == [.ready, .connected])
        #expect(phone.host.role == .peripheral)
        #expect(!phone.controller.isScanning)
        phone.disconnect()
        #expect(!phone.controller.isScanning)
    }

    @Test("what is wanted while a link is up, or before the controller is ready, begins then")
    func later() {
        let phone = Phone(Database.sparse(), .centralRole)
        phone.scan()
        phone.open()
        #expect(phone.controller.isScanning)
        phone.rest()
        phone.advertise()
        phone.connect()
        phone.scan()
        #expect(!phone.controller.isScanning)
        phone.disconnect()
        #expect(phone.controller.isScanning)
    }

    @Test("a controller without the commands is not asked")
    func unable() {
        let phone = Phone.central(Script())
        #expect(!phone.scan())
        #expect(!phone.initiate())
        #expect(!phone.facts.supports(.central) && phone.facts.supports(.peripheral))
        #expect(phone.facts.commandSet == .legacy)
        #expect(Phone.central().facts.supports(.central))
        // Advertising by both sets, scanning only by the extended one.
        let mixed = Phone.central(Script(commands: Script.commandMask(without: Script.legacyCentral)))
        #expect(mixed.facts.commandSet == .extended && mixed.facts.supports(.central))
        mixed.advertise()
        #expect(mixed.isAdvertising)
    }

    @Test("a scan that is refused is tried again, and after four times is a fault; a command that is not known is none")
    func refused() {
        let phone = Phone.central()
        phone.controller.script.refusals = [.leSetScanEnable: 0x0C]
        phone.scan()
        #expect(phone.host.isScanning == false)
        phone.pass(milliseconds: 1499)
        #expect(phone.events == [.ready])
        phone.pass(milliseconds: 1)
        #expect(phone.events.contains(.fault(.scanningRefused(.commandDisallowed), .reset)))
        let other = Phone.central()
        other.controller.script.refusals = [.leSetScanParameters: 0x01]
        other.scan()
        #expect(other.events == [.ready, .scanEnded])
    }

    @Test("a reset in the middle leaves the wish")
    func reset() {
        let phone = Phone.central()
        phone.scan()
        phone.deliver("04 10 01 42")
        #expect(phone.isReady)
        #expect(phone.controller.isScanning)
    }
}
