import Cryptography
import Envelopes

/// What becomes of bundles while gates get another root file: some have the new one already, and some the old one still.
///
/// A root file is part of a gate's image and has no end: it changes with an update, and a gate whose bundle it does not believe lets nobody
/// in. So the two have to overlap.
public struct TrustRootChange: Hashable, Sendable {
    /// Which bundles of one root's signers hold under the other root.
    public enum Overlap: Hashable, Sendable {
        /// Every one, whoever of them signed it.
        case always
        /// Those that at least so many of the signers who stay have signed.
        case signedBy(fewest: Int)
        /// None: too few stay.
        case never
    }

    /// Names with the same key in both, in the order of the new root. A name with another key is a signer who goes and one who comes.
    public let stay: [String]
    public let come: [String]
    public let go: [String]
    /// Bundles signed under the old root, at gates that have the new one.
    public let forward: Overlap
    /// Bundles signed under the new root, at gates that have the old one still.
    public let back: Overlap

    public init(from old: TrustRoot, to new: TrustRoot) {
        func has(_ root: TrustRoot, _ signer: TrustRoot.Signer) -> Bool {
            // Both count: a signature is looked up by its name.
            root.signers.contains { $0.id.isExactly(signer.id) && $0.key == signer.key }
        }
        let stay = new.signers.filter { has(old, $0) }
        self.stay = stay.map(\.id)
        come = new.signers.filter { !has(old, $0) }.map(\.id)
        go = old.signers.filter { !has(new, $0) }.map(\.id)
        forward = Self.overlap(signed: old, counted: new.threshold, stay: stay.count)
        back = Self.overlap(signed: new, counted: old.threshold, stay: stay.count)
    }

    /// - Parameters:
    ///   - signed: the root by which a bundle was signed.
    ///   - counted: how many the other root asks for.
    ///   - stay: how many signers have both.
    private static func overlap(signed: TrustRoot, counted: Int, stay: Int) -> Overlap {
        // At worst all those sign whom the other root does not know.
        let fewest = signed.threshold - (signed.signers.count - stay)
        if fewest >= counted { return .always }
        return stay >= counted ? .signedBy(fewest: counted) : .never
    }
}
