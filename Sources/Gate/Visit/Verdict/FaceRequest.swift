import Faces

/// What the shell has to find out about a credential that is believed: whether the person before the camera is the one in it.
public struct FaceRequest: Sendable {
    /// Running number of the request, for the answer to it.
    public let number: UInt64
    /// The covered portrait as text, a `data:` URI or base64.
    public let portrait: String
}

/// What is kept of a comparison of faces: a code, a coarse step, a count, a time.
public struct FaceRecord: Hashable, Sendable {
    public var outcome: FaceOutcome
    /// From the request to the decision.
    public var milliseconds: UInt64
}
