import CBOR
import Cryptography
import Envelopes
import JSON
import TestSupport
import Testing

@testable import Mdoc
@testable import Trust

/// What a bundle says about documents in phones (trust-format.md section 5).
struct TrustSectionTests {
    private static let now = DocumentFixtures.now

    static func contents() throws -> MdocContents {
        MdocContents(
            roots: [
                MdocContents.Root(certificate: hex(DocumentFixtures.rootRenewed), country: "UT", docTypes: ["b", "a"], provider: "Utopia"),
                MdocContents.Root(certificate: hex(DocumentFixtures.root), country: "UT", docTypes: [TestDocument.docType]),
            ],
            vicals: [
                MdocContents.Vical(
                    provider: "Utopia", issue: 12, date: now - 100, nextUpdate: now + 86_400, digest: [UInt8](repeating: 1, count: 32),
                    signer: [UInt8](repeating: 2, count: 32))
            ],
            revocations: [MdocContents.Revocations(bytes: hex(DocumentFixtures.revokingNobody), fetched: now - 50)],
            tokens: [MdocContents.Token(uri: ChainStatusTests.uri, fetched: now - 60, bytes: try ChainStatusTests.Token().octets())],
            readers: [[hex(DocumentFixtures.signer), hex(DocumentFixtures.root)]])
    }

    private static func bundle(_ mdoc: MdocContents) throws(TrustBundleError) -> TrustBundle {
        try TrustBundle(
            sequence: 1, created: now, notBefore: now, notAfter: now + 1000, clock: .reject, contents: TrustContents(mdoc: mdoc))
    }

    private func fault(_ change: (inout MdocContents) -> Void) throws -> TrustError? {
        var contents = try Self.contents()
        change(&contents)
        do throws(TrustError) {
            _ = try MdocBelief(contents)
            return nil
        } catch {
            return error
        }
    }

    // MARK: the encoding

    @Test("what is written is read, whatever order it was in")
    func everything() throws {
        let contents = try Self.contents(), bundle = try Self.bundle(contents), octets = try bundle.encoded()
        #expect(try TrustBundle(decoding: octets) == bundle)
        var other = contents
        other.roots.reverse()
        other.roots[1].docTypes.reverse()
        #expect(try Self.bundle(other).encoded() == octets && other != contents)
        let store = try TrustBundle(decoding: octets).store()
        #expect(store.issuers.isEmpty && !store.isOfNobody && store.mdoc.trust.roots.count == 2 && store.mdoc.readers.count == 1)
        #expect(store.mdoc.trust.statusTokens.count == 1 && store.mdoc.trust.revocationLists.count == 1)
        #expect(zip(store.mdoc.trust.roots, store.mdoc.contents.roots).allSatisfy { (try? $0.certificate.der()) == $1.certificate })
    }

    @Test("the section is the one that the page describes, and a bundle without it has no such member")
    func shape() throws {
        let root = try CBORDocument(parsing: Self.bundle(Self.contents()).encoded()).root
        let section = try #require(root["sections"]?.elements?.first)
        #expect(root["sections"]?.elements?.count == 1 && section["kind"]?.isText("mdoc") == true && section["version"]?.int64 == 1)
        let content = try CBORDocument(parsing: section["content"]?.bytes ?? []).root
        #expect(content.pairs?.compactMap(\.key.text) == ["roots", "tokens", "vicals", "readers", "revocations"])
        #expect(content["vicals"]?.elements?.first?["issue"]?.int64 == 12)
        #expect(content["readers"]?.elements?.first?.elements?.count == 2)
        let issuer = TrustContents.IssuerText(name: "a.json", bytes: Array("{}".utf8))
        let old = try TrustBundle(
            sequence: 1, created: 1, notBefore: 1, notAfter: 2, clock: .reject, contents: TrustContents(issuers: [issuer]))
        let written = try CBORWriter.encode { writer in
            writer.map { map in
                map.entry("gatehouse-trust-bundle") { $0.integer(1) }
                for name in ["sequence", "created", "notBefore"] { map.entry(name) { $0.integer(1) } }
                map.entry("notAfter") { $0.integer(2) }
                map.entry("clock") { $0.text("reject") }
                map.entry("issuers") { writer in
                    writer.array { writer in
                        writer.map { map in
                            map.entry("name") { $0.text("a.json") }
                            map.entry("entry") { $0.bytes(Array("{}".utf8)) }
                        }
                    }
                }
                for name in ["contexts", "lists"] { map.entry(name) { $0.array { _ in } } }
            }
        }
        #expect(try old.encoded() == written, "octet for octet what it was")
    }

    private func reason(_ section: [UInt8]) throws -> TrustBundleError? {
        let pairs = try #require(CBORDocument(parsing: Self.bundle(Self.contents()).encoded()).root.pairs)
        let octets = CBOREncoding.map(pairs.map { ($0.key.source, $0.key.isText("sections") ? section : $0.value.source) })
        do throws(TrustBundleError) {
            _ = try TrustBundle(decoding: octets)
            return nil
        } catch {
            return error
        }
    }

