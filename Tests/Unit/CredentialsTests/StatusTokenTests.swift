import CBOR
import Foundation
import JSON
import TestSupport
import Testing

@testable import Credentials

@Suite struct StatusTokenTests {
    private func list(_ bits: UInt64, _ octets: [UInt8]) throws -> TokenStatusList {
        try TokenStatusList(bits: bits, compressed: zlib(octets))
    }

    /// Section 4.1's examples of how entries lie in octets.
    @Test func leastSignificantBitFirst() throws {
        let one = try list(1, [0xB9, 0xA3])
        #expect((0..<16).map { one.value(at: $0) } == [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1])
        #expect(one.count == 16 && one.value(at: 16) == nil)
        let two = try list(2, [0xC9, 0x44, 0xF9])
        #expect((0..<12).map { two.value(at: $0) } == [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3])
        #expect(
            (0..<13).map { two.status(at: $0) } == [
                .revoked, .suspended, .good, .unknown, .good, .revoked, .good, .revoked, .revoked, .suspended, .unknown, .unknown, .unknown,
            ])
        let four = try list(4, [0x21, 0xF3])
        #expect((0..<5).map { four.value(at: $0) } == [1, 2, 3, 15, nil])
        let eight = try list(8, [0, 1, 2, 3, 0xFF])
        #expect((0..<6).map { eight.status(at: $0) } == [.good, .revoked, .suspended, .unknown, .unknown, .unknown])
        for index: UInt64 in [.max, .max / 8 + 1, 1 << 61, 1 << 32] {
            #expect(one.value(at: index) == nil && eight.status(at: index) == .unknown)
        }
    }

    @Test func refusals() throws {
        let octets = [UInt8](repeating: 1, count: 1000), good = zlib(octets)
        func answer(_ compressed: [UInt8], _ bits: UInt64 = 1) -> StatusListError? {
            refusal { () throws(StatusListError) in try TokenStatusList(bits: bits, compressed: compressed) }
        }
        #expect(answer(good) == nil)
        for bits: UInt64 in [0, 3, 5, 6, 7, 9, 16, .max] { #expect(answer(good, bits) == .sizeRefused) }
        #expect(answer(good + [0]) == .trailingBytes && answer(good + good) == .trailingBytes)
        #expect(answer(Gzip().member(octets)) == .corrupt)
        #expect(answer(Array(good.dropFirst(2))) == .corrupt, "deflate without its container")
        #expect(answer(zlib(octets, dictionary: octets)) == .corrupt)
        #expect(answer(zlib([UInt8](repeating: 0, count: 4 << 20 + 1))) == .tooLarge)
        #expect(answer(zlib([UInt8](repeating: 0, count: 4 << 20))) == nil)
        // A list of nothing is a list without entries.
        #expect(try list(1, []).status(at: 0) == .unknown)
        for length in good.indices { #expect(answer(Array(good[..<length])) == .truncated) }
        for position in good.indices {
            for bit in 0..<8 {
                var mutant = good
                mutant[position] ^= 1 << bit
                // Some bits only choose another way to the same octets; the checksum sees to the rest.
                let read = try? TokenStatusList(bits: 1, compressed: mutant)
                #expect(read == nil || read?.octets == octets, "bit \(bit) of \(position)")
            }
        }
    }

    @Test func members() throws {
        func json(_ text: String) throws -> StatusListError? {
            let value = try JSONDocument(parsing: Array(text.utf8)).root
            return refusal { () throws(StatusListError) in try TokenStatusList(value) }
        }
        #expect(try json(#"{"bits":1,"lst":"eNrbuRgAAhcBXQ"}"#) == nil)
        #expect(try json(#"{"bits":1,"lst":"eNrbuRgAAhcBXQ","aggregation_uri":"https://example.com"}"#) == nil)
        for text in [
            #"{"lst":"eNrbuRgAAhcBXQ"}"#, #"{"bits":1}"#, #"{"bits":"1","lst":"eNrbuRgAAhcBXQ"}"#, #"{"bits":1.0,"lst":"eNrbuRgAAhcBXQ"}"#,
            #"{"bits":1,"lst":"eNrbuRgAAhcBXQ=="}"#, "[]", "null",
        ] {
            #expect(try json(text) == .malformed, "\(text)")
        }
        #expect(try json(#"{"bits":-1,"lst":"eNrbuRgAAhcBXQ"}"#) == .sizeRefused)
        func cbor(_ text: String) throws -> StatusListError? {
            let item = try CBORDocument(parsing: hex(text)).root
            return refusal { () throws(StatusListError) in try TokenStatusList(item) }
        }
        #expect(try cbor("a2646269747301636c73744a78dadbb918000217015d") == nil)
        #expect(try cbor("a2646269747303636c73744a78dadbb918000217015d") == .sizeRefused)
        for text in ["a0", "80", "a1646269747301", "a2646269747320636c737440", "a2646269747301636c737460"] {
            #expect(try cbor(text) == .malformed)
        }
    }

    // MARK: The draft's own examples

    /// Entries that are not zero (draft-ietf-oauth-status-list, "Test vectors for Status List encoding"), in lists of 2^20.
    static let entries: [UInt64: [UInt64: UInt8]] = [
        1: [0: 1, 1993: 1, 25460: 1, 159_495: 1, 495_669: 1, 554_353: 1, 645_645: 1, 723_232: 1, 854_545: 1, 934_534: 1, 1_000_345: 1],
        2: [0: 1, 1993: 2, 25460: 1, 159_495: 3, 495_669: 1, 554_353: 1, 645_645: 2, 723_232: 1, 854_545: 1, 934_534: 2, 1_000_345: 3],
        4: [
            0: 1, 1993: 2, 35460: 3, 459_495: 4, 595_669: 5, 754_353: 6, 845_645: 7, 923_232: 8, 924_445: 9, 934_534: 10, 1_004_534: 11,
            1_000_345: 12, 1_030_203: 13, 1_030_204: 14, 1_030_205: 15,
        ],
    ]

    private func example(_ name: String) throws -> String {
        let text = try String(contentsOf: Suites.tokenLists.appending(path: name), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.contains("=") && !$0.contains("encoded") }
        return lines.joined().filter { !$0.isWhitespace }
    }

    private func json(_ name: String) throws -> TokenStatusList {
        try TokenStatusList(JSONDocument(parsing: Array(example(name).utf8)).root)
    }
    private func cbor(_ name: String) throws -> TokenStatusList { try TokenStatusList(CBORDocument(parsing: hex(example(name))).root) }

    @Test(.enabled(if: Suites.isPresent(Suites.tokenLists), Suites.absent))
    func shortExamples() throws {
        for one in [try json("status_list_encoding_json.md"), try cbor("status_list_encoding_cbor.md")] {
            #expect(one.size == 1 && one.octets == [0xB9, 0xA3])
        }
        for two in [try json("status_list_encoding2_json.md"), try cbor("status_list_encoding2_cbor.md")] {
            #expect(two.size == 2 && two.octets == [0xC9, 0x44, 0xF9])
        }
    }

    @Test(
        .enabled(if: Suites.isPresent(Suites.tokenLists), Suites.absent),
        arguments: [
            (1, "status_list_encoding1_long_json.md", "status_list_encoding1_long_cbor.md"),
            (2, "status_list_encoding2_long_json.md", "status_list_encoding2_long_cbor.md"),
            (4, "status_list_encoding4_json.md", "status_list_encoding4_cbor.md"),
            (8, "status_list_encoding8_json.md", "status_list_encoding8_cbor.md"),
        ] as [(UInt64, String, String)])
    func longExamples(_ bits: UInt64, _ jsonFile: String, _ cborFile: String) throws {
        let lists = [try json(jsonFile), try cbor(cborFile)]
        for list in lists {
            #expect(list.size == bits && list.count == 1 << 20)
            var found: [UInt64: UInt8] = [:]
            for index in 0..<list.count { if let value = list.value(at: index), value != 0 { found[index] = value } }
            if let expected = Self.entries[bits] {
                #expect(found == expected)
            } else {
                // Every value of an octet once; zero is everywhere.
                #expect(found.count == 255 && Set(found.values).count == 255)
                #expect(found[52_451] == 1 && found[576_778] == 2)
            }
        }
        #expect(lists[0].octets == lists[1].octets)
    }

    /// The list's and the credential's own tokens as CWTs. Their key is not among the examples, so they are only taken apart.
    @Test(.enabled(if: Suites.isPresent(Suites.tokenLists), Suites.absent))
    func tokens() throws {
        let list = try CWT(hex(example("status_list_cwt.md")))
        #expect(
            list.signed.algorithm == .es256 && list.signed.header.keyID == Array("12".utf8)
                && list.signed.header.type?.isText("application/statuslist+cwt") == true)
        let claims = try CWTClaims(CBORDocument(parsing: list.signed.payload).root)
        #expect(
            claims.subject == "https://example.com/statuslists/1" && claims.times.validity.expires == 2_291_720_170
                && claims.all[65_534]?.int64 == 43_200)
        let entries = try TokenStatusList(try #require(claims.all[65_533]))
        #expect(entries.octets == [0xB9, 0xA3] && entries.status(at: 0) == .revoked && entries.status(at: 1) == .good)
        let token = try CWTClaims(CBORDocument(parsing: CWT(hex(example("referenced_token_cwt.md"))).signed.payload).root)
        let reference = try #require(token.all[65_535]?["status_list"])
        #expect(reference["uri"]?.text == claims.subject && reference["idx"]?.uint64 == 0)
    }
}
