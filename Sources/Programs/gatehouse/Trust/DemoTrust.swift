import Appliance
import ArgumentParser
import Cryptography
import Envelopes
import Glibc
import SelfTest
import Trust

/// Makes a gate believe a demo issuer: a bundle that a signer made on the spot has signed, installed as an owner installs one.
enum DemoTrust {
    private static let settings =
        #"{"gatehouse-bundle":1,"sequence":1,"notBefore":"1970-01-01T00:00:00Z","notAfter":"2199-12-31T23:59:59Z","clock":"accept"}"#

    /// The options of a gate that believes the issuer, and nobody else.
    ///
    /// - Parameters:
    ///   - issuer: its trust file.
    ///   - folder: exists and is empty.
    ///   - now: seconds since 1970 by the board's clock.
    static func install(_ issuer: [UInt8], in folder: String, at now: Seconds) throws -> [String] {
        let signer = try SigningKey(seed: Secret(randomCount: 32))
        let root = Array(#"{"gatehouse-root":1,"threshold":1,"signers":[{"kid":"demo","jwk":\#(DemoCredential.jwk(of: signer))}]}"#.utf8)
        let contents = TrustContents(issuers: [TrustContents.IssuerText(name: "demo.json", bytes: issuer)])
        // Where the board's data were made anew the gate takes this for a bundle like any other: one above what is left is believed. The
        // lowest number that this image starts with is for those whom its owner has signed.
        let sequence = DataPartition.anewAbove.map { min($0, .max - 1) + 1 }
        let bundle = try TrustBundle(source: contents, settings: BundleSettings(Array(settings.utf8)), sequence: sequence, created: now)
        let signed = try SignedTrustBundle(signing: bundle, as: "demo", with: signer)
        _ = try TrustInstallation(folder).install(signed.octets, root: TrustRoot(name: "root.json", bytes: root), now: now)
        try write(root, to: folder + "/root.json")
        return ["--trust", folder, "--root", folder + "/root.json", "--lowest-bundle", "0"]
    }
}
