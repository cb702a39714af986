import Foundation
import TestSupport
import Testing
import TrustedKeyWallet

@testable import Trust

/// Whom a gate believes about keys of Trusted Key wallets (trust-format.md section 7, trustedkey.md sections 4 to 6).
struct TrustedKeyEntryTests {
    private static let list = "https://harbour.example/revoked"

    private static func entry() -> [String: Any] {
        [
            "gatehouse-trust": 1, "ids": ["https://harbour.example"], "name": "Harbour", "forms": ["trustedkey"],
            "types": ["harbour-worker"],
            "claims": ["fullName": [["2.5.4.3"]], "birthDate": [["1.3.6.1.5.5.7.9.1"], ["1.3.6.1.4.1.51341.21"]]],
            "requires": ["fullName"], "x509": ["roots": [TrustedKeyCertificates.pem(TrustedKeyCertificates.root)]],
            "trustedkey": [
                "clientId": "harbour-gate-2", "wallet": "https://wallet.example/request",
                "objects": ["2.5.4.3", "1.3.6.1.4.1.53318295.21"], "revoked": list,
            ],
        ]
    }

    private static func contents(_ entries: [Any]) throws -> TrustContents {
        TrustContents(
            issuers: try entries.enumerated().map { place, entry in
                TrustContents.IssuerText(name: "h\(place).json", bytes: try AnonCredsObjects.octets(entry))
            },
            trustedKey: TrustedKeyContents(lists: [.init(url: list, fetched: 1000, addresses: [UInt8](repeating: 7, count: 20))]))
    }

    private static func fault(_ contents: TrustContents) -> TrustError? {
        do throws(TrustError) {
            _ = try TrustStore(contents)
            return nil
        } catch {
            return error
        }
    }

