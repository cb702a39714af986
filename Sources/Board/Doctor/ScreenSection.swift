import Devices

/// The screen: what it is, and whether a phone can scan the code on it.
public enum ScreenSection {
    /// Opens the screen for a moment. A terminal has nothing to check, and would be cleared.
    ///
    /// - Parameter words: what is missing of the screen's words, a sentence each.
    public static func examine(_ moniker: ScreenMoniker, words findings: [String] = []) -> DoctorReport.Section {
        var section = DoctorReport.Section("screen")
        examine(moniker, &section)
        for finding in findings { section.note("words", finding, .init("Make the sheets anew, or name another language", "make words")) }
        return section
    }

    private static func examine(_ moniker: ScreenMoniker, _ section: inout DoctorReport.Section) {
        guard case .framebuffer(let path, let view) = moniker else {
            section.summary = "no framebuffer"
            return
        }
        do throws(ScreenError) {
            let screen = try FramebufferScreen(path)
            defer { screen.close() }
            section.summary = path
            describe(screen.geometry, view, in: &section)
            if let caution = screen.caution {
                section.trouble(
                    "screen", "screen-console", caution,
                    .init("Until the next start, this does it", "echo 0 >/sys/class/vtconsole/vtcon1/bind"))
            }
        } catch {
            section.trouble("screen", code(error), "\(path): \(error)", remedy(error))
        }
    }

    static func describe(_ geometry: FramebufferGeometry, _ view: ScreenView = ScreenView(), in section: inout DoctorReport.Section) {
        section.add("geometry", "\(geometry.width) x \(geometry.height)")
        section.add("depth", "\(geometry.pixel * 8) bits")
        let modules = codeSide + 2 * QRCode.quietZone
        let scale = geometry.module(ofModules: modules, view: view)
        let text = "\(scale) pixels (\(modules) modules)"
        let larger = DoctorReport.Remedy("Name a larger screen, fb:/dev/fb1 with --screen, of those there are", "ls /dev/fb*")
        switch scale {
        // Cameras take a square of one pixel for noise.
        case ...1: section.trouble("screen", "screen-too-small", "a module of the code would have \(text): no phone scans that", larger)
        case 2: section.note("module of the code", "\(text): phones scan it from near only", larger)
        default: section.add("module of the code", text)
        }
    }

    /// Modules a side of the code for the longest name.
    static var codeSide: Int {
        var code = QRCode()
        // 25 octets of form, "OVP" and eleven letters, "&key=" and 64 digits.
        let octets = [UInt8](repeating: UInt8(ascii: "a"), count: 25 + 14 + 5 + 64)
        octets.withUnsafeBytes { text in
            do throws(QRCodeError) { try code.encode(text) } catch { code.clear() }
        }
        return code.side > 0 ? code.side : QRCode.largestSide
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
