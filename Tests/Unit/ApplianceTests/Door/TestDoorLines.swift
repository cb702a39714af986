import Devices

/// A door's lines that a test holds the other end of.
final class TestDoorLines: DoorLines {
    var inputs: DoorInputs { DoorInputs(rawValue: 0x7F) }
    var outputs: DoorOutputs = .lock
    var descriptor: Int32?
    var canVanish = true
    /// What the next calls meet.
    var failure: DoorLinesError?
    var refusesToSwitch: DoorLinesError?
    /// The chip has no edge, and its bus no levels.
    var refusesLevels: DoorLinesError?
    /// As the door has them.
    var now: DoorInputs = []
    var edges: [DoorEdge] = []
    private(set) var isOpen: DoorOutputs = []
    /// Every switching that was asked for, also in vain.
    private(set) var asked: [DoorOutputs] = []
    private(set) var isClosed = false
    var journal: (String) -> Void = { _ in }

    func set(_ active: DoorOutputs) throws(DoorLinesError) {
        asked.append(active)
        if let failure = failure ?? refusesToSwitch { throw failure }
        isOpen = active
        journal(active.isEmpty ? "lock closed" : "lock open")
    }

    func levels() throws(DoorLinesError) -> DoorInputs {
        if let failure = failure ?? refusesLevels { throw failure }
        return now
    }

    func nextEdge() throws(DoorLinesError) -> DoorEdge? {
        if let failure { throw failure }
        return edges.isEmpty ? nil : edges.removeFirst()
    }

    func close() {
        isClosed = true
        isOpen = []
    }

    /// An input changes.
    func edge(_ input: DoorInput, _ isActive: Bool, at moment: UInt64) {
        if isActive { now.insert(DoorInputs(input)) } else { now.remove(DoorInputs(input)) }
        edges.append(DoorEdge(input: input, isActive: isActive, at: moment))
    }
}
