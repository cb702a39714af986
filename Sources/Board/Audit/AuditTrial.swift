/// Limits that a site file sets are on trial with it: until it is kept, nothing goes because there is less room than before.
extension AuditLog {
    /// Whether nobody could enter at the end of the current segment, at the latest, with limits that are on trial. Until then the gate is
    /// open, which says nothing of them.
    package var isTooLongForTrial: Bool {
        guard let onTrial, let file else { return false }
        let current = max(file.end, onTrial.segment - Self.lastWords)
        return onTrial.makingRoom(parts, current: current, bound: min(bound, onTrial.total), exported: exported) == nil
    }

    /// The site file is kept: what it sets is in force.
    package func endTrial() {
        guard let onTrial else { return }
        limits = onTrial
        self.onTrial = nil
        measure()
    }
}

extension AuditLimits {
    /// These, with as much room as the others have.
    func holding(_ others: AuditLimits) -> AuditLimits {
        AuditLimits(segment: segment, total: max(total, others.total), whenFull: whenFull)
    }
}
