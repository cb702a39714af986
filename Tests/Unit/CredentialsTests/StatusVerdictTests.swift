import Foundation
import JSON
import TestSupport
import Testing

@testable import Credentials
@testable import Trust

/// Credentials and lists of our own, from the octets to the verdict.
@Suite struct StatusVerdictTests {
    static let now = TestCredential.now

    private func verdict(
        _ scheme: StatusScheme, _ entry: TestStatusEntry = TestStatusEntry(), lists: [TestStatusList] = [TestStatusList()],
        policy: String? = nil,
        at time: Int64 = now, _ change: (inout TestIssuers) throws -> Void = { _ in }
    ) throws -> Verdict {
        var issuers = TestIssuers(status: policy)
        issuers.lists = try lists.map { try $0.document(scheme) }
        try change(&issuers)
        return try issuers.verifier().verify(try statusCredential(scheme, entry), at: time)
    }

    /// Why the status is unknown; nil when the list is good for an answer. By default such a credential is rejected.
    private func fault(
        _ scheme: StatusScheme, _ entry: TestStatusEntry = TestStatusEntry(), at time: Int64 = now, _ change: (inout TestStatusList) -> Void
    ) throws -> StatusListFault? {
        let list = TestStatusList(change)
        let lenient = try verdict(scheme, entry, lists: [list], policy: #"{"unknown":"accept"}"#, at: time)
        let credential = try #require(lenient.credential, "\(lenient.reasons)")
        #expect((credential.status.fault != nil) == credential.notes.contains(.statusUnknown))
        let strict = try verdict(scheme, entry, lists: [list], at: time)
        #expect(strict.reasons == (credential.status.fault == nil ? [] : [.statusUnknown]))
        return credential.status.fault
    }

    // MARK: Answers

    @Test(arguments: StatusScheme.allCases) func good(_ scheme: StatusScheme) throws {
        let verdict = try verdict(scheme)
        let credential = try #require(verdict.credential, "\(verdict.reasons)")
        #expect(credential.status == StatusFinding(status: .good, age: 100, isStale: false, fault: nil) && credential.notes == [])
        #expect(credential.claim(.fullName)?.string == (scheme == .jose ? "yes" : "Ann"))
    }

    @Test(arguments: StatusScheme.allCases) func revokedAndSuspended(_ scheme: StatusScheme) throws {
        for policy in [nil, #"{"unknown":"accept"}"#] {
            #expect(try verdict(scheme, lists: [TestStatusList { $0.values = [77: 1] }], policy: policy).reasons == [.revoked])
            // Of a token the value says what it means, of a bit the entry.
            let suspended = TestStatusList {
                $0.values = [77: scheme.isToken ? 2 : 1]
                $0.size = scheme.isToken ? 2 : 1
                $0.purpose = quoted("suspension")
            }
            #expect(try verdict(scheme, TestStatusEntry(purpose: "suspension"), lists: [suspended], policy: policy).reasons == [.suspended])
        }
        // Neighbours are somebody else's.
        for index: UInt64 in [76, 78, 70, 84, 0] {
            #expect(try verdict(scheme, lists: [TestStatusList { $0.values = [index: 1] }]).isAccept)
        }
    }

    @Test(arguments: StatusScheme.allCases) func index(_ scheme: StatusScheme) throws {
        #expect(try fault(scheme, TestStatusEntry(index: 131_071)) { _ in } == nil)
        for index: UInt64 in [131_072, 1 << 32, UInt64(Int64.max)] {
            #expect(try fault(scheme, TestStatusEntry(index: index)) { _ in } == .entryMissing)
        }
    }

    @Test(arguments: [StatusScheme.rdfc, .legacy, .jcs]) func largerEntries(_ scheme: StatusScheme) throws {
        for (value, reasons): (UInt8, [RejectReason]) in [(0, []), (1, [.revoked]), (2, [.revoked]), (3, [.revoked])] {
            let list = TestStatusList {
                $0.values = [77: value]
                $0.size = 2
                $0.octets = 32_768
            }
            #expect(try verdict(scheme, TestStatusEntry(size: 2), lists: [list]).reasons == reasons)
        }
        #expect(try fault(scheme, TestStatusEntry(size: 2)) { _ in } == .entryMissing, "too short for two bits each")
        for size in [0, 33, -1, 1 << 40] { #expect(try fault(scheme, TestStatusEntry(size: size)) { _ in } == .entryUnreadable) }
    }

    @Test(arguments: [StatusScheme.jose, .cose]) func largerValues(_ scheme: StatusScheme) throws {
        for value: UInt8 in [3, 4, 11, 12, 255] {
            #expect(
                try fault(scheme) {
                    $0.size = 8
                    $0.values = [77: value]
                } == .entryMissing)
        }
        for size in [0, 3, 16] {
            #expect(
                try fault(scheme) {
                    $0.values = [:]
                    $0.size = size
                } == .listMalformed)
        }
    }

