import Cryptography
import Envelopes

/// What changes between two bundles about documents in phones.
public struct MdocDifference: Hashable, Sendable {
    /// By `name(of:)`; a changed one vouches for other documents, or its signers carry another usage.
    public let roots: TrustBundleDifference.Names
    /// By provider; a changed one is another list.
    public let vicals: TrustBundleDifference.Names
    /// By SHA-256: another list is one that comes and one that goes.
    public let revocationLists: TrustBundleDifference.Names
    /// By URI; a changed one has other octets or was fetched again.
    public let statusTokens: TrustBundleDifference.Names
    /// By SHA-256 of the reader's own certificate; a changed one has others above it.
    public let readers: TrustBundleDifference.Names

    init(from old: MdocContents, to new: MdocContents) {
        func names<Content: Equatable>(_ parts: (MdocContents) -> [(String, Content)]) -> TrustBundleDifference.Names {
            TrustBundleDifference.names(parts(old), parts(new))
        }
        roots = names { $0.roots.map { (Self.name(of: $0), [Set($0.docTypes), [$0.signerUsage ?? ""], [$0.country]]) } }
        vicals = names { $0.vicals.map { ($0.provider, $0) } }
        revocationLists = names { $0.revocations.map { (Self.digest($0.bytes), $0) } }
        statusTokens = names { $0.tokens.map { ($0.uri, $0) } }
        readers = names { $0.readers.map { (Self.digest($0.first ?? []), $0) } }
    }

    public var isEmpty: Bool {
        roots.isEmpty && vicals.isEmpty && revocationLists.isEmpty && statusTokens.isEmpty && readers.isEmpty
    }

    /// SHA-256 of the certificate, with the provider of the list where it is from one: what a root is called in a difference.
    public static func name(of root: MdocContents.Root) -> String {
        digest(root.certificate) + (root.provider.map { " of \($0)" } ?? "")
    }

    public static func digest(_ octets: [UInt8]) -> String {
        (try? Digest.hash(octets.span, .sha256)).map { Hexadecimal.text($0) } ?? ""
    }
}
