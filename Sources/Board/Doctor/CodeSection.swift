import Appliance
import Linux
import Visit

/// The reading of codes: when the camera looks for them, by what they are read, and what each is worth.
public enum CodeSection {
    /// What this gate is to do with codes.
    public struct Duty: Sendable {
        public var policy: CodePolicy
        /// Why none can be read all the same.
        public var obstacle: CodeObstacle?
        /// Types that are taken without a face that matches.
        public var withoutFace: Set<String>
        /// When faces are compared.
        public var face: Policy.Face

        public init(policy: CodePolicy, obstacle: CodeObstacle?, withoutFace: Set<String>, face: Policy.Face) {
            self.policy = policy
            self.obstacle = obstacle
            self.withoutFace = withoutFace
            self.face = face
        }
    }

    /// Nanoseconds the worker has to start.
    private static let patience: UInt64 = 10_000_000_000

    /// Starts the worker once.
    ///
    /// - Parameter reader: nil where there is nothing to be started.
    public static func examine(_ duty: Duty, _ reader: CodeReader?) -> DoctorReport.Section {
        var section = DoctorReport.Section("codes")
        guard duty.policy != .off else {
            section.summary = "off"
            return section
        }
        section.summary = words(duty.policy)
        switch duty.obstacle {
        case .noCamera:
            section.trouble(
                "codes", "codes-no-camera", "none are read: \(CodeObstacle.noCamera.sentence)",
                .init("Name the camera, or say --codes off; look which there are", "v4l2-ctl --list-devices"))
        case .noButton:
            section.trouble(
                "codes", "codes-no-button", "none are read: \(CodeObstacle.noButton.sentence)",
                .init("Name the line, code=LINE, in the profile's door, or say --codes always", "gpioinfo"))
        case nil: break
        }
        describe(duty, in: &section)
        guard let reader else { return section }
        defer { reader.stop() }
        let began = Clock.monotonic()
        do throws(WorkerFailure) {
            let library = try reader.prepare(until: began + patience)
            section.add("read by", "\(library), loaded in \((Clock.monotonic() - began) / 1_000_000) ms")
        } catch {
            section.trouble(
                "reader", "codes-failed", "\(error): no code is read, and visitors can come by radio",
                .init("Look whether the library is there", "ldconfig -p | grep ZXing"))
        }
        return section
    }

    private static func words(_ policy: CodePolicy) -> String {
        switch policy {
        case .off: "off"
        case .always: "always: the camera is on, and looks ten times a second"
        case .motion: "motion: the camera is on, and looks twice a second until something moves"
        case .button: "button: the camera is off until the door's input code is pressed, then on for 30 s"
        }
    }

    private static func describe(_ duty: Duty, in section: inout DoctorReport.Section) {
        let types = duty.withoutFace.sorted().joined(separator: ", ")
        if duty.face == .required {
            section.add("without a face", "none: a code is accepted with the face in it" + (types.isEmpty ? "" : ", whatever its type"))
        } else if !types.isEmpty {
            section.note("without a face", "\(types == "*" ? "any type" : types): whoever has a copy of such a code is let in")
        } else if duty.face == .whenPhoto {
            section.add("without a face", "none: a code without a photo is rejected")
        } else {
            section.note(
                "without a face", "none, and no faces are compared: every code is rejected (copy-needs-face)",
                .init("Compare faces, or name the types that are taken without", "gatehouse run --help"))
        }
    }
}
