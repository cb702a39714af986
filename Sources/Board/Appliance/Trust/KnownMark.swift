import Envelopes
import Trust

/// How far a gate has come: the mark on the disk, raised to the bundle beside it. After a cut the mark lags behind; where a worn card has
/// lost it, the bundle is all there is.
struct KnownMark {
    static let file = TwinFile<HighWater>(
        name: "highwater", longest: HighWater.longest, decode: { HighWater(decoding: $0) }, encode: { $0.encoded }, union: { $0.union($1) })

    /// Seconds that something may have been made ahead of a clock that is right: two clocks are never equal.
    static let skew: Seconds = 86_400

    private(set) var mark: HighWater
    /// Empty where there is none.
    let onDisk: HighWater
    let state: InstalledTrust.MarkState
    /// The bundle that is there, if these signers signed it. A damaged one, or one by former signers, counts for nothing.
    let installed: TrustBundle?
    /// There never was a bundle or a mark in this folder.
    let isFirst: Bool
    /// There is a bundle, and nobody can tell how new it is.
    private let isUnknown: Bool

    init(_ disk: borrowing TrustDisk, _ root: TrustRoot) throws(TrustInstallationError) {
        var octets: [UInt8]?
        do throws(TrustInstallationError) {
            octets = try disk.read(TrustInstallation.bundleFile, most: TrustBundle.largest)
        } catch .disk(.fileTooLarge) {
            octets = []
        }
        installed = octets.flatMap { try? SignedTrustBundle($0).verify(root) }
        isUnknown = octets != nil && installed == nil
        let finding = try Self.file.read(disk)
        (onDisk, state) = Self.parts(finding)
        isFirst = if case .none = finding { octets == nil } else { false }
        mark = onDisk
        guard let installed else { return }
        do throws(TrustBundleError) { try mark.raise(to: installed) } catch { throw .bundle(error) }
    }

    /// The mark, an empty one where there is none, and what is left of its copies.
    static func parts(_ finding: TwinFile<HighWater>.Finding) -> (HighWater, InstalledTrust.MarkState) {
        switch finding {
        case .none, .damaged: (HighWater(), .lost)
        case .value(let mark, let isWhole): (mark, isWhole ? .whole : .oneCopy)
        }
    }

    mutating func raise(to bundle: TrustBundle) throws(TrustBundleError) { try mark.raise(to: bundle) }

    mutating func raise(toTime time: Seconds) { mark.raise(toTime: time) }

    /// Whether something was made after `now` by a clock that nothing speaks against: then it is its makers' clock that is wrong, and
    /// taking it would close the gate until that time has come. A clock behind what has passed says nothing, nor does one where nothing is
    /// known yet.
    func isAhead(_ created: Seconds, of now: Seconds) -> Bool {
        let known = max(mark.time, installed?.notBefore ?? 0)
        return known > 0 && now >= known && created > now && created - now > Self.skew
    }

    /// Writes it where it says more than what is on the disk, or a copy is missing; returns what went wrong.
    func keep(on disk: borrowing TrustDisk) -> TrustInstallationError? {
        // A mark without a bundle's number, beside a bundle, would pass for a whole one.
        guard mark != onDisk || state == .oneCopy, state != .lost || !isUnknown else { return nil }
        do throws(TrustInstallationError) {
            return try Self.file.put(mark, on: disk)
        } catch {
            return error
        }
    }
}
