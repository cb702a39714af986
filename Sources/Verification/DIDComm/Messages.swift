extension ProblemCode {
    /// For whoever holds the phone.
    public var sentence: String {
        switch self {
        case .rejected: "The gate did not accept what was presented."
        case .malformed: "The gate could not read the message."
        case .tooLarge: "The message is larger than the gate takes."
        case .expired: "The gate had stopped waiting for the message."
        }
    }
}
