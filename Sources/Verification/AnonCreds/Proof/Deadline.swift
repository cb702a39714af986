/// Whether the visit is over, asked between two products of powers and between two pairings: this module has no clock.
struct Deadline {
    let hasPassed: () -> Bool

    /// Throws `deadlinePassed`.
    func check() throws(PresentationReason) {
        if hasPassed() { throw .deadlinePassed }
    }
}
