import Testing

@testable import Bluetooth

/// A link that ends politely: what was handed over leaves the controller first.
@Suite struct DrainedTests {
    /// A link with a value that the controller has and has not sent.
    static func waiting() -> Phone {
        let phone = Phone.asCentral()
        phone.discover()
        phone.controller.completesPackets = false
        #expect(phone.write(1, [1, 2, 3]) == .taken)
        return phone
    }

    static func disconnect(_ phone: Phone, within milliseconds: UInt64 = 500) {
        phone.host.disconnect(onceDrainedUntil: phone.now.adding(milliseconds: milliseconds), now: phone.now)
        phone.run()
    }

    @Test("the link ends with the last packet that was reported complete")
    func drained() {
        let phone = Self.waiting()
        #expect(!phone.host.isDrained)
        Self.disconnect(phone)
        #expect(phone.last(.disconnect) == nil)
        phone.controller.completePackets(0x40, 1)
        phone.run()
        #expect(phone.last(.disconnect) == "40 00 13")
        #expect(!phone.isConnected)
    }

    @Test("or when the time is over")
    func late() {
        let phone = Self.waiting()
        Self.disconnect(phone)
        phone.pass(milliseconds: 499)
        #expect(phone.last(.disconnect) == nil)
        phone.pass(milliseconds: 1)
        #expect(phone.last(.disconnect) == "40 00 13")
    }

    @Test("at once, where nothing waits, in either role")
    func atOnce() {
        for phone in [Phone.asCentral(), Phone.connected()] {
            #expect(phone.host.isDrained)
            Self.disconnect(phone)
            #expect(phone.last(.disconnect) == "40 00 13")
        }
        // Without a link there is nothing to end.
        let phone = Phone.central()
        Self.disconnect(phone)
        #expect(phone.last(.disconnect) == nil)
        #expect(phone.deadline == nil)
    }
}
