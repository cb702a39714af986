import Credentials

/// Until when the system can be updated.
public enum UpdateSection {
    /// - Parameters:
    ///   - root: what updates are verified by; nil where this system is not updated so.
    ///   - now: seconds since 1970, as late as is certain.
    public static func examine(_ root: UpdateRoot?, at now: Seconds) -> DoctorReport.Section {
        var section = DoctorReport.Section("updates")
        guard let root else {
            section.summary = "none: no certificate to verify them by"
            return section
        }
        let words = EntryWatch.words(root.end, now)
        if root.end.days(from: now) < 2 * EntryWatch.notice(root.end.part) {
            section.note("certificate", words, .init("Make an image with a newer one, and install it before", "image/bundle.sh"))
        } else {
            section.add("certificate", words)
        }
        return section
    }

    /// - Parameters:
    ///   - sentence: why the certificates cannot be used.
    ///   - file: that they are in.
    public static func unusable(_ sentence: String, file: String) -> DoctorReport.Section {
        var section = DoctorReport.Section("updates")
        section.trouble(
            "certificate", "update-root-unusable", sentence, .init("Look at the file: no update can be installed", "openssl x509 -noout -text -in \(DoctorReport.Remedy.word(file))"))
        return section
    }
}
