import Appliance
import ArgumentParser
import Envelopes
import Trust

struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Build, sign, inspect, compare and install trust bundles.",
        discussion: """
            A trust bundle is one file that says whom a gate believes, from when to when. `build` makes it from a trust folder, each signer \
            looks at it (`inspect`, `diff`) and adds a signature (`sign`), and a gate takes it (`install`) if as many signers as its root \
            file asks for have signed it, and never an older one after a newer one. Before the first: each signer makes a key (`keygen`), and \
            the keys become a root file (`root`). `fetch-list` and `add-context` put status lists and contexts into the trust folder, \
            `vical` and `add-root` the roots of documents in phones (ISO/IEC 18013-5), for which `reader-key` says who asks.

            Exit code: 0 done, 1 the bundle or its source is refused, 2 unusable options or files.
            """,
        subcommands: [
            TrustKeygen.self, TrustRootMake.self, TrustAddContext.self, TrustFetchList.self, TrustVical.self, TrustAddRoot.self,
            TrustReaderKey.self, TrustBuild.self, TrustSign.self, TrustInspect.self, TrustDiff.self, TrustInstall.self,
        ])

    /// Says why and ends with exit code 1.
    static func refuse(_ reason: some CustomStringConvertible) -> ExitCode {
        say("refused: " + printable(reason.description))
        return ExitCode(1)
    }

    /// What was done is done; says what about it is not certain.
    static func tell(_ doubt: TrustInstallationError?) {
        if let doubt { say("gatehouse: it is done, and may not outlast a power cut: \(doubt)") }
    }

    static func time(_ option: String, _ text: String?) throws -> Seconds {
        guard let text else { return TrustSource.now }
        guard let seconds = Timestamp.seconds(text) else { throw ValidationError("\(option) \(text): not an RFC 3339 time") }
        return seconds
    }
}

/// A bundle's file of either kind.
enum TrustFile {
    /// What `build` writes: nobody has signed it.
    case payload(TrustBundle)
    case signed(SignedTrustBundle, UnverifiedTrustBundle)

    init(_ path: String) throws {
        let bytes = try NamedFile.read(path, most: TrustBundle.largest)
        do throws(TrustBundleError) {
            self = try Self.read(bytes)
        } catch {
            throw TrustCommand.refuse("\(path): \(error)")
        }
    }

    private static func read(_ bytes: [UInt8]) throws(TrustBundleError) -> TrustFile {
        // A payload is a map; anything else has to be a signed bundle.
        guard let first = bytes.first, first >> 5 == 5 else {
            let signed = try SignedTrustBundle(bytes)
            return .signed(signed, try signed.unverified())
        }
        return .payload(try TrustBundle(decoding: bytes))
    }

    /// What it says, whoever signed it. For people.
    var content: TrustBundle {
        switch self {
        case .payload(let bundle): bundle
        case .signed(_, let unverified): unverified.content
        }
    }
}
