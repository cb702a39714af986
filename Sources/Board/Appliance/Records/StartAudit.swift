import Audit
import Linux
import Trust

extension AuditRecord {
    /// The trust bundle's number, and when it ends: who watches many gates sees whose bundle grows old. Nothing where nobody signed it.
    mutating func add(bundle loaded: LoadedTrust) {
        guard let terms = loaded.store.terms else { return }
        add("bundle", .number(terms.sequence))
        add("bundleNotAfter", .number(terms.notAfter))
    }

    /// The first record of a process: what runs, under which name, and what its clock is worth.
    ///
    /// - Parameters:
    ///   - gate: the gate's id; nil where it has none.
    ///   - clock: nil where nobody signed the trust folder, so nothing speaks for or against the clock.
    public init(startOf program: ProgramVersion, name: String, gate: String?, face: String, clock: TrustedClock?) {
        self.init(event: "started")
        add("version", .code(program.version))
        if let slot = program.slot { add("slot", .code(slot)) }
        add("name", .code(name))
        if let gate { add("gate", .code(gate)) }
        let state =
            switch clock {
            case .sure: "sure"
            case .unsure: "unsure"
            case nil: "unsigned"
            }
        add("clock", .code(state))
        add("face", .code(face))
    }
}
