import Appliance
import Envelopes

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
        let end = root.end, words = EntryWatch.words(end, now)
        if end.time <= now {
            section.trouble(
                "certificate", "update-root-ended", words + ": no update can be installed",
                .init("Write the card anew with an image that has a newer one", "make image UPDATE_KEYS=FOLDER"))
        } else if let beginning = root.beginning(after: now) {
            section.trouble(
                "certificate", "update-root-not-begun",
                "is valid from \(Timestamp.text(beginning) ?? "\(beginning)") on: until then no update can be installed",
                .init("Look at the board's clock; an image wants one that began before the year 2000", "date -u"))
        } else if end.days(from: now) < 2 * EntryWatch.notice(end.part) {
            section.note(
                "certificate", words,
                .init(
                    "Install an image with a newer one before, signed by the old signer (docs/updates.md, Keys)",
                    "make bundle VERSION=N UPDATE_KEYS=NEW KEYS=OLD"))
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
            "certificate", "update-root-unusable", sentence,
            .init(
                "Look at the file: updates may be refused, and nobody can say until when they come",
                "ls -l \(DoctorReport.Remedy.word(file))"))
        return section
    }
}
