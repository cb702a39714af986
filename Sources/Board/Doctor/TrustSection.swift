import Appliance
import Credentials
import Envelopes
import Trust

/// Whom the gate believes, and for how long yet.
public enum TrustSection {
    /// - Parameters:
    ///   - bundle: where `store` comes from; nil for a folder that nobody signed.
    ///   - mark: what is left of the high-water mark.
    ///   - now: seconds since 1970, as late as is certain.
    public static func examine(
        _ store: TrustStore, bundle: TrustBundle?, mark: InstalledTrust.MarkState = .whole, at now: Seconds
    ) -> DoctorReport.Section {
        var section = DoctorReport.Section("trust")
        let issuers = Sentence.count(store.issuers.count, "issuer")
        if let bundle {
            let left = max(0, bundle.notAfter.subtractingReportingOverflow(now).partialValue) / 86_400
            section.summary = "bundle \(bundle.sequence), \(Sentence.count(Int(clamping: left), "day")) left, \(issuers)"
            if mark == .lost {
                section.trouble(
                    "mark", "mark-lost",
                    "the high-water mark is lost: bundle \(bundle.sequence), which is installed, takes its place when the gate starts",
                    .init(
                        "Look at the disk, and who can write there; then start the gate, which makes a new one",
                        "systemctl restart gatehouse"))
            }
            if now >= bundle.notAfter {
                section.trouble(
                    "trust", "trust-expired", "the bundle has expired: nobody is let in",
                    .init("Install a new one", "gatehouse trust install FILE --root FILE --into FOLDER"))
            }
        } else {
            section.summary = "a folder that nobody signed, \(issuers)"
        }
        for issuer in store.issuers {
            let keys = Sentence.count(issuer.keys.count, "key"), roots = Sentence.count(issuer.roots.count, "root")
            section.add(issuer.ids.joined(separator: " "), "\(keys), \(roots)")
        }
        for list in store.statusLists(at: now) { add(list, to: &section) }
        warn(store, now, in: &section)
        return section
    }

    /// `doctor` tells an end twice as long before as the gate itself.
    private static func warn(_ store: TrustStore, _ now: Seconds, in section: inout DoctorReport.Section) {
        for end in store.ends(at: now) where end.days(from: now) < 2 * EntryWatch.notice(end.part) {
            // Its own line says already that it has.
            if end.time <= now, end.part == .bundle { continue }
            section.note(
                "\(end)", EntryWatch.words(end, now), .init("Make a new bundle, have it signed, and install it", "gatehouse trust build"))
        }
    }

    /// - Parameter sentence: why the trust folder cannot be used.
    public static func unusable(_ sentence: String, folder: String) -> DoctorReport.Section {
        var section = DoctorReport.Section("trust")
        section.trouble(
            "trust", "trust-unusable", sentence,
            .init(
                "Look what is there, and install a bundle",
                "gatehouse trust install FILE --root FILE --into \(DoctorReport.Remedy.word(folder))"))
        return section
    }

    private static func add(_ list: StatusListSummary, to section: inout DoctorReport.Section) {
        let name = "status list \(list.url)", text = "fetched \(list.age / 3600) hours ago"
        let renew = DoctorReport.Remedy("Fetch it anew and make a new bundle", "gatehouse trust build")
        if let fault = list.fault {
            section.trouble(name, "status-list-unusable", "\(text), says nothing: \(fault.rawValue). \(fault.sentence)", renew)
        } else if list.isStale {
            section.note(name, "\(text), \(list.entries ?? 0) entries, a newer one is due", renew)
        } else {
            section.add(name, "\(text), \(list.entries ?? 0) entries")
        }
    }
}
