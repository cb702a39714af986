import CBOR
import Testing

@testable import Credentials
@testable import Trust

/// Payloads that signers really signed, in every form but the right one.
@Suite struct BundleEncodingTests {
    /// The members of a good payload, as encoded values by name.
    private func members() throws -> [(String, [UInt8])] {
        let pairs = try CBORDocument(parsing: TestBundle().bundle().encoded()).root.pairs ?? []
        return pairs.map { ($0.key.text ?? "", $0.value.source) }
    }

    /// A map with these members in this order, whatever they are.
    private func map(_ members: [(String, [UInt8])]) throws -> [UInt8] {
        [0xA0 + UInt8(members.count)] + (try members.flatMap { member in try CBORWriter.encode { $0.text(member.0) } + member.1 })
    }

    private func reason(_ payload: [UInt8]) throws -> TrustBundleError? {
        switch try TestBundle.answer(TestBundle.signed(payload), TestBundle.root()) {
        case .success: nil
        case .failure(let error): error
        }
    }

    private func malformed(_ payload: [UInt8]) throws -> CBORError.Reason? {
        guard case .malformed(let error) = try reason(payload) else { return nil }
        return error.reason
    }

    private func with(_ name: String, _ value: [UInt8]) throws -> [UInt8] {
        try map(members().map { $0.0 == name ? ($0.0, value) : $0 })
    }

    /// A list of one map.
    private func list(_ members: (inout CBORMapWriter) -> Void) throws -> [UInt8] {
        try CBORWriter.encode { $0.array { $0.map(members) } }
    }

    @Test func theHelperMakesTheRealThing() throws {
        #expect(try map(members()) == TestBundle().bundle().encoded())
        #expect(try reason(map(members())) == nil)
    }

    @Test("an encoding that is not deterministic is refused, however well signed")
    func deterministic() throws {
        let good = try members()
        #expect(try malformed(map(good.reversed())) == .unsortedKeys)
        #expect(try malformed(map(good + [good[0]])) != nil)
        #expect(try malformed(map([good[0]] + good)) == .duplicateKey)
        #expect(try malformed(with("sequence", [0x18, 7])) == .notShortest)
        #expect(try malformed(with("sequence", [0x1B, 0, 0, 0, 0, 0, 0, 0, 7])) == .notShortest)
        #expect(try malformed(with("clock", [0x7F, 0x66] + "reject".utf8 + [0xFF])) == .indefiniteLength)
        #expect(try malformed(with("lists", [0x9F, 0xFF])) == .indefiniteLength)
        #expect(try malformed([0xBF] + map(good).dropFirst() + [0xFF]) == .indefiniteLength)
        #expect(try malformed(map(good) + [0]) == .trailingBytes)
    }

    @Test("contents in another order, or twice, are refused")
    func order() throws {
        let contexts = try CBORDocument(parsing: TestBundle().bundle().encoded()).root["contexts"]?.elements?.map(\.source) ?? []
        #expect(contexts.count == 2)
        #expect(try malformed(with("contexts", [0x82] + contexts[1] + contexts[0])) == .unsortedKeys)
        #expect(try reason(with("contexts", [0x82] + contexts[0] + contexts[0])) == .duplicate(.context, name: "https://a.example/v1"))
    }

    @Test("members that are missing, unknown or of another type are refused")
    func shapes() throws {
        let good = try members()
        for index in good.indices {
            var less = good
            let name = less.remove(at: index).0
            #expect(try malformed(map(less)) == .missing, "without \(name)")
            #expect(try reason(with(name, [0xF6])) != nil, "\(name) null")
        }
        // Sorts after all others.
        #expect(try malformed(map(good + [("gatehouse-trust-bundle-2", [1])])) == .leftover)
        #expect(try reason(with("gatehouse-trust-bundle", [2])) == .unsupportedVersion)
        #expect(try reason(with("sequence", [0x20])) == .sequenceRefused)
        #expect(try reason(with("sequence", [0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])) == .sequenceRefused)
        #expect(try reason(with("clock", [0x66] + "Reject".utf8)) == .clockPolicyRefused)
        #expect(try malformed(with("notAfter", [0xFB, 0x41, 0xDA, 0xD2, 0x74, 0x80, 0x00, 0x00, 0x01])) == .wrongType)
        #expect(try malformed(with("notAfter", [0xC1, 0x1A, 0x6B, 0x49, 0xD2, 0x00])) == .wrongType, "tag 1")
        #expect(try malformed(with("issuers", [0xA0])) == .wrongType)
        #expect(try malformed(with("issuers", [0x81, 0xA0])) == .missing)
        let urlInOctets = try list { entry in
            entry.entry("url") { $0.bytes([0x61]) }
            entry.entry("bytes") { $0.bytes([]) }
        }
        #expect(try malformed(with("contexts", urlInOctets)) == .wrongType)
        let notCanonical = try list { entry in
            entry.entry("name") { $0.text("a") }
            entry.entry("entry") { $0.bytes([0x20]) }
        }
        #expect(try reason(with("issuers", notCanonical)) == .entryNotCanonical(name: "a"))
        #expect(try malformed([0x80]) == .wrongType)
        #expect(try malformed([0xA0]) == .missing)
        #expect(try malformed([]) == .truncated)
        // More levels and more items than a bundle has.
        #expect(try malformed(with("lists", [UInt8](repeating: 0x81, count: 40) + [0x00])) == .tooDeep)
        #expect(try malformed(with("lists", [0x9A, 0x00, 0x01, 0x60, 0x01] + [UInt8](repeating: 0, count: 90_113))) == .tooManyItems)
    }

    /// One element of `sections`.
    private func section(_ kind: String, _ version: Int64, content: [UInt8] = []) throws -> [UInt8] {
        try CBORWriter.encode { writer in
            writer.map {
                $0.entry("kind") { $0.text(kind) }
                $0.entry("version") { $0.integer(version) }
                $0.entry("content") { $0.bytes(content) }
            }
        }
    }

    @Test("a section that is not known here is refused by its name, whatever is in it")
    func sections() throws {
        let good = try members()
        func bundle(_ sections: [UInt8]) throws -> [UInt8] {
            // Its place is before `sequence`.
            let place = try #require(good.firstIndex { $0.0 == "sequence" })
            return try map(Array(good[..<place]) + [("sections", sections)] + Array(good[place...]))
        }
        #expect(try reason(bundle([0x81] + section("mdoc-roots", 1))) == .sectionUnknown(kind: "mdoc-roots", version: 1))
        #expect(try reason(bundle([0x81] + section("issuers", 2, content: [0xFF]))) == .sectionUnknown(kind: "issuers", version: 2))
        #expect(
            try reason(bundle([0x82] + section("a", 1) + section("b", 7))) == .sectionUnknown(kind: "a", version: 1), "the first of them")
        #expect(try malformed(bundle([0x80])) == .missing, "no member where there is no section")
        #expect(try malformed(bundle([0x81, 0xA0])) == .missing)
        #expect(try malformed(bundle([0xA0])) == .wrongType)
        #expect(try malformed(bundle([0x81] + section("", 1))) == .wrongType)
    }
}
