import Envelopes
import Trust

/// Something of the trust store that ends by itself, and takes visitors with it.
public struct TrustEnd: Hashable, Sendable {
    public enum Part: Hashable, Sendable {
        case bundle
        /// The URL of a status list: nobody whose credential names it is let in afterwards, unless the issuer's policy says so.
        case statusList(String)
        /// An issuer's key: its id, and whose it is.
        case key(String, issuer: String)
        /// A certificate that an issuer's chains end in.
        case root(issuer: String)
        /// The certificate that says who asks phones for documents: they answer all the same afterwards.
        case reader
        /// The certificate that updates of the system are verified by. No trust store has it.
        case updateRoot
    }

    public let part: Part
    /// Exclusive, in seconds since 1970.
    public let time: Seconds

    public init(part: Part, time: Seconds) {
        self.part = part
        self.time = time
    }

    /// Whole days that are left; 0 within the last, and afterwards.
    public func days(from now: Seconds) -> Int64 {
        let (left, isOver) = time.subtractingReportingOverflow(now)
        return isOver ? 0 : max(0, left) / 86_400
    }
}

extension TrustStore {
    /// Everything here that ends, the first first. A key or a list whose end has come is among them, one that never ends is not.
    ///
    /// Verifies every status list: not for each visit.
    ///
    /// - Parameter now: seconds since 1970.
    public func ends(at now: Seconds) -> [TrustEnd] {
        var ends: [TrustEnd] = []
        if let terms { ends.append(TrustEnd(part: .bundle, time: terms.notAfter)) }
        for list in statusLists(at: now) {
            if let time = list.ends { ends.append(TrustEnd(part: .statusList(list.url), time: time)) }
        }
        for issuer in issuers {
            let name = issuer.name ?? issuer.ids.first ?? ""
            for key in issuer.keys {
                if let time = key.notAfter { ends.append(TrustEnd(part: .key(key.id, issuer: name), time: time)) }
            }
            for root in issuer.roots {
                guard let time = (try? root.validity())?.upperBound, time < Timestamp.latest else { continue }
                ends.append(TrustEnd(part: .root(issuer: name), time: time + 1))
            }
        }
        ends += documentEnds(at: now)
        return ends.sorted { $0.time < $1.time }
    }
}

extension TrustStore {
    /// Of documents in phones. A list of roots may have some that ended long ago: only those are told that have not.
    private func documentEnds(at now: Seconds) -> [TrustEnd] {
        var ends: [TrustEnd] = []
        for root in mdoc.trust.roots where root.validity.upperBound >= now && root.validity.upperBound < Timestamp.latest {
            let end = TrustEnd(part: .root(issuer: root.commonName ?? root.country), time: root.validity.upperBound + 1)
            // The same root may be from several lists.
            if !ends.contains(end) { ends.append(end) }
        }
        for reader in mdoc.readers {
            guard let last = reader.validity?.upperBound, last < Timestamp.latest else { continue }
            ends.append(TrustEnd(part: .reader, time: last + 1))
        }
        return ends
    }
}

extension TrustEnd: CustomStringConvertible {
    /// What ends, as a noun.
    public var description: String {
        switch part {
        case .bundle: "the trust bundle"
        case .statusList(let url): "the status list \(url)"
        case .key(let id, let issuer): "the key \(id) of \(issuer)"
        case .root(let issuer): "a root certificate of \(issuer)"
        case .reader: "the certificate that says to phones who asks"
        case .updateRoot: "the certificate of updates"
        }
    }

    /// The same in a few words.
    public var name: String {
        switch part {
        case .bundle: "trust"
        case .statusList: "a status list"
        case .key: "an issuer's key"
        case .root: "an issuer's root"
        case .reader: "the reader's certificate"
        case .updateRoot: "the update root"
        }
    }
}
