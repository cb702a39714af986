import CBOR
import Testing

/// RFC 8949 Appendix A, in its order.
@Suite struct AppendixATests {
    static let ascending = (1...25).map { Value.integer(Int64($0)) }

    /// What the standard options accept.
    static let accepted: [(String, Value)] = [
        ("00", .integer(0)), ("01", .integer(1)), ("0a", .integer(10)), ("17", .integer(23)), ("1818", .integer(24)),
        ("1819", .integer(25)), ("1864", .integer(100)),
        ("1903e8", .integer(1000)), ("1a000f4240", .integer(1_000_000)), ("1b000000e8d4a51000", .integer(1_000_000_000_000)),
        ("1bffffffffffffffff", .wide(.max, false)),
        ("c249010000000000000000", .tag(2, .bytes([1, 0, 0, 0, 0, 0, 0, 0, 0]))), ("3bffffffffffffffff", .wide(0, true)),
        ("c349010000000000000000", .tag(3, .bytes([1, 0, 0, 0, 0, 0, 0, 0, 0]))), ("20", .integer(-1)), ("29", .integer(-10)),
        ("3863", .integer(-100)), ("3903e7", .integer(-1000)),
        ("f90000", .double(0)), ("f98000", .double(-0.0)), ("f93c00", .double(1)), ("fb3ff199999999999a", .double(1.1)),
        ("f93e00", .double(1.5)), ("f97bff", .double(65504)),
        ("fa47c35000", .double(100_000)), ("fa7f7fffff", .double(3.4028234663852886e+38)), ("fb7e37e43c8800759c", .double(1.0e+300)),
        ("f90001", .double(5.960464477539063e-8)),
        ("f90400", .double(0.00006103515625)), ("f9c400", .double(-4)), ("fbc010666666666666", .double(-4.1)),
        ("f97c00", .double(.infinity)), ("f97e00", .double(.nan)), ("f9fc00", .double(-.infinity)),
        ("fa7f800000", .double(.infinity)), ("fa7fc00000", .double(.nan)), ("faff800000", .double(-.infinity)),
        ("fb7ff0000000000000", .double(.infinity)), ("fb7ff8000000000000", .double(.nan)),
        ("fbfff0000000000000", .double(-.infinity)), ("f4", .simple(20)), ("f5", .simple(21)), ("f6", .simple(22)), ("f7", .simple(23)),
        ("f0", .simple(16)), ("f8ff", .simple(255)),
        ("c074323031332d30332d32315432303a30343a30305a", .tag(0, .text("2013-03-21T20:04:00Z"))),
        ("c11a514b67b0", .tag(1, .integer(1_363_896_240))), ("c1fb41d452d9ec200000", .tag(1, .double(1_363_896_240.5))),
        ("d74401020304", .tag(23, .bytes([1, 2, 3, 4]))), ("d818456449455446", .tag(24, .bytes(hex("6449455446")))),
        ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", .tag(32, .text("http://www.example.com"))), ("40", .bytes([])),
        ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6161", .text("a")),
        ("6449455446", .text("IETF")), ("62225c", .text("\"\\")), ("62c3bc", .text("\u{fc}")), ("63e6b0b4", .text("\u{6c34}")),
        ("64f0908591", .text("\u{10151}")), ("80", .array([])),
        ("83010203", .array([.integer(1), .integer(2), .integer(3)])),
        ("8301820203820405", .array([.integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)])])),
        ("98190102030405060708090a0b0c0d0e0f101112131415161718181819", .array(ascending)), ("a0", .map([])),
        ("a201020304", .map([[.integer(1), .integer(2)], [.integer(3), .integer(4)]])),
        ("a26161016162820203", .map([[.text("a"), .integer(1)], [.text("b"), .array([.integer(2), .integer(3)])]])),
        ("826161a161626163", .array([.text("a"), .map([[.text("b"), .text("c")]])])),
        ("a56161614161626142616361436164614461656145", .map(["a", "b", "c", "d", "e"].map { [.text($0), .text($0.uppercased())] })),
    ]

    /// What needs `allowsIndefinite`.
    static let indefinite: [(String, Value)] = [
        ("5f42010243030405ff", .bytes([1, 2, 3, 4, 5])), ("7f657374726561646d696e67ff", .text("streaming")), ("9fff", .array([])),
        ("9f018202039f0405ffff", .array([.integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)])])),
        ("9f01820203820405ff", .array([.integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)])])),
        ("83018202039f0405ff", .array([.integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)])])),
        ("83019f0203ff820405", .array([.integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)])])),
        ("9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", .array(ascending)),
        ("bf61610161629f0203ffff", .map([[.text("a"), .integer(1)], [.text("b"), .array([.integer(2), .integer(3)])]])),
        ("826161bf61626163ff", .array([.text("a"), .map([[.text("b"), .text("c")]])])),
        ("bf6346756ef563416d7421ff", .map([[.text("Fun"), .simple(21)], [.text("Amt"), .integer(-2)]])),
    ]

    @Test func definiteItems() throws {
        for (text, value) in Self.accepted {
            let item = try root(text)
            #expect(Value(item) == value, "\(text)")
            #expect(item.sourceRange == 0..<hex(text).count && item.source == hex(text))
        }
        #expect(Self.accepted.count + Self.indefinite.count == 81)
    }

    @Test func indefiniteItems() throws {
        for (text, value) in Self.indefinite {
            #expect(Value(try root(text, .tolerant)) == value, "\(text)")
            #expect(refusal(hex(text))?.reason == .indefiniteLength, "\(text)")
            #expect(refusal(hex(text), CBOROptions(form: .deterministic, allowsIndefinite: true))?.reason == .indefiniteLength)
        }
        // A byte string in chunks with no chunk, and with empty ones.
        #expect(try root("5fff", .tolerant).bytes == [])
        #expect(try root("7f606161ff", .tolerant).text == "a")
    }

    /// The deterministic form refuses the six floats that have a shorter form, and the writer writes all the others back.
    @Test func writingBack() throws {
        var longer = 0
        for (text, value) in Self.accepted {
            if refusal(hex(text), .deterministic) != nil {
                #expect(refusal(hex(text), .deterministic)?.reason == .notShortest)
                longer += 1
            } else if case .wide(_, true) = value {
                continue
            } else {
                #expect(try CBORWriter.encode { value.write(to: &$0) } == hex(text), "\(text)")
            }
        }
        #expect(longer == 6)
    }
}
