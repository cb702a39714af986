/// Work that may still be done, counted in steps and never by a clock: the same octets get the same answer on a board that is busy and on
/// one that is not.
///
/// A step stands for a fixed piece of work, about what it takes to hash one short line; `StepCost` says what counts for how many.
public struct StepBudget: Hashable, Sendable {
    public private(set) var left: Int

    public init(_ steps: Int) { left = max(steps, 0) }

    /// Throws `tooComplex` when there are not as many left, and from then on.
    public mutating func spend(_ steps: Int = 1) throws(LinkedDataError) {
        // Nothing is free, so that no loop ends only where the document does.
        let cost = max(steps, 1)
        guard cost <= left else {
            left = 0
            throw .tooComplex
        }
        left -= cost
    }
}

/// What is counted, in steps; weighed against each other by what hostile documents cost in each phase.
enum StepCost {
    /// A value that expansion visits.
    static let value = 3
    /// An object, beside its members.
    static let object = 4
    /// A member of an object, and an IRI made of its name.
    static let member = 2
    /// A value on its way to a statement.
    static let term = 2
    /// A statement of the dataset: it is put in, sorted and written down.
    static let statement = 4
    /// A term of a context.
    static let definition = 5
    /// A value of canonical JSON.
    static let canonicalValue = 3
    /// A line that is hashed with others, or an order that is tried.
    static let line = 1
    /// A neighbour that is hashed.
    static let neighbour = 2

    /// Terms copied from one context to the next, or values from one array.
    static func copies(_ count: Int) -> Int { count / 6 }
    /// Octets of a context that are looked through.
    static func context(_ octets: Int) -> Int { octets / 64 }
    /// Octets that are copied or hashed.
    static func octets(_ count: Int) -> Int { count / 128 }
    /// Octets of a literal that is told from others.
    static func literal(_ octets: Int) -> Int { octets / 64 }
    /// Octets of all JSON pointers of a document.
    static func pointers(_ octets: Int) -> Int { octets / 64 }
    /// Octets of a reference that is resolved against a base.
    static func resolved(_ octets: Int) -> Int { octets / 16 }
}
