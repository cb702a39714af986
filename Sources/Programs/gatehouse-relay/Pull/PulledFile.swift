/// A kind of signed file that is fetched. Each has an installer of the gate's, which knows the same bounds.
enum PulledFile {
    /// The trust bundle, the same for every gate under a root.
    case trust
    /// The site file, for one gate or a few.
    case site

    /// As the scripts for sticks call it (`image/overlay/usr/lib/gatehouse/orders`).
    var name: String {
        switch self {
        case .trust: "trust-1.cose"
        case .site: "site-1.cose"
        }
    }

    /// Octets.
    var most: Int {
        switch self {
        case .trust: 16 << 20
        case .site: 1 << 20
        }
    }

    /// A server that has none (404) has nothing to say: a gate needs no site file, and most have no new one. Where there is no bundle,
    /// somebody has mistyped the address.
    var mayBeMissing: Bool { self == .site }
}