    private static func section(_ content: [UInt8], kind: String = "mdoc", version: UInt64 = 1) throws -> [UInt8] {
        try CBORWriter.encode { writer in
            writer.map {
                $0.entry("kind") { $0.text(kind) }
                $0.entry("version") { $0.unsigned(version) }
                $0.entry("content") { $0.bytes(content) }
            }
        }
    }

    @Test("another encoding of the section, and another section, are refused")
    func encodings() throws {
        let content = try Self.contents().encoded(), good = try Self.section(content)
        #expect(try reason([0x81] + good) == nil)
        #expect(try reason([0x82] + good + good) == .sectionRepeated(kind: "mdoc"))
        #expect(try reason([0x81] + Self.section(content, version: 2)) == .sectionUnknown(kind: "mdoc", version: 2))
        #expect(try reason([0x82] + good + Self.section([], kind: "other")) == .sectionUnknown(kind: "other", version: 1))
        let empty = try CBORWriter.encode { writer in
            writer.map { map in
                for name in ["roots", "vicals", "revocations", "tokens", "readers"] { map.entry(name) { $0.array { _ in } } }
            }
        }
        for bad in [[], [0xA0], [0x80], empty, content + [0], Array(content.dropLast())] {
            guard case .malformed? = try reason([0x81] + Self.section(bad)) else {
                Issue.record("\(bad.count) octets are taken")
                continue
            }
        }
        // Two roots in the wrong order.
        let root = try CBORDocument(parsing: content).root
        let members = try #require(root.pairs).map { pair in
            let elements = pair.value.elements?.map(\.source) ?? []
            return (pair.key.source, pair.key.isText("roots") ? CBOREncoding.array(elements.reversed()) : pair.value.source)
        }
        guard case .malformed(let error)? = try reason([0x81] + Self.section(CBOREncoding.map(members))) else {
            Issue.record("roots in another order are taken")
            return
        }
        #expect(error.reason == .unsortedKeys)
    }

    @Test("times outside the years that a bundle may have are refused")
    func times() throws {
        for change in [{ $0.tokens[0].fetched = -1 }, { $0.vicals[0].date = .max }, { $0.revocations[0].fetched = .min }]
            as [(inout MdocContents) -> Void]
        {
            var contents = try Self.contents()
            change(&contents)
            #expect(throws: TrustBundleError.timeRefused) { try Self.bundle(contents) }
        }
    }

    // MARK: what it says

    @Test("each fault names its member")
    func faults() throws {
        #expect(try fault { _ in } == nil)
        func expect(_ member: String, _ reason: TrustError.Reason, _ change: (inout MdocContents) -> Void) throws {
            #expect(try fault(change) == TrustError(file: "mdoc.json", member: member, reason: reason), "\(member)")
        }
        try expect("roots[1]", .unusableRoot(.malformed)) { $0.roots[1].certificate = [0x30, 0] }
        try expect("roots[1]", .unusableRoot(.notAnAuthority)) { $0.roots[1].certificate = hex(DocumentFixtures.signer) }
        try expect("roots[1]", .unusableRoot(.unsupportedCurve)) { $0.roots[1].certificate = hex(DocumentFixtures.rootOnBrainpool) }
        try expect("roots[1].country", .wrongValue) { $0.roots[1].country = "UTO" }
        try expect("roots[1].docTypes", .wrongType) { $0.roots[1].docTypes = [] }
        try expect("roots[1].docTypes[1]", .duplicate) { $0.roots[1].docTypes = ["a", "a"] }
        try expect("roots[1].docTypes[0]", .tooLarge) { $0.roots[1].docTypes = [String(repeating: "a", count: 257)] }
        try expect("roots[1].docTypes", .tooLarge) { $0.roots[1].docTypes = (0...64).map { "\($0)" } }
        try expect("roots[1].signerUsage", .wrongValue) { $0.roots[1].signerUsage = "1.0.18013.5.1.02" }
        try expect("roots[0].vical", .wrongValue) { $0.roots[0].provider = "Nobody" }
        try expect("roots[2]", .duplicate) { $0.roots.append($0.roots[1]) }
        try expect("vicals[1].provider", .duplicate) { $0.vicals.append($0.vicals[0]) }
        try expect("vicals[0].sha256", .wrongValue) { $0.vicals[0].digest = [1] }
        try expect("revocationLists[0]", .malformedRevocations) { $0.revocations[0].bytes = [0x30, 0] }
        try expect("revocationLists[0]", .ofNoRoot) { $0.revocations[0].bytes = hex(DocumentFixtures.revokingSignerByAnother) }
        try expect("revocationLists[1]", .duplicate) { $0.revocations.append($0.revocations[0]) }
        try expect("statusTokens[0]", .malformedToken) { $0.tokens[0].bytes = [0x80] }
        try expect("statusTokens[0].uri", .wrongValue) { $0.tokens[0].uri = "https://issuer.example/other" }
        try expect("statusTokens[1].uri", .duplicate) { $0.tokens.append($0.tokens[0]) }
        try expect("readers[0]", .unusableReader(.certificatesMalformed)) { $0.readers[0] = [] }
        try expect("readers[0]", .unusableReader(.certificatesMalformed)) { $0.readers[0] = [[0x30, 0]] }
        try expect("readers[0]", .unusableReader(.certificatesBroken)) { $0.readers[0].swapAt(0, 1) }
        try expect("readers[1]", .duplicate) { $0.readers.append($0.readers[0]) }
        try expect("roots", .tooLarge) { $0.roots = [MdocContents.Root](repeating: $0.roots[0], count: MdocContents.mostRoots + 1) }
        // The same certificate by hand and from a list is two statements.
        #expect(
            try fault {
                $0.roots.append($0.roots[1])
                $0.roots[2].provider = "Utopia"
            } == nil)
    }

    @Test("a document is believed under a root of the bundle, for its kind of document alone")
    func documents() throws {
        let store = try Self.bundle(Self.contents()).store()
        #expect(try judge(TestDocument(), store.mdoc.trust).fault == nil)
        var other = try Self.contents()
        other.roots[1].docTypes = ["eu.europa.ec.eudi.pid.1"]
        #expect(try judge(TestDocument(), Self.bundle(other).store().mdoc.trust).detail == .issuerNotTrusted)
        var revoked = try Self.contents()
        revoked.revocations[0].bytes = hex(DocumentFixtures.revokingSigner)
        #expect(try judge(TestDocument(), Self.bundle(revoked).store().mdoc.trust).detail == .signerRevoked)
        #expect(TrustStore.nobody.mdoc.trust.roots.isEmpty && TrustStore.nobody.isOfNobody)
    }

    @Test("a bundle without anybody is refused, one with a root alone is not")
    func nobody() throws {
        var contents = try Self.contents()
        contents.roots = []
        contents.vicals = []
        contents.revocations = []
        #expect(throws: TrustBundleError.contents(TrustError(file: "", reason: .empty))) { try Self.bundle(contents).store() }
    }

    @Test("what a reader's certificates are not is told")
    func readers() throws {
        let reader = try #require(try MdocBelief(Self.contents()).readers.first)
        #expect(reader.chain.count == 2 && reader.validity?.contains(Self.now) == true)
        #expect(reader.warnings == [.extendedKeyUsage])
        // A document signer's key asks as well as any.
        let own = Array(DocumentFixtures.signerKey.utf8), other = Array(DocumentFixtures.deviceKey.utf8), none = [UInt8]()
        let key = try ReaderKey(pem: own.span, chains: [reader])
        #expect(key.certificates == (try Self.contents().readers[0]))
        #expect(throws: ReaderKeyError.certificateOfAnotherKey) {
            try ReaderKey(pem: other.span, chains: [reader])
        }
        #expect(throws: ReaderKeyError.keyMalformed) { try ReaderKey(pem: none.span, chains: [reader]) }
    }

    @Test("of two certificates of its key a gate asks with the one that ends last")
    func renewedReader() throws {
        let own = Array(DocumentFixtures.signerKey.utf8), over = try ReaderCertificate([hex(DocumentFixtures.readerOver)])
        let signer = [hex(DocumentFixtures.signer)], current = try ReaderCertificate(signer)
        #expect(over.validity?.contains(Self.now) == false && current.validity?.contains(Self.now) == true)
        for chains in [[over, current], [current, over]] {
            #expect(try ReaderKey(pem: own.span, chains: chains).certificates == signer)
        }
        // One that is over is still better than none: a phone says that it does not know who asks, and answers.
        #expect(try ReaderKey(pem: own.span, chains: [over]).certificates == [hex(DocumentFixtures.readerOver)])
    }

    // MARK: differences

    @Test("whatever comes, goes or is changed is named")
    func differences() throws {
        let old = try Self.contents()
        var new = old
        new.roots[1].docTypes = ["org.iso.23220.photoid.1"]
        new.roots[0].certificate = hex(DocumentFixtures.rootOver)
        new.vicals[0].issue = 13
        new.tokens = []
        new.readers[0] = [hex(DocumentFixtures.signer)]
        let found = try TrustBundleDifference(from: Self.bundle(old), to: Self.bundle(new)).mdoc
        #expect(found.roots.changed == [MdocDifference.name(of: old.roots[1])])
        #expect(
            found.roots.added == [MdocDifference.name(of: new.roots[0])] && found.roots.removed == [MdocDifference.name(of: old.roots[0])])
        #expect(found.roots.added.first?.hasSuffix(" of Utopia") == true)
        #expect(found.vicals.changed == ["Utopia"] && found.statusTokens.removed == [ChainStatusTests.uri])
        #expect(found.readers.changed.count == 1 && found.revocationLists.isEmpty)
        #expect(try TrustBundleDifference(from: Self.bundle(old), to: Self.bundle(old)).mdoc.isEmpty)
    }
}
