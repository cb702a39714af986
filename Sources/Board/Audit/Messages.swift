import Linux

/// What errors mean, for the operator.

extension AuditError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notPermitted: "not permitted: the user has to own the folder"
        case .notFound: "the folder does not exist"
        case .notRegularFile: "it is a link, a folder or a device, and has to be a file"
        case .lockedByAnother: "another gate writes this log: stop it first"
        case .diskFull: "the disk is full"
        case .logFull: "the log has reached its bound: export it (gatehouse audit export), or let the oldest records go"
        case .readOnly: "the file system is read-only"
        case .recordTooLong: "the record is too long"
        case .chainBroken: "the end of the log does not chain (gatehouse doctor)"
        case .noDigest: "SHA-256 is not to be had"
        case .closed: "the log is closed"
        case .system(let code): "the system refused (\(systemCause(code)))"
        }
    }
}

extension AuditNews: CustomStringConvertible {
    public var description: String {
        switch self {
        case .repaired(let octets): "audit log repaired: \(octets) octets of a torn line removed"
        case .setAside(let name): "the audit log was damaged: \(name) was set aside, and a new segment begun. Copy it and find out why"
        case .lost(let number): "the audit log's last segment, number \(number), was gone: a new one was begun, which says so"
        case .dropped(let first, let last, let isExported):
            "audit log: segments \(first) to \(last) went to make room; \(isExported ? "they are exported" : "NOBODY HAS A COPY of them")"
        case .filling(let percent):
            "the audit log is \(percent) % full: export it (gatehouse audit export)"
                + (percent >= 100 ? "" : " before nobody can enter, or the oldest records go")
        case .stuckRequest(let error): "somebody asks for the audit log to be sealed, and the request cannot be removed: \(error)"
        case .cannotSeal: "the audit log's segment cannot be sealed here (no Landlock in this kernel): it is when the gate is started anew"
        }
    }
}

extension AuditReport.Fault {
    /// What is wrong with a line; `line 3 of audit.jsonl` goes before it.
    public var sentence: String {
        switch self {
        case .torn: "is torn: its writing was cut short"
        case .tooLong: "is longer than a record can be"
        case .malformed: "is malformed: no record"
        case .outOfSequence: "is out of sequence: records were removed, repeated or moved"
        case .broken: "is broken off: the record before it is not the one it names"
        case .otherDamage: "names a damaged segment with another digest than the one that is there"
        }
    }

    public var remedy: String {
        switch self {
        case .torn: "The gate repairs it when it starts"
        case .tooLong, .malformed, .outOfSequence, .broken, .otherDamage:
            "Somebody changed it, or the disk fails: copy the whole folder and find out which. A gate that cannot go on from its end sets it aside"
        }
    }
}