    // MARK: The entry

    @Test(arguments: [StatusScheme.rdfc, .legacy, .jcs, .jose]) func entryMembers(_ scheme: StatusScheme) throws {
        var issuers = TestIssuers()
        issuers.lists = [try TestStatusList().document(scheme)]
        let good = TestStatusEntry().json(scheme)
        var wrong = [
            #""idx":77"#, #""idx":"77""#, #""idx":-1"#, #""idx":7.5"#, #""idx":null"#, #""uri":"\#(TestStatusEntry.url)""#, #""uri":7"#,
        ]
        var changes: [(String, String)] = []
        if scheme.isToken {
            wrong = [#""idx":"77""#, #""idx":-1"#, #""idx":7.5"#, #""idx":null"#, #""idx":[77]"#, #""other":77"#]
            changes =
                wrong.map { (#""idx":77"#, $0) }
                + [#""uri":7"#, #""uri":null"#, #""uri":["\#(TestStatusEntry.url)"]"#, #""url":"x""#].map {
                    (#""uri":"\#(TestStatusEntry.url)""#, $0)
                }
            changes += [
                ("status_list", "status-list"), (good, "{}"), (good, "[]"), (good, "null"), (good, "0"),
                (good, quoted(TestStatusEntry.url)),
            ]
        } else {
            changes = [#""-1""#, #""+77""#, #""7.5""#, #""0x4d""#, #"" 77""#, #""""#, #"["77","78"]"#, #""18446744073709551616""#].map {
                (#""77""#, $0)
            }
            changes += [(quoted("revocation"), quoted("Revocation")), (quoted("revocation"), list(["revocation", "suspension"]))]
            changes += [
                ("StatusListEntry", "StatusList"), ("StatusList2021Entry", "StatusList2021"),
                ("\"\(TestStatusEntry.url)\"", #"["\#(TestStatusEntry.url)","urn:x"]"#),
            ]
            // What no statement is made of is refused before; as JSON everything is signed.
            let statements = scheme == .jcs ? [#""statusListIndex""#, #""statusPurpose""#, #""statusListCredential""#] : []
            changes += statements.map { ($0, #""other""#) }
        }
        for (part, replacement) in changes where good.contains(part) {
            let message = try statusCredential(scheme, status: good.replacing(part, with: replacement))
            let verdict = try issuers.verifier().verify(message, at: Self.now)
            #expect(
                verdict.reasons.contains(.statusUnknown) && !verdict.reasons.contains(.revoked),
                "\(part) → \(replacement): \(verdict.reasons)")
        }
        #expect(try issuers.verifier().verify(try statusCredential(scheme, status: good), at: Self.now).isAccept)
    }

    @Test(arguments: [StatusScheme.rdfc, .legacy, .jcs]) func severalEntries(_ scheme: StatusScheme) throws {
        let second = "https://issuer.example/status/2"
        func verdict(_ entries: [TestStatusEntry], _ values: [UInt64: UInt8] = [:], suspended: [UInt64: UInt8] = [:], policy: String? = nil)
            throws -> Verdict
        {
            var issuers = TestIssuers(status: policy)
            issuers.lists = [
                try TestStatusList { $0.values = values }.document(scheme),
                try TestStatusList {
                    $0.url = second
                    $0.values = suspended
                    $0.purpose = list(["suspension", "message"])
                }.document(scheme),
            ]
            return try issuers.verifier().verify(
                try statusCredential(scheme, status: "[" + entries.map { $0.json(scheme) }.joined(separator: ",") + "]"), at: Self.now)
        }
        let both = [TestStatusEntry(), TestStatusEntry(list: second, purpose: "suspension")]
        #expect(try verdict(both).credential?.status.status == .good)
        #expect(try verdict(both, [77: 1]).reasons == [.revoked])
        #expect(try verdict(both, suspended: [77: 1]).reasons == [.suspended])
        #expect(try verdict(both, [77: 1], suspended: [77: 1]).reasons == [.revoked])
        let lost = TestStatusEntry(list: "https://issuer.example/status/3", purpose: "suspension")
        #expect(try verdict([TestStatusEntry(), lost]).reasons == [.statusUnknown])
        // A certain no is worth more than the doubt beside it, wherever it stands and whatever the policy says about doubt.
        for entries in [[TestStatusEntry(), lost], [lost, TestStatusEntry()]] {
            #expect(try verdict(entries, [77: 1], policy: #"{"unknown":"accept"}"#).reasons == [.revoked])
        }
        for harmless in ["message", "refresh"] {
            let entry = TestStatusEntry(list: "https://issuer.example/none", purpose: harmless)
            #expect(try verdict([TestStatusEntry(), entry], suspended: [77: 1]).isAccept)
            #expect(try verdict([entry]).credential?.status == .unstated)
        }
        #expect(try verdict([TestStatusEntry(purpose: "other")]).reasons == [.statusUnknown])
        // More than anybody looks at: a doubt, behind which the first one's no is not hidden.
        let many = [TestStatusEntry()] + (0..<9).map { TestStatusEntry(index: UInt64($0), purpose: "suspension-\($0)") }
        #expect(try verdict(many, [77: 1], policy: #"{"unknown":"accept"}"#).reasons == [.revoked])
        #expect(try verdict(many).reasons == [.statusUnknown])
    }

    // MARK: Whose list

    @Test(arguments: StatusScheme.allCases) func somebodyElsesList(_ scheme: StatusScheme) throws {
        for values: [UInt64: UInt8] in [[:], [77: 1]] {
            // Of another issuer this gate trusts as much.
            #expect(
                try fault(scheme) {
                    $0.values = values
                    $0.issuer = TestIssuers.other
                    $0.method = TestIssuers.other + "#key-1"
                    $0.key = .otherEd25519
                } == .issuerMismatch)
            // Of a key nobody trusts, of one that is another issuer's, and by the name of a key that did not sign.
            #expect(
                try fault(scheme) {
                    $0.values = values
                    $0.method = "https://issuer.example#key-2"
                    $0.key = .otherEd25519
                } == .listUnsigned)
            #expect(
                try fault(scheme) {
                    $0.values = values
                    $0.method = TestIssuers.other + "#key-1"
                    $0.key = .otherEd25519
                } == .listUnsigned)
            #expect(
                try fault(scheme) {
                    $0.values = values
                    $0.key = .otherEd25519
                } == .listUnsigned)
            #expect(
                try fault(scheme) {
                    $0.values = values
                    $0.issuer = "https://nobody.example"
                    $0.key = .otherEd25519
                } == .issuerMismatch)
            #expect(
                try fault(scheme) {
                    $0.values = values
                    $0.name = "https://issuer.example/status/2"
                } == .nameMismatch)
            // Equal to a reader, different in octets.
            #expect(
                try fault(scheme) {
                    $0.values = values
                    $0.name = "https://issuer.example/status/1\u{0}".replacing("\u{0}", with: "/")
                } == .nameMismatch)
        }
        #expect(try fault(scheme) { $0.url = "https://issuer.example/status/2" } == .listMissing)
    }

    @Test(arguments: [StatusScheme.jose, .cose]) func tokenNeedsNoIssuer(_ scheme: StatusScheme) throws {
        #expect(try fault(scheme) { $0.issuer = nil } == nil)
        #expect(
            try verdict(
                scheme,
                lists: [
                    TestStatusList {
                        $0.issuer = nil
                        $0.values = [77: 1]
                    }
                ]
            ).reasons == [.revoked])
        #expect(
            try fault(scheme) {
                $0.issuer = nil
                $0.method = TestIssuers.other + "#key-1"
                $0.key = .otherEd25519
            } == .listUnsigned)
        for type in ["JWT", "dc+sd-jwt", "statuslist+jwt2", "application/statuslist"] {
            #expect(try fault(scheme) { $0.type = type } == .listMalformed)
        }
        #expect(try fault(scheme) { $0.issued = nil } == .listMalformed)
    }

    @Test(arguments: [StatusScheme.rdfc, .legacy, .jcs]) func unsignedList(_ scheme: StatusScheme) throws {
        let list = TestStatusList()
        let answer = try verdict(scheme, lists: []) {
            $0.lists = [
                PinnedStatusList(url: list.url, fetched: list.fetched, bytes: Array(list.credential(scheme).text().utf8))
            ]
        }
        #expect(answer.reasons == [.statusUnknown])
        let other = try verdict(scheme, lists: []) { $0.lists = [try TestStatusList { $0.key = .otherEd25519 }.document(scheme)] }
        #expect(other.reasons == [.statusUnknown])
    }

    @Test(arguments: [StatusScheme.rdfc, .legacy, .jcs]) func aboutSomethingElse(_ scheme: StatusScheme) throws {
        for values: [UInt64: UInt8] in [[:], [77: 1]] {
            for purpose in [quoted("suspension"), list(["suspension", "message"]), quoted("Revocation"), "7", quoted("")] {
                #expect(
                    try fault(scheme) {
                        $0.values = values
                        $0.purpose = purpose
                    } == .purposeMismatch)
            }
        }
        #expect(try fault(scheme) { $0.purpose = list(["message", "revocation"]) } == nil)
        // A list of the other type, whatever its bits.
        #expect(try fault(scheme) { $0.type = scheme == .legacy ? "BitstringStatusList" : "StatusList2021" } == .listMalformed)
        #expect(try fault(scheme) { $0.type = "NationalID" } == .listMalformed)
        // A token where a credential is asked for, and the other way around.
        let token = try verdict(scheme, lists: []) { $0.lists = [try TestStatusList().document(.jose)] }
        #expect(token.reasons == [.statusUnknown])
        let credential = try verdict(.jose, lists: []) { $0.lists = [try TestStatusList().document(scheme)] }
        #expect(credential.reasons == [.statusUnknown])
    }

    // MARK: Time

    @Test(arguments: StatusScheme.allCases) func validity(_ scheme: StatusScheme) throws {
        #expect(try fault(scheme) { $0.expires = 0 } == .listNotCurrent)
        #expect(try fault(scheme) { $0.expires = 1 } == nil)
        #expect(try fault(scheme) { $0.expires = nil } == nil)
        for late in [300, 301] {
            let expected: StatusListFault? = late > 300 ? .listNotCurrent : nil
            #expect(try fault(scheme) { $0.issued = Int64(late) } == expected)
            #expect(try fault(scheme) { $0.notBefore = Int64(late) } == expected)
        }
        // A list that has ended says nothing but who was revoked.
        #expect(
            try fault(scheme) {
                $0.values = [78: 1]
                $0.expires = -1
            } == .listNotCurrent)
        #expect(
            try verdict(
                scheme,
                lists: [
                    TestStatusList {
                        $0.values = [77: 1]
                        $0.expires = -1
                    }
                ]
            ).reasons == [.revoked])
    }

    @Test(arguments: StatusScheme.allCases) func age(_ scheme: StatusScheme) throws {
        func verdict(_ age: Int64, _ unknown: String = "reject", values: [UInt64: UInt8] = [:]) throws -> Verdict {
            let list = TestStatusList {
                $0.fetched = Self.now - age
                $0.values = values
            }
            return try self.verdict(scheme, lists: [list], policy: #"{"unknown":"\#(unknown)","softAge":500,"hardAge":600}"#)
        }
        #expect(try verdict(500).credential?.notes == [])
        #expect(try verdict(501).credential?.notes == [.statusStale])
        #expect(try verdict(600).credential?.status == StatusFinding(status: .good, age: 600, isStale: true, fault: nil))
        #expect(try verdict(601).reasons == [.statusUnknown])
        #expect(try verdict(601, "accept").credential?.status.fault == .listTooOld)
        #expect(try verdict(600, values: [77: 1]).reasons == [.revoked])
        #expect(try verdict(601, values: [77: 1]).reasons == [.revoked])
        #expect(try verdict(601, values: [78: 1]).reasons == [.statusUnknown])
        // Fetched later than now: one of the clocks is wrong.
        #expect(try verdict(-300).isAccept)
        #expect(try verdict(-301).reasons == [.statusUnknown])
        #expect(try verdict(-301, "accept").credential?.status.fault == .listFromFuture)
        for fetched in [Int64.min, .max] {
            #expect(try self.verdict(scheme, lists: [TestStatusList { $0.fetched = fetched }]).reasons == [.statusUnknown])
        }
    }

    @Test(arguments: StatusScheme.allCases) func timeToLive(_ scheme: StatusScheme) throws {
        // Seconds since it was signed, for a token; milliseconds since it was fetched, for a credential.
        let fresh = scheme.isToken ? "1001" : "100999", stale = scheme.isToken ? "1000" : "100000"
        #expect(try verdict(scheme, lists: [TestStatusList { $0.ttl = scheme.isToken ? fresh : "101000" }]).credential?.notes == [])
        #expect(try verdict(scheme, lists: [TestStatusList { $0.ttl = stale }]).credential?.notes == [.statusStale])
        #expect(
            try verdict(
                scheme,
                lists: [
                    TestStatusList {
                        $0.ttl = stale
                        $0.values = [77: 1]
                    }
                ]
            ).reasons == [.revoked])
        // It never makes a list live longer.
        #expect(
            try fault(scheme) {
                $0.ttl = "9000000000000000000"
                $0.expires = -1
            } == .listNotCurrent)
        if scheme.isToken { for ttl in ["0", "-1"] { #expect(try fault(scheme) { $0.ttl = ttl } == .listMalformed) } }
    }

    @Test func keyWindowCountsForLists() throws {
        var issuers = TestIssuers(keys: [])
        issuers.lists = [
            try TestStatusList {
                $0.method = "https://issuer.example#old"
                $0.key = .otherEd25519
            }.document(.rdfc)
        ]
        issuers.first.members["keys"] =
            #"[{"kid":"\#(TestLinkedCredential.method)","jwk":\#(TestKey.ed25519.jwk)},{"kid":"https://issuer.example#old","jwk":\#(TestKey.otherEd25519.jwk),"notAfter":\#(TestLinkedCredential.date(0))}]"#
        let message = try statusCredential(.rdfc)
        #expect(try issuers.verifier().verify(message, at: Self.now - 1).isAccept)
        #expect(try issuers.verifier().verify(message, at: Self.now).reasons == [.statusUnknown])
    }

    // MARK: Sizes

    @Test(arguments: StatusScheme.allCases) func bombsAndTruncation(_ scheme: StatusScheme) throws {
        func packed(_ octets: [UInt8]) -> [UInt8] { scheme.isToken ? zlib(octets) : Gzip(level: 9).member(octets) }
        let small = packed([UInt8](repeating: 0, count: 16_384))
        #expect(try fault(scheme) { $0.compressed = small } == nil)
        #expect(try fault(scheme) { $0.compressed = packed([UInt8](repeating: 0, count: 4 << 20 + 1)) } == .listMalformed)
        #expect(try fault(scheme) { $0.compressed = packed([UInt8](repeating: 0, count: 64 << 20)) } == .listMalformed)
        for spoilt in [[], Array(small.dropLast()), Array(small.prefix(5)), small + [0], small + small, [UInt8](repeating: 0, count: 64)] {
            #expect(try fault(scheme) { $0.compressed = spoilt } == .listMalformed)
        }
        if !scheme.isToken {
            #expect(try fault(scheme) { $0.octets = 16_383 } == .listMalformed)
            #expect(try fault(scheme) { $0.compressed = zlib([UInt8](repeating: 0, count: 16_384)) } == .listMalformed)
        } else {
            #expect(try fault(scheme) { $0.octets = 9 } == .entryMissing)
        }
    }

    @Test(arguments: StatusScheme.allCases) func twoListsOfOneName(_ scheme: StatusScheme) throws {
        #expect(throws: TrustError(file: TestStatusEntry.url, reason: .duplicate)) {
            try verdict(scheme, lists: [TestStatusList(), TestStatusList()])
        }
    }

    // MARK: Policy

    @Test(arguments: StatusScheme.allCases) func ignored(_ scheme: StatusScheme) throws {
        for lists in [[], [TestStatusList { $0.values = [77: 1] }], [TestStatusList { $0.key = .otherEd25519 }]] {
            let credential = try #require(try verdict(scheme, lists: lists, policy: quoted("ignore")).credential)
            #expect(
                credential.notes == [.statusIgnored]
                    && credential.status == StatusFinding(status: .unknown, age: nil, isStale: false, fault: nil))
        }
    }

    @Test(arguments: StatusScheme.allCases) func missing(_ scheme: StatusScheme) throws {
        #expect(try verdict(scheme, lists: []).reasons == [.statusUnknown])
        #expect(try verdict(scheme, lists: [], policy: quoted("reject")).reasons == [.statusUnknown])
        let credential = try #require(try verdict(scheme, lists: [], policy: #"{"unknown":"accept"}"#).credential)
        #expect(
            credential.notes == [.statusUnknown]
                && credential.status == StatusFinding(status: .unknown, age: nil, isStale: false, fault: .listMissing))
    }
}
