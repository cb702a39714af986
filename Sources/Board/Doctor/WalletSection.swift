import Appliance
import Envelopes
import Presentation
import Trust
import TrustedKeyWallet

/// Whether Trusted Key wallets are asked, for what, and whom the gate believes about their claims; and whether proofs that wallets are told
/// to post arrive.
public enum WalletSection {
    private static let name = "wallets"

    /// - Parameters:
    ///   - asked: what the site says of Trusted Key wallets; nil where nothing.
    ///   - unposted: why proofs that are posted do not arrive; nil where they do, or none are asked for.
    ///   - now: seconds since 1970, as late as is certain.
    package static func examine(
        _ belief: TrustedKeyBelief, asked: TrustedKeySettings?, unposted: EndpointObstacle? = nil, at now: Seconds
    ) -> DoctorReport.Section {
        var section = DoctorReport.Section(name)
        if let unposted {
            section.trouble(
                "proofs", "proofs-unheard", unposted.sentence,
                .init("Name the same address in both: endpoint of proofs, and http", "gatehouse site show --member proofs"))
        }
        guard let asked else {
            section.summary = "Trusted Key wallets are not asked"
            return section
        }
        if let obstacle = asked.obstacle(belief) {
            section.trouble(
                "Trusted Key", "wallets-in-vain", "no wallet is asked: \(obstacle)",
                .init("Pin a root for such claims, or ask for less", "gatehouse trust inspect FILE"))
        } else if let question = belief.question {
            section.add("Trusted Key", "asked for \(question.objects.map(\.identifier).joined(separator: " "))")
        }
        for issuer in belief.issuers { add(issuer, now, to: &section) }
        return section
    }

    private static func add(_ issuer: TrustedKeyIssuer, _ now: Seconds, to section: inout DoctorReport.Section) {
        let name = "issuer \(issuer.ids.first ?? "")", policy = issuer.status
        let renew = DoctorReport.Remedy("Take a newer list and make a new bundle", "gatehouse trust build")
        guard !policy.isIgnored else { return section.note(name, "what was revoked is of no interest, by its entry") }
        guard let list = issuer.addresses else {
            let outcome = policy.unknown == .reject ? "every answer is rejected" : "answers are accepted all the same"
            return section.note(name, "no list of what was revoked: \(outcome)", renew)
        }
        let age = now - min(now, list.fetched), addresses = list.count == 1 ? "1 address" : "\(list.count) addresses"
        let text = "\(addresses) revoked, taken \(age / 3600) hours ago"
        if list.fetched > now || age > policy.hardAge {
            section.note(name, "\(text): too old, or from the future, to say anything", renew)
        } else if age > policy.softAge {
            section.note(name, "\(text): a newer one is due", renew)
        } else {
            section.add(name, text)
        }
    }
}
