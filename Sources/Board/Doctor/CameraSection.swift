import Appliance
import Devices
import Glibc
import Linux

/// The camera: whether it can be had, and gives pictures.
public enum CameraSection {
    /// Nanoseconds a camera has until its first picture.
    private static let patience: UInt64 = 4_000_000_000

    /// Switches the camera on until there is a picture.
    ///
    /// - Parameters:
    ///   - starter: starts the program of `cmd:`.
    ///   - isNeeded: whether nobody enters without a face that matches.
    public static func examine(_ moniker: CameraMoniker?, starter: (any CommandStarter)?, isNeeded: Bool = false) -> DoctorReport.Section {
        var section = DoctorReport.Section("camera")
        guard let moniker else {
            if isNeeded {
                section.trouble(
                    "camera", ClosedCause.noCamera.code, "nobody can enter: \(ClosedCause.noCamera.sentence)",
                    .init("Look which there are", "v4l2-ctl --list-devices"))
            } else {
                section.summary = "none: faces are not compared"
            }
            return section
        }
        // A picture of it would be taken from whoever runs the doctor.
        if case .standardInput = moniker {
            section.summary = "standard input"
            return section
        }
        let source = moniker.makeSource(supervisor: starter)
        defer { source.stop() }
        do throws(CameraError) {
            let began = Clock.monotonic()
            try source.start()
            guard let header = try firstPicture(of: source, until: began + patience) else {
                section.trouble(
                    "camera", "camera-silent", "it gives no pictures",
                    .init("Look whether its lens is free and its cable firm; and what the kernel says", "dmesg"))
                return section
            }
            section.summary = "\(header.format)" + (header.width > 0 ? " \(header.width) x \(header.height)" : "")
            section.add("first picture", "after \((Clock.monotonic() - began) / 1_000_000) ms")
        } catch {
            section.trouble("camera", "camera-failed", error.sentence, remedy(error))
        }
        return section
    }

    private static func firstPicture(of source: any FrameSource, until end: UInt64) throws(CameraError) -> FrameHeader? {
        var found: FrameHeader?
        while found == nil, Clock.monotonic() < end {
            var ready = pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&ready, 1, 100)
            guard ready.revents != 0 else { continue }
            _ = try source.takeFrame { header, _ in found = header }
        }
        return found
    }

    private static func remedy(_ error: CameraError) -> DoctorReport.Remedy {
        switch error {
        case .notPermitted: .init("Put the user in the group", "usermod -aG video gatehouse")
        case .busy: .init("Look who has it", "fuser -v /dev/video*")
        default: .init("Look which there are", "v4l2-ctl --list-devices")
        }
    }
}
