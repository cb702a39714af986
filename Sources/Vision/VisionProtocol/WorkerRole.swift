/// What a worker is for; one of each may run at a time.
public enum WorkerRole: Hashable, Sendable, CaseIterable {
    /// Compares faces, by a plug-in.
    case matcher
    /// Looks for codes in pictures.
    case codes
}
