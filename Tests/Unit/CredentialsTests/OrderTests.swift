import Cryptography
import JSON
import Testing

@testable import Credentials
@testable import Envelopes
@testable import Trust

@Suite struct OrderTests {
    private static let made = TestCredential.now

    private static func order(
        _ kind: Order.Kind = .export, _ number: Int64 = 7, _ gates: Order.Gates = .these(["10000000abcdef01"]), created: Int64 = made,
        notAfter: Int64 = made + 1000, _ content: String = "{}"
    ) throws(OrderError) -> Order {
        try Order(kind: kind, number: number, gates: gates, created: created, notAfter: notAfter, content: Array(content.utf8))
    }

    private static func signed(_ order: Order, by signers: [TestSigner] = [.alice, .bob]) throws -> SignedOrder {
        let first = try #require(signers.first)
        var signed = try SignedOrder(signing: order, as: first.id, with: first.key())
        for signer in signers.dropFirst() { signed = try signed.signed(as: signer.id, with: signer.key()) }
        return signed
    }

    private static func answer(_ octets: [UInt8], _ root: TrustRoot) -> Result<Order, OrderError> {
        Result { () throws(OrderError) in try SignedOrder(octets).verify(root) }
    }

    private func refusal(_ body: () throws(OrderError) -> Order) -> OrderError? {
        do throws(OrderError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    private func read(_ text: String) -> OrderError? { refusal { () throws(OrderError) in try Order(decoding: Array(text.utf8)) } }

    @Test("an order has one encoding, which a signer can read")
    func encoding() throws {
        let order = try Self.order(.export, 7, .these(["b", "a"]), created: 1_800_000_000, notAfter: 1_800_000_060, #"{"b":1, "a":"é"}"#)
        let text =
            #"{"content":{"a":"é","b":1},"created":"2027-01-15T08:00:00Z","gatehouse-order":1,"gates":["a","b"],"kind":"export","#
            + #""notAfter":"2027-01-15T08:01:00Z","number":7}"#
        #expect(String(decoding: order.encoded, as: UTF8.self) == text)
        #expect(try Order(decoding: Array(text.utf8)) == order)
        #expect(try Order(text: Array(("\n " + text.replacing(",", with: " , ")).utf8)) == order, "as a person writes it")
        #expect(read(text.replacing(",", with: " ,")) == .notCanonical)
        #expect(read(text.replacing(#"["a","b"]"#, with: #"["b","a"]"#)) == .notCanonical)
        #expect(read(text.replacing("08:00:00Z", with: "09:00:00+01:00")) == .notCanonical)
        #expect(read(text.replacing(#"["a","b"]"#, with: #""all""#)) == nil)
    }

    @Test("as many signers as a trust bundle needs, and the same ones")
    func threshold() throws {
        let root = try TestBundle.root(), order = try Self.order()
        for signers in [[.alice, .bob], [.bob, .carol], [.mallory, .carol, .alice]] as [[TestSigner]] {
            #expect(try Self.answer(Self.signed(order, by: signers).octets, root) == .success(order))
        }
        for signers in [[.alice], [.alice, .mallory], [.alice, TestSigner("bob", 66)]] as [[TestSigner]] {
            #expect(try Self.answer(Self.signed(order, by: signers).octets, root) == .failure(.signature(.thresholdNotMet)))
        }
        #expect(throws: OrderError.signature(.alreadySigned)) { try Self.signed(order, by: [.alice, .alice]) }
        #expect(Self.answer(order.encoded, root) == .failure(.signature(.notSigned)), "unsigned")
        #expect(Self.answer(Array("\r\n\t {".utf8), root) == .failure(.signature(.notSigned)), "also where it is nothing else")
        guard case .failure(.signature(.malformed)) = Self.answer(Array("x".utf8), root) else {
            return #expect(Bool(false), "what is neither is not in the one encoding")
        }
    }

    @Test("no order passes for a bundle, and no bundle for an order")
    func purposes() throws {
        let root = try TestBundle.root(), order = try Self.order(), bundle = try TestBundle().signed()
        #expect(try TestBundle.answer(Self.signed(order).octets, root) == .failure(.thresholdNotMet))
        #expect(Self.answer(bundle.octets, root) == .failure(.signature(.thresholdNotMet)))
        #expect(
            try Self.answer(TestBundle.signed(order.encoded), root) == .failure(.signature(.thresholdNotMet)),
            "an order's words under a bundle's signatures")
        let other = try TestBundle.signed(TestBundle().bundle().encoded(), aad: Array("gatehouse order 1".utf8))
        guard case .failure(.malformed) = Self.answer(other, root) else {
            return #expect(Bool(false), "a bundle under an order's signatures")
        }
    }

    @Test("cut at any length or with any octet changed, no other order comes out")
    func damage() throws {
        let root = try TestBundle.root(), order = try Self.order(), octets = try Self.signed(order).octets
        for length in 0..<octets.count { #expect((try? Self.answer(Array(octets[..<length]), root).get()) == nil, "cut at \(length)") }
        for index in octets.indices {
            var damaged = octets
            damaged[index] ^= 0x01
            if let found = try? Self.answer(damaged, root).get() { #expect(found == order, "octet \(index)") }
        }
        #expect((try? Self.answer(octets + [0], root).get()) == nil)
        #expect(Self.answer([UInt8](repeating: 0, count: Order.largest + 1), root) == .failure(.signature(.tooLarge)))
    }

    @Test("members that are unknown, missing, twice or of the wrong type are refused by name")
    func members() throws {
        let good = try String(decoding: Self.order().encoded, as: UTF8.self)
        #expect(read(good) == nil)
        func malformed(
            _ from: String, _ to: String, _ member: String, _ reason: TrustError.Reason, _ line: SourceLocation = #_sourceLocation
        ) {
            #expect(good.contains(from), sourceLocation: line)
            #expect(
                read(good.replacing(from, with: to)) == .malformed(TrustError(file: "order", member: member, reason: reason)),
                sourceLocation: line)
        }
        malformed(#""kind""#, #""kid":1,"kind""#, "kid", .unknown)
        malformed(#""kind":"export","#, "", "kind", .missing)
        malformed(#""number":7"#, #""number":"7""#, "number", .wrongType)
        malformed(#""number":7"#, #""number":7.5"#, "number", .wrongType)
        malformed(#""content":{}"#, #""content":[]"#, "content", .wrongType)
        malformed(#""gates":["10000000abcdef01"]"#, #""gates":[]"#, "gates", .wrongType)
        malformed(#""gates":["10000000abcdef01"]"#, #""gates":["a","a"]"#, "gates[1]", .duplicate)
        malformed(#""gates":["10000000abcdef01"]"#, #""gates":"ALL""#, "gates", .wrongType)
        malformed(#""gatehouse-order":1"#, #""gatehouse-order":2"#, "gatehouse-order", .unsupportedVersion)
        #expect(read(good.replacing("export", with: "open")) == .kindUnknown("open"))
        guard case .malformed(let error) = read(good.replacing(#""number":7"#, with: #""number":7,"number":7"#)),
            case .malformed = error.reason
        else {
            return #expect(Bool(false), "a member twice")
        }
    }

    @Test("numbers, times, gates and contents that cannot be are refused")
    func values() throws {
        for number in [0, -1, .min, .max, TrustBundle.largestSequence + 1] as [Int64] {
            #expect(refusal { () throws(OrderError) in try Self.order(.export, number) } == .numberRefused)
        }
        #expect(refusal { () throws(OrderError) in try Self.order(.export, TrustBundle.largestSequence) } == nil)
        for (created, end, error) in [
            (Self.made, Self.made, .windowRefused), (Self.made, 0, .windowRefused), (-1, Self.made, .timeRefused),
            (Self.made, .max, .timeRefused),
        ] as [(Int64, Int64, OrderError)] {
            #expect(refusal { () throws(OrderError) in try Self.order(created: created, notAfter: end) } == error)
        }
        for ids in [
            [], ["all"], [""], ["a b"], ["-a"], ["ä"], [String(repeating: "a", count: 65)], ["a", "b", "a"],
            Array(repeating: "a", count: 1001),
        ] {
            #expect(refusal { () throws(OrderError) in try Self.order(.export, 1, .these(ids)) } == .gatesRefused, "\(ids)")
        }
        #expect(
            refusal { () throws(OrderError) in try Self.order(.export, 1, .these([String(repeating: "a", count: 64), "Z-._9"])) } == nil)
        for content in ["", "[]", "1", "{", #"{"a":1,"a":1}"#] {
            #expect(refusal { () throws(OrderError) in try Self.order(.export, 1, .all, content) } == .contentRefused, "\(content)")
        }
    }

    @Test("an order is for its kind and its gates only")
    func addressees() throws {
        func check(_ order: Order, _ kind: Order.Kind, _ gate: String?) -> OrderError? {
            refusal { () throws(OrderError) in
                try order.check(kind, for: gate)
                return order
            }
        }
        let one = try Self.order(.export, 1, .these(["a", "b"])), all = try Self.order(.export, 1, .all)
        #expect(check(one, .export, "b") == nil && check(all, .export, "c") == nil && check(all, .export, nil) == nil)
        #expect(check(one, .export, "c") == .forOthers(this: "c"))
        #expect(check(one, .export, "A") == .forOthers(this: "A"))
        #expect(check(one, .export, nil) == .noGateID)
        #expect(check(all, .site, "a") == .wrongKind(found: .export, wanted: .site))
    }

    @Test("an order for the clock: its time lies in its use, and its use is short")
    func clocks() throws {
        let now = Self.made
        func time(_ content: String, notAfter: Int64 = now + 86_400) throws(OrderError) -> TimeOrder {
            try TimeOrder(Self.order(.time, 1, .all, created: now, notAfter: notAfter, content))
        }
        func refused(_ content: String, notAfter: Int64 = now + 86_400) -> OrderError? {
            do throws(OrderError) {
                _ = try time(content, notAfter: notAfter)
                return nil
            } catch {
                return error
            }
        }
        #expect(try time("{}").time == now && time("{}").mayTurnBack == false)
        let later = try #require(Timestamp.text(now + 3600))
        #expect(try time(#"{"time":"\#(later)","turnBack":true}"#).time == now + 3600)
        #expect(refused("{}", notAfter: now + TimeOrder.longestUse) == nil)
        #expect(refused("{}", notAfter: now + TimeOrder.longestUse + 1) == .useTooLong)
        for moment in [now - 1, now + 86_400] {
            #expect(try refused(#"{"time":"\#(#require(Timestamp.text(moment)))"}"#) == .useTooLong)
        }
        #expect(refused(#"{"times":1}"#) == .malformed(TrustError(file: "order", member: "times", reason: .unknown)))
        #expect(refused(#"{"time":1}"#) == .malformed(TrustError(file: "order", member: "time", reason: .wrongType)))
        #expect(refused(#"{"turnBack":"yes"}"#) == .malformed(TrustError(file: "order", member: "turnBack", reason: .wrongType)))
    }

    @Test("the record of what was taken: one encoding, no damage is taken for lower numbers, other kinds are kept")
    func numbers() throws {
        var numbers = OrderNumbers()
        numbers.raise(.time, to: 5)
        numbers.raise(.time, to: 4)
        numbers.raise(.site, to: 2)
        #expect(numbers.highest(.time) == 5 && numbers.highest(.site) == 2 && numbers.highest(.export) == 0)
        let octets = try #require(numbers.encoded)
        #expect(OrderNumbers(decoding: octets) == numbers)
        for length in 0..<octets.count { #expect(OrderNumbers(decoding: Array(octets[..<length])) == nil) }
        for index in octets.indices {
            var damaged = octets
            damaged[index] ^= 1
            #expect(OrderNumbers(decoding: damaged) == nil, "octet \(index)")
        }
        // What a later version may count.
        let text = #"{"gatehouse-orders":1,"numbers":{"door":9}"#
        let digest = try Digest.hash(Array(text.utf8).span, .sha256)
        var later = try #require(OrderNumbers(decoding: Array("\(text),\"sha256\":\"\(Hexadecimal.text(digest))\"}\n".utf8)))
        later.raise(.site, to: 3)
        #expect(try String(decoding: #require(later.encoded), as: UTF8.self).contains(#"{"door":9,"site":3}"#))
        #expect(later.union(numbers).highest(.site) == 3 && later.union(numbers).highest(.time) == 5)
    }
}
