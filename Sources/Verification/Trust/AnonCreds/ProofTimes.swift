import Envelopes

extension TrustContents {
    /// When somebody fetched the status lists of AnonCreds and the lists of revoked addresses, as far as that can be read.
    package var proofTimes: [Seconds] {
        let fetched = anoncreds.files.flatMap { file -> [Seconds] in
            let root = (try? TrustMember(file: file.name, bytes: file.bytes, nodes: AnonCredsFile.nodes))?.value
            return (root?["lists"]?.elements.map(Array.init) ?? []).compactMap { $0["fetched"]?.string.flatMap(Timestamp.seconds) }
        }
        return fetched + trustedKey.times
    }
}

extension AnonCredsBelief {
    /// The latest time, in seconds since 1970, at which an issuer made a status list; nil where there is none. The clock cannot be earlier.
    ///
    /// An issuer cannot push the clock ahead: what claims to be made after it was fetched does not count.
    public var newestListMade: Seconds? {
        definitions.flatMap(\.registries).flatMap(\.lists).filter { $0.timestamp <= $0.fetched }.map(\.timestamp).max()
    }
}
