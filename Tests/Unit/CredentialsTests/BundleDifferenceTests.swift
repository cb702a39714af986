import Testing

@testable import Credentials
@testable import Trust

@Suite struct BundleDifferenceTests {
    @Test func nothing() throws {
        let difference = try TrustBundleDifference(from: TestBundle().bundle(), to: TestBundle().bundle())
        #expect(difference.issuers.isEmpty && difference.contexts.isEmpty && difference.lists.isEmpty && difference.issuerChanges.isEmpty)
    }

    @Test("whatever is added, removed or changed is named")
    func everything() throws {
        var old = TestBundle(), new = TestBundle()
        var before = TestTrust(keys: [("stays", .ed25519), ("goes", .otherEd25519), ("changes", .p256)]), after = before
        before.members["skew"] = "60"
        after.members["keys"] = TestTrust(keys: [("stays", .ed25519), ("comes", .otherEd25519), ("changes", .otherP256)]).members["keys"]
        after.members["types"] = list(["urn:example:other:1"])
        after.members["status"] = quoted("ignore")
        old.issuers = [("same.json", TestTrust().text), ("changed.json", before.text), ("removed.json", "{}")]
        new.issuers = [("same.json", TestTrust().text), ("changed.json", after.text), ("added.json", "{}")]
        new.contexts = [("https://b.example/v1", "[]"), ("https://c.example/v1", "{}")]
        old.lists.append(("https://list.example/2", 5, "same"))
        new.lists.append(("https://list.example/2", 6, "same"))
        new.lists.append(("https://list.example/3", 6, "new"))
        let difference = try TrustBundleDifference(from: old.bundle(), to: new.bundle())
        func names(_ added: [String], _ removed: [String], _ changed: [String]) -> TrustBundleDifference.Names {
            var names = TrustBundleDifference.Names()
            (names.added, names.removed, names.changed) = (added, removed, changed)
            return names
        }
        #expect(difference.issuers == names(["added.json"], ["removed.json"], ["changed.json"]))
        #expect(difference.contexts == names(["https://c.example/v1"], ["https://a.example/v1"], ["https://b.example/v1"]))
        #expect(difference.lists == names(["https://list.example/3"], [], ["https://list.example/2"]))
        let change = try #require(difference.issuerChanges.first)
        #expect(change.members == names(["status"], ["skew"], ["keys", "types"]))
        #expect(change.keys == names(["comes"], ["goes"], ["changes"]))
    }
}
