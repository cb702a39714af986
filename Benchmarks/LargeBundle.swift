import Appliance
import CMallocCount
import Credentials
import Cryptography
import Envelopes
import Foundation
import SelfTest
import TestSupport
import Trust

/// A trust bundle as large as a fleet's may be, signed, and a credential of one of its issuers.
struct LargeBundle {
    static let now = Int64(time(nil))
    private static let type = "urn:example:pass:1"

    let signed: SignedTrustBundle
    let root: TrustRoot
    /// Credentials of the last issuer: with a status that is good, and one that is revoked; nil without lists.
    let good: [UInt8]
    let revoked: [UInt8]?

    /// - Parameters:
    ///   - issuers: each with one Ed25519 key.
    ///   - lists: status lists of the last issuer, Token Status List in JOSE form.
    ///   - entries: of each list, of one bit; one in a hundred, at places that do not repeat, is revoked.
    init(issuers: Int, lists: Int = 0, entries: Int = 0) throws {
        let signer = try SigningKey(seed: Self.seed(1 << 40).span), last = try SigningKey(seed: Self.seed(issuers - 1).span)
        let id = Self.id(issuers - 1)
        var contents = TrustContents()
        for number in 0..<issuers {
            let key = try SigningKey(seed: Self.seed(number).span)
            let entry = Self.entry(number, DemoCredential.jwk(of: key))
            contents.issuers.append(.init(name: "issuer-\(number).json", bytes: Array(entry.utf8)))
        }
        var random = SeededRandom(seed: 7), revokedPlace = 0
        for number in 0..<lists {
            var octets = [UInt8](repeating: 0, count: entries / 8)
            for _ in 0..<entries / 100 {
                revokedPlace = Int(random.next() % UInt64(octets.count * 8))
                octets[revokedPlace / 8] |= 1 << UInt8(revokedPlace % 8)
            }
            // So that one place is certainly good.
            octets[0] &= 0xFE
            let compressed = deflated(octets, windowBits: 15, level: 9), url = Self.list(number)
            let payload = """
                {"iss":"\(id)","sub":"\(url)","iat":\(Self.now - 600),\
                "status_list":{"bits":1,"lst":"\(Self.text(Base64.encodeURL(compressed)))"}}
                """
            contents.lists.append(
                PinnedStatusList(url: url, fetched: Self.now - 300, bytes: try Self.token("statuslist+jwt", payload, last)))
        }
        let settings = BundleSettings(sequence: 1, notBefore: Self.now - 1000, notAfter: Self.now + 86_400, clock: .reject)
        let bundle = try TrustBundle(source: contents, settings: settings, created: Self.now - 100)
        signed = try SignedTrustBundle(signing: bundle, as: "owner", with: signer)
        let jwk = DemoCredential.jwk(of: signer)
        root = try TrustRoot(
            name: "root.json", bytes: Array(#"{"gatehouse-root":1,"threshold":1,"signers":[{"kid":"owner","jwk":\#(jwk)}]}"#.utf8))
        good = try Self.credential(of: id, last, at: lists > 0 ? (0, lists - 1) : nil)
        revoked = lists > 0 ? try Self.credential(of: id, last, at: (revokedPlace, lists - 1)) : nil
    }

    private static func id(_ number: Int) -> String { "https://issuer-\(number).example" }
    private static func list(_ number: Int) -> String { "https://lists.example/\(number)" }
    private static func text(_ octets: [UInt8]) -> String { String(decoding: octets, as: UTF8.self) }

    /// Test keys, plainly: anybody can make them.
    private static func seed(_ number: Int) -> [UInt8] { (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 8))) } }

    private static func entry(_ number: Int, _ jwk: String) -> String {
        """
        {"gatehouse-trust":1,"ids":["\(id(number))"],"name":"Issuer \(number) of many","keys":[{"kid":"key-1","jwk":\(jwk)}],"forms":["sd_jwt"],\
        "algorithms":["EdDSA"],"types":["\(type)"],"claims":{"fullName":[["name"]],"portrait":[["portrait"]]},"requires":["fullName"]}
        """
    }

    private static func token(_ kind: String, _ payload: String, _ key: borrowing SigningKey) throws -> [UInt8] {
        let header = #"{"alg":"EdDSA","kid":"key-1","typ":"\#(kind)"}"#
        let message = Base64.encodeURL(Array(header.utf8)) + [0x2E] + Base64.encodeURL(Array(payload.utf8))
        return message + [0x2E] + Base64.encodeURL(try key.sign(message.span))
    }

    /// An SD-JWT without disclosures.
    private static func credential(of id: String, _ key: borrowing SigningKey, at entry: (index: Int, list: Int)?) throws -> [UInt8] {
        let status = entry.map { #","status":{"status_list":{"idx":\#($0.index),"uri":"\#(list($0.list))"}}"# } ?? ""
        let payload = #"{"iss":"\#(id)","vct":"\#(type)","iat":\#(now - 900),"exp":\#(now + 80_000),"name":"A. Visitor"\#(status)}"#
        return try token("dc+sd-jwt", payload, key) + [0x7E]
    }
}

