import Devices
import Faces
import Presentation
import Trust
import Tuvali
import Visit

/// Everything a gate is told before it starts. The command fills it with words; what they come to is decided here.
package struct ApplianceConfiguration {
    /// What a gate is called by wallets, and speaks, where nobody says otherwise.
    package static let usualName = "GATEHOUSE", usualWire = "0.5"

    package var links: DeviceLinks
    /// Members of a site file that an option overrules.
    package var overruled: Set<SiteMember> = []
    package var trust: TrustSource
    package var vision: VisionConfiguration
    package var audit: AuditConfiguration
    package var confinement: ConfinementConfiguration
    package var updates: UpdateSource
    /// What is asked of documents in phones.
    package var documents = DocumentConfiguration()
    /// What the gate offers by codes of its own.
    package var offer = OfferConfiguration()
    /// What Trusted Key wallets are asked.
    package var trustedKey = TrustedKeyConfiguration()
    /// What is listened on, on the gate's own network.
    package var network = ListenerConfiguration()
    /// Path of the socket to which verdicts are sent as they are told.
    package var feed: String?
    /// The folder the audit log is kept in.
    package var data: String
    package var name: String?
    package var wire: String?
    /// Seconds.
    package var verdictTime: Double
    /// A file for the packets between host and controller.
    package var trace: String?
    #if DEBUG
        /// Nothing is left out of it.
        package var isTraceWhole = false
    #endif
    /// A file to be made where a controller's driver may be bound anew.
    package var controllerReset: String?

    package init(
        links: DeviceLinks, trust: TrustSource, vision: VisionConfiguration, audit: AuditConfiguration,
        confinement: ConfinementConfiguration, updates: UpdateSource, data: String, verdictTime: Double
    ) {
        self.links = links
        self.trust = trust
        self.vision = vision
        self.audit = audit
        self.confinement = confinement
        self.updates = updates
        self.data = data
        self.verdictTime = verdictTime
    }

    var site: LoadedSite { links.site }
    var auditPath: String { links.audit ?? data + "/audit.jsonl" }
    /// Where the audit log lies; empty for the top of the file system.
    var auditFolder: String { auditPath.lastIndex(of: "/").map { String(auditPath[..<$0]) } ?? "." }
    var gateName: String { name ?? site.settings?.name ?? Self.usualName }

    /// What a running gate writes to.
    func writable() throws(ConfigurationError) -> [String] {
        var folders = [auditFolder.isEmpty ? "/" : auditFolder]
        if try trust.rootFile() != nil { folders.append(trust.folder) }
        if let controllerReset {
            folders.append(String(controllerReset[..<(controllerReset.lastIndex(of: "/") ?? controllerReset.startIndex)]))
        }
        return folders
    }

    /// - Parameter documents: what is asked of documents in phones; nil where nothing is.
    func makeGate(
        _ trust: TrustStore, _ face: Policy.Face, _ settings: FaceSettings, _ documents: DocumentSettings?
    ) throws(ConfigurationError) -> Gatekeeper {
        let name = gateName, wire = wire ?? site.settings?.wire ?? Self.usualWire
        let allowed = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x5F
        }
        guard allowed, !name.isEmpty else { throw ConfigurationError("--name \(name): use A-Z a-z 0-9 _ -") }
        guard let version: WireVersion = ["0.4": .v04, "0.5": .v05][wire] else {
            throw ConfigurationError("--wire \(wire): use 0.4 or 0.5")
        }
        guard verdictTime >= 0.1, verdictTime <= 10 else {
            throw ConfigurationError("--verdict-time \(verdictTime): use 0.1 to 10 seconds")
        }
        var policy = Policy()
        policy.verdictLight = UInt64(verdictTime * 1000)
        // Of short lights as long as they are.
        policy.verdictPause = min(policy.verdictPause, policy.verdictLight)
        policy.face = face
        policy.takesCodes = try vision.wanted(links).codes != .off
        policy.copiesWithoutFace = vision.codes.copiesWithoutFace(links)
        policy.codePrefix = try vision.codes.prefix(links)
        if let documents { policy.mdoc = MdocSettings(documents) }
        policy.trustedKey = try trustedKey.settings(links)
        // Whoever says where answers go wants them.
        policy.offer = try offer.settings(links, others: policy.trustedKey == nil ? [] : [.trustedKey])
        policy.proofs = try offer.wishes(links, isOffered: policy.offer.kinds.contains(.aries))
        policy.proofs?.label = name
        policy.allowsSupervisor = site.allowsSupervisor
        policy.savesPower = links.profile?.power == .battery
        // Last: the stage decides before it.
        policy.faceTime = (settings.readyTime + settings.lookTime) / 1_000_000 + 10_000
        let octets = Array(name.utf8)
        let verifierName = try opened("--name \(name): at most \(VerifierName.longestDeviceName) characters") {
            () throws(TuvaliError) in try VerifierName(deviceName: octets.span)
        }
        do throws(GateError) {
            return try Gatekeeper(name: verifierName, version: version, trust: trust, policy: policy)
        } catch {
            if case .request = error { throw ConfigurationError("documents: more is asked for than one message to a phone holds") }
            throw ConfigurationError("the gate cannot be made: \(error)")
        }
    }
}
