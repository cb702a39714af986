import Foundation
import JSON
import TestSupport
import Testing

@testable import Credentials

@Suite struct StatusBitstringTests {
    private static let octets = 16_384

    private func list(_ change: (inout [UInt8]) -> Void = { _ in }, count: Int = octets) -> String {
        var octets = [UInt8](repeating: 0, count: count)
        change(&octets)
        return "u" + base64URL(Gzip().member(octets))
    }

    private func status(_ text: String, _ index: UInt64, _ purpose: StatusEntry.Purpose = .revocation, size: Int = 1)
        -> CredentialStatus
    {
        BitstringStatusList.status(encodedList: text, format: .bitstring, at: index, purpose: purpose, size: size)
    }

    @Test func mostSignificantBitFirst() {
        let text = list {
            $0[0] = 0b1000_0001
            $0[16_383] = 1
        }
        for index: UInt64 in [0, 7, 131_071] {
            #expect(status(text, index) == .revoked)
            #expect(status(text, index, .suspension) == .suspended)
        }
        for index: UInt64 in [1, 6, 8, 131_070] { #expect(status(text, index) == .good) }
        for index: UInt64 in [131_072, .max, .max / 8, UInt64(Int64.max), 1 << 32] { #expect(status(text, index) == .unknown) }
    }

    @Test func everyBitAlone() throws {
        for index in stride(from: 0, to: 131_072, by: 4099) {
            let text = list { $0[index / 8] = 0x80 >> UInt8(index % 8) }
            let read = try BitstringStatusList(encodedList: text, format: .bitstring)
            #expect((0..<131_072).filter { read.value(at: UInt64($0)) != 0 } == [index])
        }
    }

    @Test func largerEntries() throws {
        let text = list(
            {
                $0[0] = 0b1110_0100
                $0[1] = 0x12
                $0[2] = 0x34
                $0[3] = 0x80
            }, count: 32 * Self.octets)
        let read = try BitstringStatusList(encodedList: text, format: .bitstring)
        #expect((0..<4).map { read.value(at: $0, size: 2) } == [3, 2, 1, 0])
        #expect((0..<3).map { read.status(at: $0 + 1, purpose: .suspension, size: 2) } == [.suspended, .suspended, .good])
        #expect(read.value(at: 0, size: 3) == 7 && read.value(at: 2, size: 3) == 0 && read.value(at: 3, size: 3) == 1)
        #expect(read.value(at: 1, size: 8) == 0x12 && read.value(at: 0, size: 16) == 0xE412 && read.value(at: 0, size: 32) == 0xE412_3480)
        #expect(read.value(at: 131_071, size: 32) == 0 && read.value(at: 131_072, size: 32) == nil)
        for size in [0, -1, 33, 64, .max, .min] {
            #expect(read.value(at: 0, size: size) == nil && read.status(at: 0, purpose: .revocation, size: size) == .unknown)
        }
        // Long enough for single bits, too short for entries of two.
        #expect(status(list(), 0, size: 2) == .unknown)
    }

    @Test func refusals() {
        let good = list()
        func answer(_ text: String, _ format: StatusEntry.Format = .bitstring) -> StatusListError? {
            refusal { () throws(StatusListError) in try BitstringStatusList(encodedList: text, format: format) }
        }
        #expect(answer(good) == nil && answer(String(good.dropFirst()), .statusList2021) == nil)
        #expect(answer(good, .statusList2021) != nil, "a prefix that StatusList2021 does not have")
        for text in ["", "z" + good.dropFirst(), String(good.dropFirst()), good + "=", good + " ", "u!", "U" + good.dropFirst()] {
            #expect(answer(text) == .malformed, "\(text.prefix(4))")
        }
        #expect(answer("u") == .truncated)
        #expect(answer(list(count: 16_383)) == .tooShort)
        #expect(answer(list(count: 4 << 20)) == nil)
        #expect(answer(list(count: 4 << 20 + 1)) == .tooLarge)
        #expect(answer(list(count: 200 << 20)) == .tooLarge)
        let octets = [UInt8](repeating: 0, count: 16_384), member = Gzip().member(octets)
        #expect(answer("u" + base64URL(member + [0])) == .trailingBytes)
        #expect(answer("u" + base64URL(member + member)) == .trailingBytes)
        #expect(answer("u" + base64URL(zlib(octets))) == .corrupt)
        #expect(answer("u" + base64URL(octets)) == .corrupt)
        #expect(answer("u" + base64URL(Gzip(crcDelta: 1).member(octets))) == .corrupt)
        #expect(answer("u" + base64URL(Gzip(sizeDelta: 1).member(octets))) == .corrupt)
        for length in member.indices { #expect(answer("u" + base64URL(member[..<length])) == .truncated, "\(length)") }
    }

    /// Whatever is changed, a revoked entry never turns good: a bit of the compressed data breaks the checksum.
    @Test func spoiltListsSayNothing() {
        let member = Gzip(level: 9).member(
            [UInt8](repeating: 0, count: 8_000) + (0..<400).map { UInt8($0 & 0xFF) } + [UInt8](repeating: 0xFF, count: 8_000))
        #expect(status("u" + base64URL(member), 131_071) == .revoked)
        for position in member.indices {
            for bit in 0..<8 {
                var mutant = member
                mutant[position] ^= 1 << bit
                let answer = status("u" + base64URL(mutant), 131_071)
                // Some bits mean nothing (time and system in the header) or choose another way to the same octets.
                #expect(answer == .unknown || answer == .revoked, "bit \(bit) of \(position)")
            }
        }
    }

    @Test func indices() throws {
        func index(_ text: String) throws -> UInt64? { StatedStatus.index(try JSONDocument(parsing: Array(text.utf8)).root) }
        #expect(try index("\"104282\"") == 104_282 && index("7") == 7 && index("\"0\"") == 0 && index("\"18446744073709551615\"") == .max)
        for text in [
            "\"\"", "\"-1\"", "-1", "\"+1\"", "1.0", "1e3", "\"0x1\"", "\" 1\"", "\"18446744073709551616\"", "\"000000000000000000001\"",
            "null", "[]", "\"\u{0661}\"",
        ] { #expect(try index(text) == nil, "\(text)") }
    }

    /// MOSIP's lists before and after one credential was revoked, and one written without the multibase prefix.
    @Test(.enabled(if: Suites.isPresent(Suites.statusSamples), Suites.absent))
    func samples() throws {
        func member(_ name: String, _ path: [String]) throws -> JSONValue {
            try #require(
                try JSONDocument(parsing: [UInt8](Data(contentsOf: Suites.statusSamples.appending(path: name)))).root.value(at: path))
        }
        let index = try #require(StatedStatus.index(try member("mosipRevokedVC.json", ["credentialStatus", "statusListIndex"])))
        #expect(index == 104_282)
        let revoked = try #require(try member("mosipRevokedStatusList.json", ["credentialSubject", "encodedList"]).string)
        let unrevoked = try #require(try member("mosipUnrevokedStatusList.json", ["credentialSubject", "encodedList"]).string)
        #expect(status(revoked, index) == .revoked && status(unrevoked, index) == .good)
        #expect(try BitstringStatusList(encodedList: revoked, format: .bitstring).octets.count == 16_384)
        let bare = try #require(try member("status-list-vc.json", ["credentialSubject", "encodedList"]).string)
        #expect(status(bare, 65_487) == .unknown)
        for (file, expected) in [("vcRevoked-https.json", CredentialStatus.revoked), ("vcUnrevoked-https.json", .good)] {
            let index = try #require(StatedStatus.index(try member(file, ["credentialStatus", "statusListIndex"])))
            #expect(BitstringStatusList.status(encodedList: bare, format: .statusList2021, at: index, purpose: .revocation) == expected)
        }
    }
}

extension Suites {
    static let statusSamples = folder.appending(path: "credentials/samples/vc-verifier/ldp_vc")
    static let tokenLists = folder.appending(path: "credentials/suites/vc-status/token-status-list/examples")
}
