/// How the gate goes, in one line beside its unit's state: for whoever asks the service manager, and for the health check of an image.
public struct GateStatus: Hashable, Sendable {
    public var isControllerUp: Bool
    /// nil where the board has no screen of its own.
    public var isScreenUp: Bool?
    public var areLampsUp: Bool
    /// nil where the gate has no door of its own.
    public var isDoorUp: Bool?
    /// Whether a code before the camera is read; nil where none is to be.
    public var areCodesUp: Bool?
    /// Whether wallets can post; nil where they are not to.
    public var isNetworkUp: Bool?
    /// Why nobody can enter.
    public var closed: ClosedCauses
    /// What ends within days.
    public var warning: String?

    public init(
        isControllerUp: Bool, isScreenUp: Bool?, areLampsUp: Bool, isDoorUp: Bool? = nil, areCodesUp: Bool? = nil, isNetworkUp: Bool? = nil,
        closed: ClosedCauses = [], warning: String? = nil
    ) {
        self.isControllerUp = isControllerUp
        self.isScreenUp = isScreenUp
        self.areLampsUp = areLampsUp
        self.isDoorUp = isDoorUp
        self.areCodesUp = areCodesUp
        self.isNetworkUp = isNetworkUp
        self.closed = closed
        self.warning = warning
    }

    /// `controller up; screen up; lamps up; door up; codes up; network up`, with `no` before what is not; then `; closed: trust-expired`
    /// with every cause, and `; trust ends in 6 days`.
    public var text: String {
        var parts = [isControllerUp ? "controller up" : "no controller"]
        if let isScreenUp { parts.append(isScreenUp ? "screen up" : "no screen") }
        parts.append(areLampsUp ? "lamps up" : "no lamps")
        if let isDoorUp { parts.append(isDoorUp ? "door up" : "no door") }
        if let areCodesUp { parts.append(areCodesUp ? "codes up" : "no codes") }
        if let isNetworkUp { parts.append(isNetworkUp ? "network up" : "no network") }
        if !closed.isEmpty { parts.append("closed: " + closed.codes) }
        if let warning { parts.append(warning) }
        return parts.joined(separator: "; ")
    }
}
