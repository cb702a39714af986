/// How the gate goes, in one line beside its unit's state: for whoever asks the service manager, and for the health check of an image.
public struct GateStatus: Hashable, Sendable {
    public var isControllerUp: Bool
    /// nil where the board has no screen of its own.
    public var isScreenUp: Bool?
    public var areLampsUp: Bool

    public init(isControllerUp: Bool, isScreenUp: Bool?, areLampsUp: Bool) {
        self.isControllerUp = isControllerUp
        self.isScreenUp = isScreenUp
        self.areLampsUp = areLampsUp
    }

    /// `controller up; screen up; lamps up`, with `no` before what is not.
    public var text: String {
        var parts = [isControllerUp ? "controller up" : "no controller"]
        if let isScreenUp { parts.append(isScreenUp ? "screen up" : "no screen") }
        parts.append(areLampsUp ? "lamps up" : "no lamps")
        return parts.joined(separator: "; ")
    }
}
