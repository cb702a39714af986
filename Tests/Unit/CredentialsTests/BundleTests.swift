import CBOR
import Foundation
import JSON
import Testing

@testable import Credentials
@testable import Trust

@Suite struct BundleTests {
    private func fault(_ change: (inout TestBundle) -> Void) throws -> TrustBundleError? {
        var test = TestBundle()
        change(&test)
        do {
            _ = try test.bundle()
            return nil
        } catch let error as TrustBundleError {
            return error
        }
    }

    @Test("a bundle comes back from its encoding as it was, sorted")
    func roundTrip() throws {
        let bundle = try TestBundle().bundle()
        #expect(try TrustBundle(decoding: bundle.encoded()) == bundle)
        #expect(bundle.contents.contexts.map(\.url) == ["https://a.example/v1", "https://b.example/v1"])
        #expect(try bundle.store().issuers.count == 1)
        var reversed = TestBundle()
        reversed.contexts.reverse()
        #expect(try reversed.bundle().encoded() == bundle.encoded(), "the order of the source does not matter")
    }

    @Test("every rule of the content has a name")
    func rules() throws {
        let day = TestBundle.created
        #expect(try fault { _ in } == nil)
        for sequence in [0, -1, 1 << 53, .max] as [Int64] { #expect(try fault { $0.sequence = sequence } == .sequenceRefused) }
        #expect(try fault { $0.sequence = TrustBundle.largestSequence } == nil)
        #expect(try fault { $0.notBefore = -1 } == .timeRefused)
        #expect(try fault { $0.notAfter = 253_402_300_800 } == .timeRefused)
        #expect(try fault { $0.lists[0].1 = -1 } == .timeRefused)
        #expect(try fault { $0.notAfter = $0.notBefore } == .windowRefused)
        #expect(try fault { $0.created = $0.notAfter } == .windowRefused)
        #expect(try fault { $0.created = $0.notAfter - 1 } == nil)
        #expect(try fault { $0.created = day - 101 } == nil, "made before it begins")
        #expect(try fault { $0.contexts.append($0.contexts[0]) } == .duplicate(.context, name: "https://b.example/v1"))
        #expect(
            try fault { $0.lists.append(("https://list.example/1", day, "other")) } == .duplicate(.list, name: "https://list.example/1"))
        #expect(try fault { $0.issuers.append($0.issuers[0]) } == .duplicate(.issuer, name: "issuer.json"))
        #expect(try fault { $0.contexts[0].0 = "" } == .nameRefused(.context))
        #expect(try fault { $0.issuers[0].0 = String(repeating: "n", count: 2049) } == .nameRefused(.issuer))
        #expect(try fault { test in test.contexts = (0...256).map { ("https://\($0).example", "{}") } } == .tooMany(.context))
        #expect(try fault { test in test.lists = (0...256).map { ("https://\($0).example", day, "") } } == .tooMany(.list))
        #expect(
            try fault { $0.contexts[0].1 = String(repeating: " ", count: TrustStore.largestFile + 1) }
                == .partTooLarge(.context, name: "https://b.example/v1"))
    }

    /// Two names are one only when their octets are.
    @Test func namesAreOctets() throws {
        #expect(try fault { $0.contexts = [("https://a.example/\u{e9}", "{}"), ("https://a.example/e\u{301}", "{}")] } == nil)
    }

    @Test("an entry that is not in the form of RFC 8785 is refused")
    func canonicalEntries() throws {
        var contents = try TestBundle().contents()
        contents.issuers[0].bytes.append(0x20)
        func make(_ contents: TrustContents) throws(TrustBundleError) -> TrustBundle {
            try TrustBundle(sequence: 1, created: 0, notBefore: 0, notAfter: 1, clock: .accept, contents: contents)
        }
        #expect(throws: TrustBundleError.entryNotCanonical(name: "issuer.json")) { try make(contents) }
        contents.issuers[0].bytes = Array("{".utf8)
        #expect(throws: TrustBundleError.entryNotCanonical(name: "issuer.json")) { try make(contents) }
    }

    @Test("thousands of issuers are a bundle, read again and looked up by their ids")
    func manyIssuers() throws {
        var test = TestBundle()
        let entry = test.issuers[0].1, count = 4100
        // More CBOR items than a credential may have.
        test.issuers += (1..<count).map {
            ("\($0).json", entry.replacingOccurrences(of: TestCredential.iss, with: "https://\($0).example"))
        }
        let read = try TrustBundle(decoding: test.bundle().encoded())
        #expect(read.contents.issuers.count == count)
        let store = try read.store()
        let last = "https://\(count - 1).example"
        #expect(store.issuer(named: last)?.ids == [last] && store.issuer(named: TestCredential.iss)?.ids == [TestCredential.iss])
        #expect(store.issuer(named: "https://\(count).example") == nil && store.issuer(named: "") == nil)
        #expect(CredentialVerifier(trust: store).verify(TestCredential().message, at: TestCredential.now).isAccept)
    }

    @Test("more issuers than there may be are refused by name, and as many as there may be are looked at")
    func mostIssuers() throws {
        let entry = try TestBundle().contents().issuers[0]
        func fault(_ count: Int) -> TrustBundleError? {
            var contents = TrustContents()
            // The first one is wrong: who looks at it has counted before.
            contents.issuers = [.init(name: "first", bytes: [])] + (1..<count).map { .init(name: "\($0)", bytes: entry.bytes) }
            do throws(TrustBundleError) {
                _ = try TrustBundle(sequence: 1, created: 0, notBefore: 0, notAfter: 1, clock: .accept, contents: contents)
                return nil
            } catch {
                return error
            }
        }
        #expect(fault(TrustStore.mostFiles) == .entryNotCanonical(name: "first"))
        #expect(fault(TrustStore.mostFiles + 1) == .tooMany(.issuer))
        func files(_ count: Int) -> [(name: String, bytes: [UInt8])] { (0..<count).map { ("\($0).json", []) } }
        #expect(throws: TrustError(file: "0.json", reason: .malformed(JSONError(.truncated, at: 0)))) {
            try TrustStore(files: files(TrustStore.mostFiles))
        }
        #expect(throws: TrustError(file: "", reason: .tooLarge)) { try TrustStore(files: files(TrustStore.mostFiles + 1)) }
    }

    @Test("larger than 16 MiB is refused, when made and when read")
    func size() throws {
        var test = TestBundle()
        test.lists = (0..<17).map { ("https://\($0).example", 0, String(repeating: "a", count: 1 << 20)) }
        let bundle = try test.bundle()
        #expect(throws: TrustBundleError.tooLarge) { try bundle.encoded() }
        #expect(throws: TrustBundleError.tooLarge) { try TrustBundle(decoding: [UInt8](repeating: 0, count: TrustBundle.largest + 1)) }
    }

    @Test("it holds from its first second up to its last")
    func time() throws {
        let bundle = try TestBundle().bundle()
        func check(_ time: Int64) -> TrustBundleError? {
            do throws(TrustBundleError) { try bundle.check(at: time) } catch { return error }
            return nil
        }
        #expect(check(TestBundle.notBefore - 1) == .notYetValid)
        #expect(check(TestBundle.notBefore) == nil)
        #expect(check(TestBundle.notAfter - 1) == nil)
        #expect(check(TestBundle.notAfter) == .expired)
    }

    @Test("contents no trust store can be made of are not used")
    func contents() throws {
        var test = TestBundle()
        test.issuers = [("a.json", TestTrust().text), ("b.json", TestTrust().text)]
        let bundle = try test.bundle()
        #expect(throws: TrustBundleError.contents(TrustError(file: "b.json", member: "ids[0]", reason: .duplicate))) { try bundle.store() }
        test.issuers = []
        let empty = try test.bundle()
        #expect(throws: TrustBundleError.contents(TrustError(file: "", reason: .empty))) { try empty.store() }
    }

    // MARK: the source folder's settings

    private func settings(_ text: String) throws(TrustError) -> BundleSettings { try BundleSettings(Array(text.utf8)) }

    @Test func settings() throws {
        let good = try settings(
            #"{"gatehouse-bundle":1,"sequence":7,"notBefore":"2026-01-01T00:00:00Z","notAfter":"2027-01-01T00:00:00Z","clock":"accept"}"#)
        #expect(good.sequence == 7 && good.notBefore == 1_767_225_600 && good.notAfter == 1_798_761_600 && good.clock == .accept)
        let window = #""notBefore":"2026-01-01T00:00:00Z","notAfter":"2027-01-01T00:00:00Z""#
        for (text, member, reason) in [
            (#"[]"#, "gatehouse-bundle", .wrongType), (#"{}"#, "gatehouse-bundle", .missing),
            (#"{"gatehouse-bundle":2}"#, "gatehouse-bundle", .unsupportedVersion),
            (#"{"gatehouse-bundle":1,"clock":"reject"}"#, "notBefore", .missing),
            (#"{"gatehouse-bundle":1,\#(window)}"#, "clock", .missing),
            (#"{"gatehouse-bundle":1,\#(window),"clock":"ignore"}"#, "clock", .wrongValue),
            (#"{"gatehouse-bundle":1,"sequence":"7"}"#, "sequence", .wrongType),
            (#"{"gatehouse-bundle":1,"until":1}"#, "until", .unknown),
            (#"{"gatehouse-bundle":1,"notBefore":"2026-02-30T00:00:00Z"}"#, "notBefore", .wrongValue),
        ] as [(String, String, TrustError.Reason)] {
            #expect(throws: TrustError(file: "bundle.json", member: member, reason: reason)) { try settings(text) }
        }
    }

    @Test("the same source gives the same bundle, whatever the white space and the order of its members")
    func source() throws {
        let given = try settings(
            #"{"gatehouse-bundle":1,"notBefore":"2026-01-01T00:00:00Z","notAfter":"2027-01-01T00:00:00Z","clock":"reject"}"#)
        let members = TestTrust().members.sorted { $0.key > $1.key }.map { "\n \(quoted($0.key)) : \($0.value)" }.joined(separator: ",")
        var one = try TestBundle().contents(), other = one
        one.issuers[0].bytes = Array(TestTrust().text.utf8)
        other.issuers[0].bytes = Array("{\(members)}".utf8)
        let bundle = try TrustBundle(source: one, settings: given, sequence: 3, created: given.notBefore)
        #expect(try TrustBundle(source: other, settings: given, sequence: 3, created: given.notBefore).encoded() == bundle.encoded())
        #expect(throws: TrustBundleError.contents(TrustError(file: "bundle.json", member: "sequence", reason: .missing))) {
            try TrustBundle(source: one, settings: given, created: given.notBefore)
        }
        one.issuers[0].bytes = Array(#"{"gatehouse-trust":1}"#.utf8)
        #expect(throws: TrustBundleError.contents(TrustError(file: "issuer.json", member: "ids", reason: .missing))) {
            try TrustBundle(source: one, settings: given, sequence: 3, created: given.notBefore)
        }
    }
}
