/// How much room a log has, for whoever does not write it: counted and decided as the gate does that writes it (`AuditLog`).
package struct AuditOccupancy {
    /// As asked for, but that segments are shorter on a small disk.
    package let limits: AuditLimits
    /// Octets that the log may have.
    package let bound: Int64
    private let parts: [AuditFolder.Part]
    private let current: (octets: Int64, taken: Int64)
    /// What is reserved for the next segment.
    private let spare: Int64
    private let available: Int64
    private let exported: UInt32

    /// - Parameter exported: up to which segment somebody has a copy.
    package init(of path: String, limits: AuditLimits, exported: UInt32) throws(AuditError) {
        let folder = AuditFolder(of: path)
        try folder.open()
        parts = try folder.parts()
        current = folder.extent(folder.current)
        spare = folder.extent(folder.next).taken
        self.exported = exported
        guard let space = folder.space() else {
            (self.limits, bound, available) = (limits, limits.total, .max)
            return
        }
        self.limits = limits.fitting(disk: space.size)
        available = space.available
        let own =
            parts.reduce(0) { $0 + $1.octets } + max(current.octets, current.taken)
            + (spare >= self.limits.segment ? self.limits.segment : 0)
        bound = self.limits.bound(own: own, free: available)
    }

    /// Percent of the room that so many octets take.
    package func percent(_ octets: Int64) -> Int { Int(clamping: octets * 100 / max(1, bound - 2 * limits.segment)) }

    /// Why the gate finds no room for another record, and nobody can enter; nil where it does.
    package var refusal: AuditError? {
        if limits.isUsedUp(parts, current: current.octets, bound: bound, exported: exported) { return .logFull }
        return hasDiskRoom ? nil : .diskFull
    }

    /// Whether the disk has room for the longest record, or gets it by what may go.
    private var hasDiskRoom: Bool {
        let wanted = AuditLimits.wanted(behind: current.octets), isSpare = spare >= limits.segment
        if isSpare || parts.first.map({ limits.mayGo($0, exported: exported) }) == true { return true }
        if wanted > limits.segment {
            let sealed = parts.reduce(0) { $0 + $1.octets }
            // Beyond the bound none is reserved before it is needed.
            return sealed + current.octets + limits.segment > limits.total || available >= limits.segment - spare
        }
        return current.taken >= wanted || available >= wanted - current.taken
    }
}
