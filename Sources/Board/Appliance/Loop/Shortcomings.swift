import Trust
import Visit

/// What a gate says once at its start: whom it lets in without looking, and what of its settings comes to nothing on this board.
struct Shortcomings {
    private(set) var sentences: [String] = []

    /// - Parameter hasFaces: there is a camera, and somebody compares what it sees.
    init(
        _ configuration: ApplianceConfiguration, _ face: Policy.Face, hasFaces: Bool, _ believed: TrustStore
    ) throws(ConfigurationError) {
        let links = configuration.links, codes = configuration.vision.codes
        if face == .off {
            sentences.append("holder not bound: without face matching, whoever has a copy of a credential is let in")
        } else if !hasFaces {
            let rejected = face == .required ? "everybody" : "whoever has a photo in the credential"
            sentences.append("faces are to be compared, but there is no --camera: \(rejected) is rejected")
        }
        if let obstacle = codes.obstacle(links, try codes.policy(links, face)) {
            sentences.append("no codes are read: \(obstacle.sentence)")
        }
        if let obstacle = try configuration.walletObstacle(believed) { sentences.append("no Trusted Key wallet is asked: \(obstacle)") }
        if let obstacle = try configuration.offer.endpointObstacle(links, configuration.network) {
            sentences.append("no posted proof arrives: \(obstacle.sentence)")
        }
    }
}
