/// A log that could not be written is found again: by the program that goes on running.
extension AuditLog {
    /// Opens the log again where that failed, and finds out where it ends where that is not known.
    func makeReady() throws(AuditError) {
        if let file {
            if file.isDoubtful { try findEnd(of: file) }
        } else {
            try open()
        }
        if let number = owedVoid {
            var record = AuditRecord(event: "void")
            record.add("of", .number(Int64(clamping: number)))
            isVoidInDoubt = true
            try write(record)
            (owedVoid, isVoidInDoubt) = (nil, false)
        }
        while let record = owed.first {
            try write(record)
            owed.removeFirst()
        }
    }

    /// Where the end cannot be read, or what was promised is not there, or what is written does not stay, the log goes on in the next
    /// segment.
    private func findEnd(of file: AuditFile) throws(AuditError) {
        let promised = chain
        do throws(AuditError) {
            try readEnd(of: file, base: endOfParts(), promised: promised.sequence)
        } catch {
            guard error.isDamage else { throw error }
            file.isDoubtful = true
            return try setAside(file, number: segment, after: endOfParts(), promised: promised)
        }
        // A block that takes nothing is not tried for ever. What is there can be read: it is sealed.
        if file.failures > 1 { try rotate() }
    }

    /// What became of the line whose way to the disk had failed, where the log ends with `end`.
    func settleDoubt(_ end: AuditEnd) {
        guard let doubt else { return }
        if doubt == end {
            if isVoidInDoubt { owedVoid = nil } else { owedVoid = doubt.sequence }
        }
        self.doubt = nil
        isVoidInDoubt = false
    }
}
