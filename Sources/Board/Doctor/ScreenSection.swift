import Devices

/// The screen: what it is, and whether a phone can scan the code on it.
public enum ScreenSection {
    /// Opens the screen for a moment. A terminal has nothing to check, and would be cleared.
    ///
    /// - Parameters:
    ///   - words: what is missing of the screen's words, a sentence each.
    ///   - longest: octets of the longest code beside Tuvali's that the site offers; nil where it offers none.
    public static func examine(
        _ moniker: ScreenMoniker, words findings: [String] = [], longest: Int? = nil
    ) -> DoctorReport.Section {
        var section = DoctorReport.Section("screen")
        examine(moniker, longest, &section)
        for finding in findings { section.note("words", finding, .init("Make the sheets anew, or name another language", "make words")) }
        return section
    }

    private static func examine(_ moniker: ScreenMoniker, _ longest: Int?, _ section: inout DoctorReport.Section) {
        guard case .framebuffer(let path, let view) = moniker else {
            section.summary = "no framebuffer"
            return
        }
        do throws(ScreenError) {
            let screen = try FramebufferScreen(path)
            defer { screen.close() }
            section.summary = path
            describe(screen.geometry, view, longest: longest, in: &section)
            if let caution = screen.caution {
                section.trouble(
                    "screen", "screen-console", caution,
                    .init("Until the next start, this does it", "echo 0 >/sys/class/vtconsole/vtcon1/bind"))
            }
        } catch {
            section.trouble("screen", code(error), "\(path): \(error)", remedy(error))
        }
    }

    static func describe(
        _ geometry: FramebufferGeometry, _ view: ScreenView = ScreenView(), longest: Int? = nil, in section: inout DoctorReport.Section
    ) {
        section.add("geometry", "\(geometry.width) x \(geometry.height)")
        section.add("depth", "\(geometry.pixel * 8) bits")
        describe(codeSide, "module of the code", geometry, view, in: &section)
        if let longest { describe(QRCode.side(ofOctets: longest), "module of an invitation", geometry, view, in: &section) }
    }

    private static func describe(
        _ side: Int, _ name: String, _ geometry: FramebufferGeometry, _ view: ScreenView, in section: inout DoctorReport.Section
    ) {
        let modules = side + 2 * QRCode.quietZone
        let scale = geometry.module(ofModules: modules, view: view)
        let text = "\(scale) pixels (\(modules) modules)"
        let larger = DoctorReport.Remedy("Name a larger screen, fb:/dev/fb1 with --screen, of those there are", "ls /dev/fb*")
        switch scale {
        // Cameras take a square of one pixel for noise.
        case ...1: section.trouble("screen", "screen-too-small", "a \(name) would have \(text): no phone scans that", larger)
        case 2: section.note(name, "\(text): phones scan it from near only", larger)
        default: section.add(name, text)
        }
    }

    /// Modules a side of the code for the longest name.
    static var codeSide: Int {
        // 25 octets of form, "OVP" and eleven letters, "&key=" and 64 digits.
        let side = QRCode.side(ofOctets: 25 + 14 + 5 + 64)
        return side > 0 ? side : QRCode.largestSide
    }

    private static func code(_ error: ScreenError) -> String {
        switch error {
        case .notFound: "screen-not-found"
        case .gone: "screen-gone"
        case .notPermitted: "screen-not-permitted"
        case .unsupported: "screen-unsupported"
        case .tooSmall: "screen-too-small"
        case .code, .system: "screen-system"
        }
    }

    private static func remedy(_ error: ScreenError) -> DoctorReport.Remedy {
        switch error {
        case .notPermitted: .init("Put the user in the group", "usermod -aG video gatehouse")
        case .notFound, .gone, .unsupported, .tooSmall, .code, .system: .init("Look which there are", "ls /dev/fb*")
        }
    }
}
