import Testing

@testable import Credentials
@testable import Trust

@Suite struct StatusListSummaryTests {
    private static let now = TestCredential.now

    private func summaries(_ lists: [PinnedStatusList], at time: Int64 = now) throws -> [StatusListSummary] {
        var issuers = TestIssuers()
        issuers.lists = lists
        return try issuers.verifier().trust.statusLists(at: time)
    }

    @Test(arguments: StatusScheme.allCases) func good(_ scheme: StatusScheme) throws {
        let made = TestStatusList { if scheme.isToken { $0.size = 4 } else { $0.purpose = list(["revocation", "suspension"]) } }
        let summary = try summaries([try made.document(scheme)])[0]
        #expect(
            summary
                == StatusListSummary(
                    url: TestStatusEntry.url, issuer: TestLinkedCredential.issuer, fetched: Self.now - 100, age: 100,
                    signed: Self.now - 1000, expires: Self.now + 1000,
                    ends: Self.now + 1000, purposes: scheme.isToken ? [] : ["revocation", "suspension"],
                    entries: scheme.isToken ? 32_768 : 131_072, isStale: false, fault: nil))
        let ended = try summaries([try made.document(scheme)], at: Self.now + 1000)[0]
        #expect(ended.fault == .listNotCurrent && ended.age == 1100 && ended.entries != nil)
        let old = try summaries([try TestStatusList { $0.expires = nil }.document(scheme)], at: Self.now + 604_801)[0]
        #expect(old.fault == .listTooOld && old.isStale)
        // The first second at which it is refused for its age.
        let end = try #require(old.ends)
        #expect(end == Self.now - 100 + 604_801)
        for (time, fault) in [(end - 1, StatusListFault?.none), (end, .listTooOld)] {
            #expect(try summaries([try TestStatusList { $0.expires = nil }.document(scheme)], at: time)[0].fault == fault)
        }
    }

    @Test func whoseListItIs() throws {
        func foreign(_ list: inout TestStatusList) {
            list.issuer = TestIssuers.other
            list.method = TestIssuers.other + "#key-1"
            list.key = .otherEd25519
        }
        for scheme in StatusScheme.allCases {
            #expect(try summaries([try TestStatusList { foreign(&$0) }.document(scheme)])[0].issuer == TestIssuers.other)
        }
        for scheme in [StatusScheme.jose, .cose] {
            #expect(
                try summaries([
                    try TestStatusList {
                        foreign(&$0)
                        $0.issuer = nil
                    }.document(scheme)
                ])[0].issuer == TestIssuers.other)
        }
    }

    @Test func faults() throws {
        func fault(_ change: (inout TestStatusList) -> Void) throws -> StatusListFault? {
            let found = try summaries([try TestStatusList(change).document(.jose)])[0]
            #expect(found.issuer == nil && found.entries == nil && found.signed == nil && found.purposes == [])
            return found.fault
        }
        #expect(try fault { $0.key = .p256 } == .listUnsigned)
        #expect(try fault { $0.key = .otherEd25519 } == .listUnsigned)
        #expect(try fault { $0.issuer = "https://nobody.example" } == .issuerMismatch)
        #expect(try fault { $0.name = "x" } == .nameMismatch)
        #expect(try fault { $0.compressed = [1] } == .listMalformed)
        for bytes: [UInt8] in [[], [0x7B], [0xD2], [0x30]] {
            for fetched in [Int64.min, 0, .max] {
                let found = try summaries([PinnedStatusList(url: "x", fetched: fetched, bytes: bytes)])[0]
                #expect(found.fault == .listMalformed && found.age >= 0)
            }
        }
    }

    /// The latest list that verifies as of when it was fetched, however wrong the clock of the gate is now.
    @Test(arguments: StatusScheme.allCases) func newestSigned(_ scheme: StatusScheme) throws {
        func newest(_ lists: [TestStatusList]) throws -> Int64? {
            var issuers = TestIssuers()
            issuers.lists = try lists.enumerated().map { position, list in
                var list = list
                list.url += "/\(position)"
                return try list.document(scheme)
            }
            return try issuers.verifier().trust.newestListSigned
        }
        #expect(try newest([]) == nil)
        #expect(
            try newest([TestStatusList { $0.issued = -5000 }, TestStatusList { $0.issued = -2000 }, TestStatusList { $0.issued = -9000 }])
                == (scheme.isToken ? Self.now - 2000 : Self.now - 1000))
        #expect(try newest([TestStatusList { $0.key = .otherEd25519 }]) == nil)
        // An issuer cannot push the clock ahead of the operator's.
        #expect(try newest([TestStatusList { $0.fetched = Self.now - 1001 }]) == nil)
        // Ended since, and still a proof of time.
        #expect(try newest([TestStatusList { $0.expires = -10 }]) == Self.now - 1000)
    }
}
