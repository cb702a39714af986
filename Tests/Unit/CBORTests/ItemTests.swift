import CBOR
import Testing

@Suite struct ItemTests {
    private func failure<Value>(_ body: () throws(CBORError) -> Value) -> CBORError? {
        do throws(CBORError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    /// The bytes a digest is made of: those that came, whatever their form.
    @Test func spans() throws {
        let item = try root("a2 01 d818458301020304 190200 9f18005f4101ffff", .tolerant)
        let pairs = try #require(item.pairs)
        #expect(pairs[0].value.sourceRange == 2..<10 && pairs[0].value.source == hex("d818458301020304"))
        #expect(pairs[1].key.sourceRange == 10..<13 && pairs[1].value.sourceRange == 13..<21)
        #expect(pairs[1].value.elements?.map(\.source) == [hex("1800"), hex("5f4101ff")])
        let length = pairs[0].value.withSource { $0.count }
        #expect(length == 8)
    }

    @Test func wrongTypes() throws {
        for (text, _) in AppendixATests.accepted {
            let item = try root(text)
            #expect(
                [
                    item.uint64 != nil || item.int64 != nil || item.kind == .negative, item.bytes != nil, item.text != nil,
                    item.elements != nil, item.pairs != nil, item.tag != nil, item.simple != nil, item.float != nil,
                ].count { $0 } == 1)
            #expect(item.bool == nil || item.kind == .simple)
            #expect((item[1] == nil && item["a"] == nil) || item.kind == .map)
        }
    }

    @Test func embedded() throws {
        let item = try root("d8184401830203")
        #expect(failure { () throws(CBORError) in try (item.content(of: 24) ?? item).embedded() } == CBORError(.trailingBytes, at: 1))
        #expect(item.content(of: 25) == nil)
        #expect(try root("4483010203").embedded().root.elements?.map(\.int64) == [1, 2, 3])
        #expect(failure { () throws(CBORError) in try item.embedded() }?.reason == .wrongType)
        #expect(try root("5f42830142 0203ff", .tolerant).embedded().root.elements?.count == 3)
    }

    @Test func decodingArrays() throws {
        let item = try root("83010203")
        let sum = try item.array { rest throws(CBORError) in
            var sum: UInt64 = 0
            while rest.next != nil { sum += try rest.take().require(\.uint64) }
            return sum
        }
        #expect(sum == 6)
        #expect(
            failure { () throws(CBORError) in try item.array { rest throws(CBORError) in try rest.take() } } == CBORError(.leftover, at: 2))
        #expect(
            failure { () throws(CBORError) in try item.array { rest throws(CBORError) in for _ in 0..<4 { _ = try rest.take() } } }
                == CBORError(.missing, at: 4))
        #expect(
            failure { () throws(CBORError) in try item.array { rest throws(CBORError) in try rest.take().require(\.text) } }
                == CBORError(.wrongType, at: 1))
        #expect(failure { () throws(CBORError) in try item.map { _ in } } == CBORError(.wrongType, at: 0))
    }

    @Test func decodingMaps() throws {
        let item = try root("a3 01 02 20 03 6161 04")
        let all = try item.map { rest throws(CBORError) in
            [try rest.require(1).int64, rest.take(-1)?.int64, try rest.require("a").int64, rest.take(2)?.int64]
        }
        #expect(all == [2, 3, 4, nil])
        #expect(failure { () throws(CBORError) in try item.map { $0.take(1) } } == CBORError(.leftover, at: 3))
        #expect(
            failure { () throws(CBORError) in try item.map { rest throws(CBORError) in try rest.require("b") } }
                == CBORError(.missing, at: 8))
        let one = try item.map { rest throws(CBORError) -> Int64? in
            defer { rest.ignoreOthers() }
            return try rest.require(1).int64
        }
        #expect(one == 2)
        let count = try item.map { $0.takeAll().count }
        #expect(count == 3)
        #expect(item[1]?.int64 == 2 && item["a"]?.int64 == 4 && item[7] == nil && item["b"] == nil)
        // Keys are scalars, not characters: é is not e and an accent.
        #expect(try root("a162c3a900")["e\u{301}"] == nil)
    }
}
