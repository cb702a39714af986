import Trust

/// What is on the disk of site files, read and judged at one moment.
struct SiteFiles {
    static let file = "site.cose"
    /// The last one that a gate has run with: as long as no newer one is on trial, the other copy of `file`.
    static let goodFile = "site.good.cose"
    static let trialFile = "site.trial"
    static let givenUpFile = "site.given-up"

    /// One that verifies and is for this gate.
    struct Good {
        let octets: [UInt8]
        let number: Int64
        let settings: SiteSettings
    }

    /// A new file's trial: how often it was started with.
    struct Trial: Equatable {
        var starts: Int
        /// Nil where an older program wrote it.
        let number: Int64?

        var octets: [UInt8] { Array((number.map { "\(starts) \($0)" } ?? "\(starts)").utf8) + [UInt8(ascii: "\n")] }

        /// What cannot be read counts as often enough.
        init(_ octets: [UInt8]) {
            let words = String(decoding: octets, as: UTF8.self).split { $0 == " " || $0 == "\n" }
            starts = words.first.flatMap { Int($0) }.map { max(0, $0) } ?? SiteInstallation.mostTrials
            number = words.dropFirst().first.flatMap { Int64($0) }
        }

        init(of number: Int64) {
            starts = 0
            self.number = number
        }
    }

    /// The last file that was given up. It may be given once more: it was not wrong, perhaps, but the radio unplugged.
    struct GivenUp: Equatable {
        let number: Int64
        /// SHA-256, as 64 digits.
        let digest: String

        init?(_ octets: [UInt8]) {
            let words = String(decoding: octets, as: UTF8.self).split { $0 == " " || $0 == "\n" }
            guard words.count == 2, let number = Int64(words[0]), words[1].utf8.count == 64 else { return nil }
            self.number = number
            digest = String(words[1])
        }

        init(_ file: Good) {
            number = file.number
            digest = SiteFiles.digest(file.octets)
        }

        var octets: [UInt8] { Array("\(number) \(digest)\n".utf8) }
    }

    let current: Good?
    let good: Good?
    /// Why the current one is not used, where it is not.
    private let fault: SiteError?
    private let isAnythingThere: Bool
    /// Of the current file only.
    let trial: Trial?
    let givenUp: GivenUp?
    /// The number of the newest site file that this gate has taken; nil where that is lost.
    private let highest: Int64?
    /// Where a new file is on trial, it is newer than what the record says until its number is written.
    private let pending: Int64
    private let reset: ResetMark.State

    init(_ disk: borrowing TrustDisk, _ root: TrustRoot, _ gate: String?) throws(TrustInstallationError) {
        let octets = try Self.read(disk, Self.file), goodOctets = try Self.read(disk, Self.goodFile)
        isAnythingThere = octets != nil || goodOctets != nil
        var found: Good?, fault: SiteError?
        if let octets {
            do throws(SiteError) { found = try Self.checked(octets, root, gate) } catch { fault = error }
        }
        current = found
        self.fault = fault
        good = goodOctets.flatMap { try? Self.checked($0, root, gate) }
        let trial = try Self.read(disk, Self.trialFile).map { Trial($0) }
        // A cut before the file itself was there leaves the trial of one that never came.
        let isOfCurrent = found == nil || trial?.number == nil || trial?.number == found?.number
        self.trial = isOfCurrent ? trial : nil
        pending = found == nil ? trial?.number ?? 0 : 0
        reset = try ResetMark.state(disk)
        givenUp = try Self.read(disk, Self.givenUpFile).flatMap { GivenUp($0) }
        highest =
            switch try OrderRegister.file.read(disk) {
            case .none: 0
            case .value(let numbers, _): numbers.highest(.site)
            case .damaged: nil
            }
    }

    /// Whether a file of this number is the newest there is, as far as anybody can tell.
    private func isNewest(_ number: Int64) -> Bool {
        guard let highest else { return false }
        let newest = max(highest, pending)
        return number >= newest || givenUp?.number == newest
    }