    private func expect(
        _ path: [Any], _ value: Any?, _ member: String, _ reason: TrustError.Reason, at location: SourceLocation = #_sourceLocation
    ) throws {
        let entry = try AnonCredsObjects.edited(Self.entry(), path, value)
        #expect(
            Self.fault(try Self.contents([entry])) == TrustError(file: "h0.json", member: member, reason: reason),
            sourceLocation: location)
    }

    @Test("an entry is believed as it says")
    func everything() throws {
        let belief = try TrustStore(Self.contents([Self.entry()])).trustedKey, question = try #require(belief.question)
        #expect(question.clientID == "harbour-gate-2" && question.wallet == "https://wallet.example/request")
        // The older arc is the newer one.
        #expect(question.objects.map(\.identifier) == ["2.5.4.3", "1.3.6.1.4.1.51341.21"])
        let issuer = try #require(belief.issuer(ofRoot: 0))
        #expect(belief.trust.roots.count == 1 && belief.issuer(ofRoot: 1) == nil && belief.issuer(ofRoot: -1) == nil)
        #expect(issuer.roles.mapValues(\.identifier) == [.fullName: "2.5.4.3", .birthDate: "1.3.6.1.4.1.51341.21"])
        #expect(issuer.requires == [.fullName] && issuer.types == ["harbour-worker"] && issuer.name == "Harbour")
        #expect(issuer.addresses == TrustedKeyIssuer.AddressList(url: Self.list, fetched: 1000, count: 1))
        #expect(belief.trust.revoked.map(\.text) == ["0x" + String(repeating: "07", count: 20)])
        #expect(TrustStore.nobody.trustedKey.question == nil && TrustStore.nobody.trustedKey.trust.roots.isEmpty)
    }

    @Test("every member is looked at")
    func members() throws {
        try expect(["trustedkey"], nil, "trustedkey", .missing)
        try expect(["forms"], ["trustedkey", "sd_jwt"], "forms", .wrongValue)
        try expect(["x509"], nil, "x509", .missing)
        try expect(["x509", "names"], ["a"], "x509", .wrongValue)
        try expect(["x509", "roots", 0], "x", "x509.roots[0]", .malformedCertificate)
        try expect(
            ["x509", "roots", 0], TrustedKeyCertificates.pem(TrustedKeyCertificates.claim), "x509.roots[0]", .wrongValue)
        try expect(
            ["x509", "roots", 1], TrustedKeyCertificates.pem(TrustedKeyCertificates.root), "x509.roots[1]", .duplicate)
        try expect(["trustedkey", "clientId"], "", "trustedkey.clientId", .wrongType)
        try expect(["trustedkey", "wallet"], "wallet", "trustedkey.wallet", .wrongValue)
        try expect(["trustedkey", "wallet"], "https://wallet.example/?a", "trustedkey.wallet", .wrongValue)
        try expect(["trustedkey", "wallet"], "https://" + String(repeating: "w", count: 300), "trustedkey.wallet", .tooLarge)
        try expect(["trustedkey", "objects"], [String](), "trustedkey.objects", .wrongType)
        try expect(["trustedkey", "objects", 0], "name", "trustedkey.objects[0]", .wrongValue)
        try expect(["trustedkey", "objects", 2], "1.3.6.1.4.1.51341.24", "trustedkey.objects[2]", .wrongValue)
        try expect(["trustedkey", "objects", 2], "1.3.6.1.4.1.51341.21", "trustedkey.objects[2]", .duplicate)
        try expect(["trustedkey", "nonce"], "x", "trustedkey.nonce", .unknown)
        try expect(["claims", "fullName"], [["2.5.4.4"]], "claims.fullName", .wrongValue)
        try expect(["claims", "fullName"], [["2.5.4.3", "x"]], "claims.fullName", .wrongValue)
        try expect(["requires"], ["portrait"], "requires", .wrongValue)
    }

    @Test("the key alone is nobody's claim")
    func login() throws {
        try expect(["trustedkey", "objects"], ["1.3.6.1.4.1.51341.15"], "trustedkey.objects", .wrongValue)
        let both = try AnonCredsObjects.edited(
            Self.entry(), ["trustedkey", "objects"], ["1.3.6.1.4.1.51341.15", "2.5.4.3", "1.3.6.1.5.5.7.9.1"])
        #expect(Self.fault(try Self.contents([both])) == nil)
        let key = try AnonCredsObjects.edited(both, ["claims", "documentNumber"], ["1.3.6.1.4.1.51341.15"])
        #expect(Self.fault(try Self.contents([key]))?.member == "claims.documentNumber")
    }

    @Test("a gate shows one code: two entries have one question, and no root in common")
    func two() throws {
        func second(_ path: [Any], _ value: Any?) throws -> TrustError? {
            let other = try AnonCredsObjects.edited(Self.entry(), ["ids"], ["https://other.example"])
            return Self.fault(try Self.contents([Self.entry(), AnonCredsObjects.edited(other, path, value)]))
        }
        let roots = TrustError(file: "h1.json", member: "x509.roots[0]", reason: .duplicate)
        #expect(try second(["name"], "Other") == roots)
        for (member, value) in [("clientId", "other"), ("wallet", "https://other.example")] {
            #expect(
                try second(["trustedkey", member], value)
                    == TrustError(file: "h1.json", member: "trustedkey.\(member)", reason: .wrongValue))
        }
        #expect(
            try second(["trustedkey", "objects"], ["2.5.4.3"])
                == TrustError(file: "h1.json", member: "trustedkey.objects", reason: .wrongValue))
    }

    // MARK: lists

    private static func read(_ text: String) throws -> TrustedKeyContents.AddressList {
        try TrustedKeyContents.AddressList(url: list, fetched: 1, text: Array(text.utf8), file: "revoked.txt")
    }

    private func line(_ digit: Character) -> String { "0x" + String(repeating: digit, count: 40) }

    @Test("a list is addresses in their order, one a line")
    func lines() throws {
        #expect(try Self.read("").count == 0 && Self.read("\(line("0"))\n\(line("a"))\n").count == 2)
        #expect(
            try Self.read("\(line("0"))\n\(line("a"))").addresses == [UInt8](repeating: 0, count: 20) + [UInt8](repeating: 0xAA, count: 20))
        for (text, place) in [
            ("\(line("a"))\n\(line("0"))\n", 2), ("\(line("a"))\n\(line("a"))\n", 2), ("\(line("A"))\n", 1), ("0x00\n", 1), ("\n", 1),
            ("\(line("a"))\r\n", 1), ("\(line("a"))\n\n\(line("b"))", 2), (" \(line("a"))", 1),
        ] {
            #expect(throws: TrustError(file: "revoked.txt", member: "line \(place)", reason: .wrongValue), "\(text)") {
                try Self.read(text)
            }
        }
    }

    @Test("a list that is damaged, too long, or nobody's is refused; none at all is an unknown status")
    func lists() throws {
        var contents = try Self.contents([Self.entry()])
        contents.trustedKey.lists[0].addresses.removeLast()
        #expect(Self.fault(contents) == TrustError(file: Self.list, reason: .wrongValue))
        contents.trustedKey.lists[0].addresses = [UInt8](repeating: 7, count: 40)
        #expect(Self.fault(contents) == TrustError(file: Self.list, member: "addresses[1]", reason: .wrongValue))
        contents.trustedKey.lists[0].addresses = []
        contents.trustedKey.lists.append(.init(url: "https://other.example", fetched: 1, addresses: []))
        #expect(Self.fault(contents) == TrustError(file: "https://other.example", reason: .ofNoEntry))
        contents.trustedKey.lists[1].url = Self.list
        #expect(Self.fault(contents) == TrustError(file: Self.list, reason: .duplicate))
        contents.trustedKey.lists = []
        #expect(try TrustStore(contents).trustedKey.issuers.first?.addresses == nil)
        let many = (0...UInt32(TrustedKeyContents.mostAddresses)).flatMap { number in
            withUnsafeBytes(of: number.bigEndian) { Array($0) } + [UInt8](repeating: 0, count: 16)
        }
        contents.trustedKey.lists = [.init(url: Self.list, fetched: 1, addresses: many)]
        #expect(Self.fault(contents) == TrustError(file: Self.list, reason: .tooLarge))
    }

    @Test("what is written is read")
    func section() throws {
        var contents = try Self.contents([Self.entry()])
        contents.issuers[0].bytes = try #require(TrustBundle.canonical(contents.issuers[0].bytes))
        let bundle = try TrustBundle(sequence: 1, created: 1000, notBefore: 1000, notAfter: 5000, clock: .reject, contents: contents)
        #expect(try TrustBundle(decoding: bundle.encoded()) == bundle)
        contents.trustedKey.lists[0].fetched = -1
        #expect(throws: TrustBundleError.timeRefused) {
            try TrustBundle(sequence: 1, created: 1000, notBefore: 1000, notAfter: 5000, clock: .reject, contents: contents)
        }
        contents.trustedKey.lists[0].fetched = 1001
        let later = try TrustBundle(sequence: 2, created: 1002, notBefore: 1000, notAfter: 5000, clock: .reject, contents: contents)
        #expect(TrustBundleDifference(from: bundle, to: later).addressLists.changed == [Self.list])
    }
}
