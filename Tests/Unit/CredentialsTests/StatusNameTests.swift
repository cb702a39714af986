import Testing

@testable import Credentials
@testable import Trust

/// Lists that call themselves otherwise than credentials do, and what an old list still says.
@Suite struct StatusNameTests {
    static let now = TestCredential.now
    private static let own = "https://registry.example/lists/7", lenient = #""unknown":"accept""#

    private func verdict(
        _ scheme: StatusScheme, _ policy: String, at time: Int64 = now, entry: TestStatusEntry = TestStatusEntry(),
        _ lists: TestStatusList...
    ) throws -> Verdict {
        var issuers = TestIssuers(status: "{\(policy)}")
        issuers.lists = try lists.map { try $0.document(scheme) }
        return try issuers.verifier().verify(try statusCredential(scheme, entry), at: time)
    }

    private func names(_ pairs: (url: String, name: String)...) -> String {
        #""lists":["# + pairs.map { #"{"url":"\#($0.url)","name":"\#($0.name)"}"# }.joined(separator: ",") + "]"
    }

    private func renamed(_ name: String = Self.own, revokes: Bool = false) -> TestStatusList {
        TestStatusList {
            $0.name = name
            if revokes { $0.values = [77: 1] }
        }
    }

    // MARK: Names

    @Test("a list has the name that the entry maps its URL to", arguments: StatusScheme.allCases) func mapped(_ scheme: StatusScheme) throws
    {
        let policy = names((TestStatusEntry.url, Self.own))
        #expect(try verdict(scheme, policy, renamed()).credential?.status.status == .good)
        #expect(try verdict(scheme, policy, renamed(revokes: true)).reasons == [.revoked])
        // Not any other name, and no longer its URL.
        for name in [Self.own + "/", TestStatusEntry.url, "urn:x"] {
            #expect(try verdict(scheme, policy, renamed(name)).reasons == [.statusUnknown], "\(name)")
            #expect(try verdict(scheme, policy + "," + Self.lenient, renamed(name)).credential?.status.fault == .nameMismatch, "\(name)")
        }
        // Other URLs keep their own names.
        let other = names(("https://issuer.example/status/2", Self.own))
        #expect(try verdict(scheme, other, renamed()).reasons == [.statusUnknown])
        #expect(try verdict(scheme, other, TestStatusList()).isAccept)
        // The map changes nothing about who must have signed it.
        let strange = TestStatusList {
            $0.name = Self.own
            $0.key = .otherEd25519
        }
        #expect(try verdict(scheme, policy, strange).reasons == [.statusUnknown])
    }

    @Test func entries() throws {
        for members in [
            #""lists":[]"#, #""lists":{}"#, #""lists":[{}]"#, #""lists":[{"url":"a"}]"#, #""lists":[{"name":"a"}]"#,
            #""lists":[{"url":"a","name":""}]"#, #""lists":[{"url":"a","name":"b","x":1}]"#,
            names(("a", "b"), ("a", "c")),
        ] {
            #expect(throws: TrustError.self, "\(members)") { try verdict(.jose, members, TestStatusList()) }
        }
        #expect(
            try verdict(.jose, names((TestStatusEntry.url, Self.own), ("http://issuer.example/status/1", Self.own)), renamed()).isAccept)
    }

    // MARK: Age

    private static let old = #""softAge":500,"hardAge":600"#

    @Test("what is revoked stays revoked, however old the list", arguments: StatusScheme.allCases) func revoked(_ scheme: StatusScheme)
        throws
    {
        let list = TestStatusList {
            $0.values = [77: 1]
            $0.fetched = Self.now - 601
            $0.expires = nil
        }
        for policy in [Self.old, Self.old + "," + Self.lenient] {
            #expect(try verdict(scheme, policy, list).reasons == [.revoked])
            #expect(try verdict(scheme, policy, at: Self.now + 900, list).reasons == [.revoked])
        }
        // Ended by itself.
        let over = TestStatusList {
            $0.values = [77: 1]
            $0.expires = -1
        }
        #expect(try verdict(scheme, Self.lenient, over).reasons == [.revoked])
        #expect(try verdict(scheme, Self.lenient, TestStatusList { $0.expires = -1 }).credential?.status.fault == .listNotCurrent)
    }

    @Test("nothing else is said by such a list", arguments: StatusScheme.allCases) func nothingElse(_ scheme: StatusScheme) throws {
        let good = TestStatusList {
            $0.fetched = Self.now - 601
            $0.values = [78: 1]
        }
        #expect(try verdict(scheme, Self.old, good).reasons == [.statusUnknown])
        #expect(
            try verdict(scheme, Self.old + "," + Self.lenient, good).credential?.status
                == StatusFinding(status: .unknown, age: 601, isStale: false, fault: .listTooOld))
        let suspended = TestStatusList {
            $0.fetched = Self.now - 601
            $0.values = [77: scheme.isToken ? 2 : 1]
            $0.size = scheme.isToken ? 2 : 1
            $0.purpose = quoted("suspension")
        }
        #expect(try verdict(scheme, Self.old, entry: TestStatusEntry(purpose: "suspension"), suspended).reasons == [.statusUnknown])
        // A list of the future has not begun, and a stranger's is none.
        let future = TestStatusList {
            $0.values = [77: 1]
            $0.notBefore = 1000
            $0.issued = 1000
        }
        #expect(try verdict(scheme, Self.lenient, future).credential?.status.fault == .listNotCurrent)
        let late = TestStatusList {
            $0.values = [77: 1]
            $0.fetched = Self.now + 1000
        }
        #expect(try verdict(scheme, Self.lenient, late).credential?.status.fault == .listFromFuture)
        let strange = TestStatusList {
            $0.values = [77: 1]
            $0.fetched = Self.now - 601
            $0.key = .otherEd25519
        }
        #expect(try verdict(scheme, Self.old + "," + Self.lenient, strange).credential?.status.fault == .listUnsigned)
    }
}