    /// The other copy of the file in force is lost, and this makes it whole.
    var repair: (name: String, octets: [UInt8])? {
        if current == nil, let good, isNewest(good.number) { return (Self.file, good.octets) }
        if let current, trial == nil, highest == nil || isNewest(current.number), good?.octets != current.octets {
            return (Self.goodFile, current.octets)
        }
        return nil
    }

    /// Nobody has set the gate up since a reset, as far as anybody can tell.
    var isReset: Bool { if case .none = reset { false } else { true } }

    /// A gate has run with what was installed after a reset, and its mark is of no use any more.
    var isResetOver: Bool {
        guard current != nil, trial == nil else { return false }
        return switch reset {
        case .none: false
        case .mark(let mark): !mark.isErasing
        case .damaged: true
        }
    }

    /// - Parameter withTrial: whether a file on trial may be used: not where nobody can count how often.
    func finding(withTrial: Bool = true) -> SiteFinding {
        let found = files(withTrial: withTrial)
        switch reset {
        case .none: return found
        // What is there is to be erased.
        case .mark(let mark) where mark.isErasing: return .reset
        case .mark, .damaged: if case .installed = found { return found } else { return .reset }
        }
    }

    private func files(withTrial: Bool) -> SiteFinding {
        if let current, let trial {
            if withTrial { return .installed(installed(current, .onTrial(trial.starts))) }
            return good.map { .installed(installed($0, .previous)) } ?? .unusable(.trialNotCounted)
        }
        // With the record of numbers lost, what is there is all that is known.
        if let current { return .installed(installed(current, highest == nil || isNewest(current.number) ? .proven : .previous)) }
        if let good { return .installed(installed(good, isNewest(good.number) ? .otherCopy : .previous)) }
        if !isAnythingThere, isNewest(0) { return .none }
        return .unusable(fault ?? .lost)
    }

    private func installed(_ file: Good, _ standing: InstalledSite.Standing) -> InstalledSite {
        InstalledSite(number: file.number, settings: file.settings, standing: standing)
    }

    // MARK: Reading

    /// Nil where there is none, and an empty text where it cannot be read: what cannot be read is damaged.
    private static func read(_ disk: borrowing TrustDisk, _ name: String) throws(TrustInstallationError) -> [UInt8]? {
        do throws(TrustInstallationError) {
            return try disk.read(name, most: Order.largest)
        } catch {
            switch error {
            case .unreadable: throw error
            case .disk(let refusal) where [.notPermitted, .readOnly].contains(refusal.kind): throw error
            default: return []
            }
        }
    }

    /// Neither its end nor its number is looked at: it was taken in time, and once.
    private static func checked(_ octets: [UInt8], _ root: TrustRoot, _ gate: String?) throws(SiteError) -> Good {
        let order: Order
        do throws(OrderError) {
            order = try SignedOrder(octets).verify(root)
            try order.check(.site, for: gate)
        } catch {
            throw .order(.order(error))
        }
        do throws(SiteSettingsError) {
            return Good(octets: octets, number: order.number, settings: try SiteSettings(order, for: gate))
        } catch {
            throw .settings(error)
        }
    }

    /// The highest number of the site files that are there, whichever gate they are for.
    ///
    /// - Parameter other: octets that do not count.
    static func highest(_ disk: borrowing TrustDisk, _ root: TrustRoot, but other: [UInt8]? = nil) throws(TrustInstallationError)
        -> Int64
    {
        var highest: Int64 = 0
        for name in [file, goodFile] {
            guard let octets = try read(disk, name), octets != other, let order = try? SignedOrder(octets).verify(root), order.kind == .site
            else { continue }
            highest = max(highest, order.number)
        }
        return highest
    }

    /// Empty where there is no SHA-256.
    static func digest(_ octets: [UInt8]) -> String { HighWater.hexadecimal(octets) ?? "" }
}
