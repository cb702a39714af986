import Cryptography
import Envelopes
import JSON
import Mdoc

/// What `generated_cases.json` has beside its cases. `vical` is a list of roots, with its signer and the root that is in it. `crl` is a
/// root, a signer of documents that is in none of the cases, and the root's revocation lists: the name says which of them has the signer.
enum OlderListsCheck {
    private static let authority = "iaca", signer = "ds", revoking = "revoked"

    /// Prints every difference. A list that cannot be read is one.
    static func run(_ file: JSONValue) -> (count: Int, agreed: Int) {
        var count = 0, agreed = 0
        func compare(_ name: String, _ expected: String, _ found: String) {
            count += 1
            if expected == found { agreed += 1 } else { print("\(name): expected \(expected), found \(found)") }
        }
        if let vical = file["vical"] { compare("vical", "its root", roots(vical, at: now(file))) }
        if let lists = file["crl"]?.members {
            for list in lists where list.name != authority && list.name != signer {
                compare("crl \(list.name)", list.name.contains(revoking) ? "revoked" : "good", verdict(file["crl"], list.name))
            }
        }
        return (count, agreed)
    }

    /// The clock of the first case.
    private static func now(_ file: JSONValue) -> Seconds {
        guard var cases = file[CasesCheck.member]?.elements, let first = cases.next() else { return 0 }
        return (try? first.seconds("now")) ?? 0
    }

    private static func roots(_ value: JSONValue, at now: Seconds) -> String {
        guard let octets = try? value.octets("vical"), let der = try? value.octets("signer"), let root = try? value.octets(authority),
            let pinned = try? Certificate(der.span)
        else { return "unusable" }
        do throws(VICALError) {
            let list = try VICAL(octets.span, pinned: [pinned], inForce: nil, at: now)
            let found = list.roots.compactMap { try? $0.certificate.der() }
            return found == [root] && list.skipped.isEmpty ? "its root" : "other roots"
        } catch {
            return error.rawValue
        }
    }

    private static func verdict(_ value: JSONValue?, _ name: String) -> String {
        guard let value, let octets = try? value.octets(name), let root = try? value.octets(authority), let der = try? value.octets(signer),
            let list = try? RevocationList(octets.span), let issuer = try? Certificate(root.span), let listed = try? Certificate(der.span)
        else { return "unusable" }
        guard list.isIssued(by: issuer) else { return "of another issuer" }
        return list.lists(listed) ? "revoked" : "good"
    }
}
