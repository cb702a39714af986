import Testing

@testable import Appliance

@Suite("The address that is listened on")
struct ListenerAddressTests {
    @Test("an IPv4 or IPv6 address with a port, and what wallets are told of it")
    func addresses() throws {
        let plain = try ListenerAddress("192.168.7.1:80")
        #expect(plain.endpoint == "http://192.168.7.1/didcomm" && plain.callback == "http://192.168.7.1/tk/answer")
        #expect(plain.host == "192.168.7.1" && plain.port == 80 && plain.description == "192.168.7.1:80")
        #expect(try ListenerAddress("192.168.7.1:8080").endpoint == "http://192.168.7.1:8080/didcomm")
        let six = try ListenerAddress("[fd00::7]:80")
        #expect(six.endpoint == "http://[fd00::7]/didcomm" && six.host == "fd00::7" && six.description == "[fd00::7]:80")
        #expect(try ListenerAddress("[::1]:65535").callback == "http://[::1]:65535/tk/answer")
        #expect(try ListenerAddress("127.0.0.1:1").port == 1)
    }

    @Test("no name, no port, no other form, and not all addresses at once")
    func refused() {
        let texts = [
            "", ":", "80", "192.168.7.1", "192.168.7.1:", ":80", "192.168.7.1:0", "192.168.7.1:65536", "192.168.7.1:+80", "192.168.7.1:-1",
            "192.168.7.1: 80", "192.168.7.256:80", "192.168.7:80", "gate.local:80", "fd00::7:80", "[fd00::7]", "[fd00::7]80", "[]:80",
            "[192.168.7.1]:80", "[fe80::1%wlan0]:80", "http://192.168.7.1:80", "192.168.7.1:80/", " 192.168.7.1:80", "0.0.0.0:80",
            "[::]:80",
            String(repeating: "1", count: 100) + ":80", "192.168.7.1:08000000",
        ]
        for text in texts { #expect(throws: ConfigurationError.self, "\(text)") { try ListenerAddress(text) } }
    }
}

@Suite("How much of what is posted is looked at")
struct ListenerBudgetTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("a few at once, then so many in a second, whatever comes")
    func budget() {
        for (octets, most) in [(100, 24 + 32), (512 << 10, 2 + 2)] {
            var budget = ListenerBudget(), taken = 0
            for tick in 0..<UInt64(1000) where budget.next(5 * Self.second + tick * Self.second / 1000) == nil {
                budget.pay(octets, at: 5 * Self.second + tick * Self.second / 1000)
                taken += 1
            }
            #expect(taken >= most - 2 && taken <= most + 1, "\(taken) of \(octets)")
        }
    }

    @Test("when there is something left again is said, and then there is")
    func next() throws {
        var budget = ListenerBudget()
        for _ in 0..<4 { budget.pay(512 << 10, at: 7) }
        let next = budget.next(7)
        let due = try #require(next)
        let early = budget.next(due - 1), there = budget.next(due)
        #expect(due > 7 && early != nil && there == nil)
        // A clock that stands still, or goes back, earns nothing and traps nothing.
        budget.pay(512 << 10, at: 0)
        let still = budget.next(0), late = budget.next(.max)
        #expect(still != nil && late == nil)
    }
}
