import HTTP
import TestSupport
import Testing

@Suite("Who gets one of the four places")
struct PlacesTests {
    private static let second: UInt64 = 1_000_000_000
    private func network(_ number: UInt32) -> ClientNetwork { ClientNetwork(ipv4: number) }

    /// Four strangers, a nanosecond apart.
    private func full() -> Places {
        var places = Places()
        for number in 0..<UInt32(Places.count) { #expect(places.admit(network(number), at: UInt64(number)) == .free(Int(number))) }
        return places
    }

    @Test("four at once, each safe for five seconds of reading; then the one that is read longest makes room")
    func safety() {
        var places = full()
        #expect(places.admit(network(9), at: Places.safeTime - 1) == .refused)
        #expect(places.admit(network(9), at: Places.safeTime) == .instead(of: 0))
        #expect(places.admit(network(10), at: Places.safeTime) == .refused)
        #expect(places.admit(network(10), at: Places.safeTime + 1) == .instead(of: 1))
        places.leave(3)
        #expect(places.admit(network(11), at: Places.safeTime + 1) == .free(3))
    }

    @Test("nobody has more than two, and a second one is lent")
    func shares() {
        var places = Places()
        #expect(places.admit(network(1), at: 0) == .free(0))
        #expect(places.admit(network(1), at: 0) == .free(1))
        #expect(places.admit(network(1), at: 100 * Self.second) == .refused)
        #expect(places.admit(network(2), at: 0) == .free(2))
        #expect(places.admit(network(2), at: 0) == .free(3))
        // Who has one asks for a second one where none is free.
        #expect(places.admit(network(3), at: 1) == .instead(of: 1))
        #expect(places.admit(network(4), at: 1) == .instead(of: 3))
        #expect(places.admit(network(3), at: 2) == .refused)
        #expect(places.admit(network(5), at: 2) == .refused)
    }

    @Test("one stranger with one address never keeps anybody else out, however long it holds on")
    func stranger() {
        var places = Places(), now: UInt64 = 0
        for round in 0..<1000 as Range<UInt32> {
            now += Self.second / 10
            for _ in 0..<4 { _ = places.admit(network(1), at: now) }
            let admission = places.admit(network(100 + round), at: now)
            guard case .free(let index) = admission else {
                Issue.record("\(admission) in round \(round)")
                return
            }
            places.leave(index)
        }
    }

    @Test("strangers with as many addresses as they like keep somebody out for five seconds at most")
    func strangers() {
        for start in stride(from: 0, to: 6 * Self.second, by: Int(Self.second / 4)) {
            var places = full(), now = UInt64(start), hasPlace = false
            while now <= UInt64(start) + Places.safeTime, !hasPlace {
                if case .instead = places.admit(network(9), at: now) { hasPlace = true }
                now += Self.second / 4
            }
            #expect(hasPlace)
        }
    }

    @Test("a whole request is safe")
    func whole() {
        var places = full()
        for index in 0..<Places.count { places.keep(index) }
        #expect(places.admit(network(9), at: .max) == .refused)
        places.leave(2)
        #expect(places.admit(network(9), at: .max) == .free(2))
        places.keep(-1)
        places.leave(4)
        var pair = Places()
        for _ in 0..<2 { _ = pair.admit(network(1), at: 0) }
        for number in 2...3 as ClosedRange<UInt32> { _ = pair.admit(network(number), at: 0) }
        // Of its two places the one that is whole is kept, also if it is the later.
        pair.keep(1)
        #expect(pair.admit(network(4), at: 0) == .instead(of: 0))
    }

    @Test("an IPv6 host is its first 64 bits, an IPv4 address in one is that")
    func networks() {
        func address(_ groups: [UInt16]) -> ClientNetwork {
            ClientNetwork(ipv6: groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        }
        let first = address([0xFD00, 0, 0, 1, 0, 0, 0, 1])
        #expect(first == address([0xFD00, 0, 0, 1, 9, 9, 9, 9]))
        #expect(first != address([0xFD00, 0, 0, 2, 0, 0, 0, 1]))
        #expect(address([0, 0, 0, 0, 0, 0xFFFF, 0xC0A8, 0x0701]) == ClientNetwork(ipv4: 0xC0A8_0701))
        #expect(address([0, 0, 0, 0, 0, 0, 0xC0A8, 0x0701]) != ClientNetwork(ipv4: 0))
        #expect(ClientNetwork(ipv6: []) == address([0, 0, 0, 0, 0, 0, 0, 0]))
    }

    @Test("whatever comes and goes, nobody has more than its share and no place two holders")
    func anything() {
        var random = SeededRandom(seed: 4), places = Places(), now: UInt64 = 0
        var held: [Int: ClientNetwork] = [:]
        for _ in 0..<20_000 {
            now += UInt64.random(in: 0...2 * Self.second, using: &random)
            let index = Int.random(in: 0..<Places.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                places.leave(index)
                held[index] = nil
            case 1: places.keep(index)
            default:
                let network = network(UInt32.random(in: 0..<5, using: &random))
                switch places.admit(network, at: now) {
                case .free(let place):
                    #expect(held[place] == nil)
                    held[place] = network
                case .instead(let place):
                    #expect(held[place] != nil && held.count == Places.count)
                    held[place] = network
                case .refused: break
                }
                #expect(held.values.count { $0 == network } <= Places.mostOfOne)
            }
        }
    }
}
