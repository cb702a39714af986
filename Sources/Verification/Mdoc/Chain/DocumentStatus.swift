import Envelopes

/// Whether a document was withdrawn (mdoc.md section 6.4, step 12).
struct DocumentStatus {
    /// Seconds since the oldest token that was asked was signed.
    private(set) var age: Seconds?
    private(set) var warnings: [MdocWarning] = []
    /// Nil for a document that is not withdrawn.
    private(set) var fault: DocumentFault?

    private static let good: UInt8 = 0, revoked: UInt8 = 1, suspended: UInt8 = 2

    /// - Parameter roots: those of the issuing authority that vouches for the document.
    init(_ reference: StatusReference, _ trust: MdocTrust, under roots: [IssuerRoot], at now: Seconds) {
        guard reference.entry != nil || reference.identifier != nil else {
            fault = DocumentFault(.statusUnknown, .statusMissing)
            return
        }
        let lists = trust.revocationLists(of: roots)
        if let entry = reference.entry {
            let found = find(entry.uri, trust) {
                StatusListToken($0, .statusList, under: roots, lists, or: entry.certificate, at: now)
            }
            add(found) {
                switch $0.value(at: entry.index) {
                case Self.good: .good
                case Self.revoked: .fault(DocumentFault(.statusRevoked, .status))
                case Self.suspended: .fault(DocumentFault(.statusSuspended, .status))
                case nil: .fault(DocumentFault(.statusUnknown, .statusUnusable))
                default: .fault(DocumentFault(.statusUnknown, .status))
                }
            }
        }
        if let identifier = reference.identifier {
            let found = find(identifier.uri, trust) {
                StatusListToken($0, .identifierList, under: roots, lists, or: identifier.certificate, at: now)
            }
            add(found) {
                switch $0.has(identifier.id) {
                case true: .fault(DocumentFault(.statusRevoked, .status))
                case false: .good
                case nil: .fault(DocumentFault(.statusUnknown, .statusUnusable))
                }
            }
        }
    }

    private enum Word {
        case good
        case fault(DocumentFault)
    }

    private enum Found {
        case missing, unusable
        case token(StatusListToken)
    }

    /// The newest token of that address that can be believed. Several may be there: somebody else's, or one that is older than a
    /// withdrawal.
    private func find(_ uri: String, _ trust: MdocTrust, _ read: (MdocTrust.StatusToken) -> StatusListToken?) -> Found {
        var found = Found.missing
        for token in trust.statusTokens where token.uri.isExactly(uri) {
            switch (read(token), found) {
            case (let read?, .token(let other)): if read.isNewer(than: other) { found = .token(read) }
            case (let read?, _): found = .token(read)
            case (nil, .missing): found = .unusable
            case (nil, _): break
            }
        }
        return found
    }

    private mutating func add(_ found: Found, _ word: (StatusListToken) -> Word) {
        switch found {
        case .missing: worsen(DocumentFault(.statusUnknown, .statusMissing))
        case .unusable: worsen(DocumentFault(.statusUnknown, .statusUnusable))
        case .token(let token):
            if let tokenAge = token.age { age = max(age ?? 0, tokenAge) }
            if let staleness = token.staleness { warnings.append(.statusStale(staleness)) }
            if case .fault(let fault) = word(token) { worsen(fault) }
        }
    }

    /// A certain no outweighs a doubt.
    private mutating func worsen(_ other: DocumentFault) {
        let order: [MdocFault] = [.statusRevoked, .statusSuspended, .statusUnknown]
        guard let fault else {
            self.fault = other
            return
        }
        let rank = { (fault: MdocFault) in order.firstIndex(of: fault) ?? order.count }
        if rank(other.fault) < rank(fault.fault) { self.fault = other }
    }
}
