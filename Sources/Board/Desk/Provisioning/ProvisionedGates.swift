import Appliance
import Cryptography
import Envelopes
import JSON
import Linux
import Trust

/// The gates of a plan with their site files signed, as they go to the boards.
package struct ProvisionedGates {
    package struct Gate: Hashable, Sendable {
        package let id: String
        package let title: String?
        /// The signed order.
        package let site: [UInt8]
        /// SHA-256 of `site`, 64 digits.
        package let digest: String
        package let label: [UInt8]

        /// The stick of a board takes `site*.cose`.
        package var siteFile: String { Self.siteFile(of: id) }
        package var labelFile: String { "label-\(id).svg" }

        static func siteFile(of id: String) -> String { "site-\(id).cose" }
    }

    package static let manifestFile = "manifest.json"
    private static let version: Int64 = 1

    package let plan: ProvisioningPlan
    package let gates: [Gate]
    /// Who signed, by the names that the site files say; the same of each.
    package let signerIDs: [String]
    /// Whether so many of the root's signers have signed that gates take the files; nil where no root was named.
    package let isTaken: Bool?

    // MARK: Signing

    /// Signs the site files of a plan: for the first time, or those of an earlier run of the same plan once more.
    ///
    /// - Parameters:
    ///   - latest: the latest time that counts as past, in seconds since 1970: nobody signs for the future.
    ///   - earlier: the folder of a run by other signers; nil for the first.
    ///   - root: who signs. Where so many have signed as it wants, each file is looked at as its gate will.
    package init(
        _ plan: ProvisioningPlan, signedBy id: String, with key: borrowing SigningKey, latest: Seconds, after earlier: String? = nil,
        root: TrustRoot? = nil
    ) throws(ProvisioningError) {
        guard plan.created <= latest else { throw .madeInFuture(plan.created) }
        var gates: [Gate] = [], signerIDs: [String]?, isTaken = root.map { _ in true }
        for gate in plan.gates {
            let signed = try Self.signed(gate, id, key, earlier)
            if let root, try !Self.isTaken(signed, gate, root) { isTaken = false }
            // Of a folder in which some have more signatures than others nobody can say what it is worth.
            guard signerIDs == nil || signerIDs == signed.signerIDs else { throw .otherSigners(gate: gate.id) }
            signerIDs = signed.signerIDs
            guard let label = GateLabel(id: gate.id, title: gate.title).svg() else { throw .noLabel(gate: gate.id) }
            gates.append(Gate(id: gate.id, title: gate.title, site: signed.octets, digest: try Self.digest(signed.octets), label: label))
        }
        (self.plan, self.gates) = (plan, gates)
        (self.signerIDs, self.isTaken) = (signerIDs ?? [], isTaken)
    }

    private static func signed(
        _ gate: ProvisioningPlan.Gate, _ id: String, _ key: borrowing SigningKey, _ earlier: String?
    ) throws(ProvisioningError) -> SignedOrder {
        guard let earlier else {
            do throws(OrderError) {
                return try SignedOrder(signing: gate.order, as: id, with: key)
            } catch {
                throw .signature(gate: gate.id, error)
            }
        }
        let file = Gate.siteFile(of: gate.id), octets: [UInt8]
        do throws(SystemError) {
            octets = try File.read("\(earlier)/\(file)", most: Order.largest)
        } catch {
            throw .earlier(file: file, error)
        }
        let before: SignedOrder, content: Order
        do throws(OrderError) {
            before = try SignedOrder(octets)
            content = try before.unverified().content
        } catch {
            throw .signature(gate: gate.id, error)
        }
        guard content == gate.order else { throw .otherPlan(gate: gate.id) }
        do throws(OrderError) {
            return try before.signed(as: id, with: key)
        } catch {
            throw .signature(gate: gate.id, error)
        }
    }

    /// As the gate does. Fewer signatures than the root wants are no fault yet: the others sign after this one.
    private static func isTaken(
        _ signed: SignedOrder, _ gate: ProvisioningPlan.Gate, _ root: TrustRoot
    ) throws(ProvisioningError) -> Bool {
        do throws(OrderError) {
            let order = try signed.verify(root)
            try order.check(.site, for: gate.id)
            return true
        } catch .signature(.thresholdNotMet) {
            return false
        } catch {
            throw .notTaken(gate: gate.id, error)
        }
    }

    private static func digest(_ octets: [UInt8]) throws(ProvisioningError) -> String {
        guard let digest = try? Digest.hash(octets.span, .sha256) else { throw .noDigest }
        return Hexadecimal.text(digest)
    }

    // MARK: Writing

    /// What is in the folder, and for which board: one line of JSON.
    package var manifest: [UInt8] {
        var writer = JSONWriter(reserving: 256 * (gates.count + 2))
        writer.object { writer in
            writer.member("gatehouse-manifest", Self.version)
            writer.member("number", plan.number)
            writer.member("created", Timestamp.text(plan.created) ?? "")
            writer.member("notAfter", Timestamp.text(plan.notAfter) ?? "")
            writer.name("signers")
            writer.array { writer in for id in signerIDs { writer.string(id) } }
            writer.name("gates")
            writer.array { writer in
                for gate in gates {
                    writer.object { writer in
                        writer.member("id", gate.id)
                        if let title = gate.title { writer.member("title", title) }
                        writer.member("number", plan.number)
                        writer.member("site", gate.siteFile)
                        writer.member("sha256", gate.digest)
                        writer.member("label", gate.labelFile)
                    }
                }
            }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// Makes the folder with all that is in it, or nothing: it has its name only when everything is on the disk.
    package func write(to folder: String) throws(ProvisioningError) {
        do throws(SystemError) {
            var draft = try DraftFolder(for: folder)
            for gate in gates {
                try draft.add(gate.siteFile, gate.site)
                try draft.add(gate.labelFile, gate.label)
            }
            try draft.add(Self.manifestFile, manifest)
            try draft.settle()
        } catch {
            throw error.errno == SystemError.alreadyThere.errno ? .isThere : .output(error)
        }
    }
}
