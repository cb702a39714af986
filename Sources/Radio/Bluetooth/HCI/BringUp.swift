/// The bring-up of a controller as data: what is sent, in which order, on which condition, and how it went
/// (`gatehouse doctor` prints the same table). Each step waits for the answer to the one before.
public struct BringUp: Sendable {
    public enum Step: UInt8, Sendable {
        case reset, version, commands, features, eventMask, leHostSupport, leFeatures, leEventMask
        case leBufferSizeV2, leBufferSize, sharedBufferSize, address, suggestedDataLength, defaultPHY

        /// How many there are; raw values run from 0.
        public static var count: Int { Int(Step.defaultPHY.rawValue) + 1 }
    }

    /// When a step is taken.
    public enum Gate: Sendable {
        case always
        /// The bit of the supported-commands mask.
        case command(octet: Int, bit: Int)
        /// The bit, and the controller is dual-mode.
        case commandOnDualMode(octet: Int, bit: Int)
        /// The bit, and the LE Data Packet Length Extension.
        case commandWithDataLength(octet: Int, bit: Int)
        /// No LE buffers are known from the steps before.
        case noBuffers
    }

    public struct Row: Sendable {
        public var name: StaticString
        public var opcode: Opcode
        public var gate: Gate
        /// Without this step's success the controller is not usable.
        public var isMandatory: Bool
    }

    public enum Result: Hashable, Sendable {
        case pending, skipped
        case done(HCIStatus)
        case timedOut
        /// The answer was too short to read.
        case malformed
    }

    private var results = InlineArray<16, Result>(repeating: .pending)
    /// The step under way, or nil when all are behind.
    public private(set) var current: Step? = .reset

    public init() {}

    /// specs: Core Vol 4 Part E section 7; the order keeps every gate's source ahead of the gate.
    public static func row(_ step: Step) -> Row {
        switch step {
        case .reset: Row(name: "Reset", opcode: .reset, gate: .always, isMandatory: true)
        case .version: Row(name: "Read Local Version", opcode: .readLocalVersion, gate: .always, isMandatory: true)
        case .commands: Row(name: "Read Local Supported Commands", opcode: .readLocalSupportedCommands, gate: .always, isMandatory: true)
        case .features: Row(name: "Read Local Supported Features", opcode: .readLocalSupportedFeatures, gate: .always, isMandatory: true)
        case .eventMask: Row(name: "Set Event Mask", opcode: .setEventMask, gate: .always, isMandatory: true)
        case .leHostSupport:
            Row(name: "Write LE Host Support", opcode: .writeLEHostSupport, gate: .commandOnDualMode(octet: 24, bit: 6), isMandatory: false)
        case .leFeatures:
            Row(
                name: "LE Read Local Supported Features", opcode: .leReadLocalFeatures, gate: .command(octet: 25, bit: 2),
                isMandatory: false)
        case .leEventMask: Row(name: "LE Set Event Mask", opcode: .leSetEventMask, gate: .command(octet: 25, bit: 0), isMandatory: false)
        case .leBufferSizeV2:
            Row(name: "LE Read Buffer Size v2", opcode: .leReadBufferSizeV2, gate: .command(octet: 41, bit: 5), isMandatory: false)
        case .leBufferSize: Row(name: "LE Read Buffer Size", opcode: .leReadBufferSize, gate: .noBuffers, isMandatory: true)
        case .sharedBufferSize: Row(name: "Read Buffer Size", opcode: .readBufferSize, gate: .noBuffers, isMandatory: true)
        case .address: Row(name: "Read BD_ADDR", opcode: .readAddress, gate: .command(octet: 15, bit: 1), isMandatory: false)
        case .suggestedDataLength:
            Row(
                name: "LE Write Suggested Default Data Length", opcode: .leWriteSuggestedDataLength,
                gate: .commandWithDataLength(octet: 34, bit: 0), isMandatory: false)
        case .defaultPHY: Row(name: "LE Set Default PHY", opcode: .leSetDefaultPHY, gate: .command(octet: 35, bit: 5), isMandatory: false)
        }
    }

    /// How `step` went.
    public func result(of step: Step) -> Result { results[Int(step.rawValue)] }

    /// Starts over at the first step.
    mutating func restart() {
        for index in 0..<results.count { results[index] = .pending }
        current = .reset
    }

    /// Notes how the current step went and moves to the next one whose gate is open.
    mutating func advance(_ result: Result, controller: Controller) {
        guard let step = current else { return }
        results[Int(step.rawValue)] = result
        var next = Step(rawValue: step.rawValue + 1)
        while let candidate = next, !Self.isOpen(Self.row(candidate).gate, controller) {
            results[Int(candidate.rawValue)] = .skipped
            next = Step(rawValue: candidate.rawValue + 1)
        }
        current = next
    }

    private static func isOpen(_ gate: Gate, _ controller: Controller) -> Bool {
        switch gate {
        case .always: true
        case .command(let octet, let bit): controller.supports(octet: octet, bit: bit)
        case .commandOnDualMode(let octet, let bit): controller.isDualMode && controller.supports(octet: octet, bit: bit)
        case .commandWithDataLength(let octet, let bit):
            controller.hasDataLengthExtension && controller.supports(octet: octet, bit: bit)
        case .noBuffers: controller.dataLength == 0 || controller.dataPackets == 0
        }
    }
}