/// What a large bundle costs a gate: `TrustInstallation` in a folder of its own, with every write of the real thing, then verdicts.
struct LargeBundleFigures {
    let octets: Int
    /// Nanoseconds: `trust install`; what a gate does when it starts or hears of a new bundle.
    let install: Double
    let load: Double
    /// Nanoseconds of SHA-256 over the same octets: what reading them must cost.
    let floor: Double
    /// Nanoseconds of a verdict: the first, which looks into its status list; and with the list known.
    let first: Double
    let next: Double
    /// Octets of the allocator: the most in use at one time while loading, and what stays in use as long as the bundle is believed.
    let peak: UInt64
    let held: UInt64
    /// How often libcrypto found no room in its arena and went to the system's allocator.
    let fallbacks: UInt64

    init(_ bundle: LargeBundle) throws {
        octets = bundle.signed.octets.count
        install = try Self.median {
            let folder = try TemporaryFolder()
            return try Self.time {
                keep(try TrustInstallation(folder.path).install(bundle.signed.octets, root: bundle.root, now: LargeBundle.now))
            }
        }
        let folder = try TemporaryFolder(), installation = TrustInstallation(folder.path)
        _ = try installation.install(bundle.signed.octets, root: bundle.root, now: LargeBundle.now)
        load = try Self.median { try Self.time { keep(try installation.load(root: bundle.root, now: LargeBundle.now)) } }
        floor = try Self.median { try Self.time { keep(try Digest.sha256(bundle.signed.octets.span)) } }
        let before = Arena.statistics.fallbacks
        malloc_peak_begin()
        let installed = try installation.load(root: bundle.root, now: LargeBundle.now)
        peak = malloc_peak_end()
        held = malloc_peak_held()
        first = try Self.median {
            let verifier = CredentialVerifier(trust: installed.store)
            return try Self.time { try Self.check(verifier, bundle.good, isGood: true) }
        }
        let verifier = CredentialVerifier(trust: installed.store)
        try Self.check(verifier, bundle.good, isGood: true)
        if let revoked = bundle.revoked { try Self.check(verifier, revoked, isGood: false) }
        next = try Self.median(of: 101) { try Self.time { try Self.check(verifier, bundle.good, isGood: true) } }
        fallbacks = Arena.statistics.fallbacks - before
        withExtendedLifetime(installed) {}
    }

    private struct WrongVerdict: Error {}

    private static func check(_ verifier: CredentialVerifier, _ credential: [UInt8], isGood: Bool) throws {
        guard verifier.verify(credential, at: LargeBundle.now).isAccept == isGood else { throw WrongVerdict() }
    }

    private static func median(of rounds: Int = 5, _ body: () throws -> Double) throws -> Double {
        try (0..<rounds).map { _ in try body() }.sorted()[rounds / 2]
    }

    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds) / 1e9
    }
}

/// Bundles of one issuer, of a thousand and ten thousand, and of one issuer with ten million status entries in ten lists.
func benchLargeBundles() throws {
    let one = try LargeBundleFigures(LargeBundle(issuers: 1))
    for (name, issuers, lists) in [
        ("one issuer", 1, 0), ("1,000 issuers", 1000, 0), ("10,000 issuers", 10_000, 0),
        ("10 million status entries in 10 lists, 1 % revoked", 1, 10),
    ] {
        let figures = try LargeBundleFigures(LargeBundle(issuers: issuers, lists: lists, entries: 1_000_000))
        let milliseconds = { (time: Double) in text(time / 1e6) }
        print(
            "trust bundle, \(name): \(figures.octets) octets; installed in \(milliseconds(figures.install)) ms, loaded in "
                + "\(milliseconds(figures.load)) ms, \(text(figures.load / figures.floor, 0)) times SHA-256 of its octets; first verdict "
                + "\(milliseconds(figures.first)) ms, then \(milliseconds(figures.next)) ms, \(text(figures.next / one.next)) times that with one "
                + "issuer; memory while loading at most \(figures.peak / 1024) kB, then \(figures.held / 1024) kB; "
                + "libcrypto beside its arena \(figures.fallbacks) times")
    }
    print(
        "limits: \(TrustStore.mostFiles) issuers, \(TrustBundle.mostLists) lists of \(TrustStore.largestFile >> 20) MiB as they came, "
            + "a bundle of \(TrustBundle.largest >> 20) MiB; what is past one is refused whole, with a name")
}
