/// A small record of which two copies are kept, so that one page of a worn card does not lose it: `NAME`, and `NAME.copy`.
///
/// Both are written, one after the other, each whole; whoever reads takes the further of the two. So a cut at any moment, and damage to
/// either copy, costs nothing. A program that knows only `NAME` finds there what it always did.
struct TwinFile<Value: Equatable & Sendable>: Sendable {
    /// What was found.
    enum Finding {
        /// Neither copy is there: the folder is new, or somebody removed both.
        case none
        /// - Parameter isWhole: whether both copies are there, undamaged and the same.
        case value(Value, isWhole: Bool)
        /// There is at least one copy, and none can be read.
        case damaged
    }

    let name: String
    /// Octets.
    let longest: Int
    let decode: @Sendable ([UInt8]) -> Value?
    /// Nil where a record cannot be written, because there is no SHA-256.
    let encode: @Sendable (Value) -> [UInt8]?
    /// The further of two.
    let union: @Sendable (Value, Value) -> Value

    private var names: [String] { [name, name + ".copy"] }

    func read(_ disk: borrowing TrustDisk) throws(TrustInstallationError) -> Finding {
        var values: [Value] = []
        var files = 0
        for name in names {
            do throws(TrustInstallationError) {
                guard let octets = try disk.read(name, most: longest) else { continue }
                files += 1
                if let value = decode(octets) { values.append(value) }
            } catch {
                // A page that cannot be read any more is damage like any other.
                guard case .disk(let refusal) = error, [.fileTooLarge, .notRegularFile, .other].contains(refusal.kind) else { throw error }
                files += 1
            }
        }
        guard let first = values.first else { return files == 0 ? .none : .damaged }
        let value = values.dropFirst().reduce(first, union)
        return .value(value, isWhole: values.count == 2 && values.allSatisfy { $0 == value })
    }

    /// Writes both copies. When this returns, both are on the disk; when it throws, at least one copy of what was there before still is, or
    /// of this.
    func write(_ value: Value, to disk: borrowing TrustDisk) throws(TrustInstallationError) {
        guard let octets = encode(value) else { throw .bundle(.noDigest) }
        for name in names { try disk.replace(name, with: octets) }
    }

    /// The same. Throws only where neither copy is there: from then on the new value is the one that is read. Returns what went wrong after
    /// that.
    func put(_ value: Value, on disk: borrowing TrustDisk) throws(TrustInstallationError) -> TrustInstallationError? {
        guard let octets = encode(value) else { throw .bundle(.noDigest) }
        var failures: [TrustInstallationError] = [], copies = 0
        for name in names {
            do throws(TrustInstallationError) {
                if let doubt = try disk.put(name, octets) { failures.append(doubt) }
                copies += 1
            } catch {
                failures.append(error)
            }
        }
        if copies == 0, let failure = failures.first { throw failure }
        return failures.first
    }
}
