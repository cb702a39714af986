/// Looks up a credential's status in the lists of the trust bundle. Never fetches; every doubt is unknown.
struct StatusLookup {
    let trust: TrustStore
    let memory: VerifierMemory
    /// Now, in seconds since 1970.
    let time: Seconds

    /// A list is read for one issuer: nobody else's word counts for its credentials.
    struct Key: Hashable {
        let url: [UInt8]
        let issuer: [UInt8]
    }

    /// For how long a signature that was checked is not checked again, in seconds: keys and certificates end.
    private static let rest: Seconds = 3600

    /// - Parameters:
    ///   - stated: what the signed credential says.
    ///   - issuer: of the credential, whose policy counts.
    func finding(_ stated: [StatedStatus], of issuer: TrustedIssuer) -> StatusFinding {
        guard !stated.isEmpty else { return .unstated }
        guard !issuer.status.isIgnored else { return StatusFinding(status: .unknown, age: nil, isStale: false, fault: nil) }
        var worst = CredentialStatus.good, fault: StatusListFault?, age: Seconds?, isStale = false
        for status in stated {
            do throws(StatusListFault) {
                guard case .entry(let entry) = status else { throw .entryUnreadable }
                let list = try list(entry.list, issuer)
                let listAge = max(0, time.subtractingReportingOverflow(list.fetched).partialValue)
                age = max(age ?? 0, listAge)
                try list.check(at: time, skew: issuer.skew)
                guard listAge <= issuer.status.hardAge else { throw .listTooOld }
                if listAge > issuer.status.softAge || list.isStale(at: time) { isStale = true }
                let value = try list.status(of: entry)
                guard value != .unknown else { throw .entryMissing }
                worst = Self.worse(worst, value)
            } catch {
                fault = fault ?? error
                worst = Self.worse(worst, .unknown)
            }
        }
        return StatusFinding(status: worst, age: age, isStale: isStale, fault: worst == .unknown ? fault : nil)
    }

    /// A certain no outweighs a doubt, and a doubt a yes.
    private static func worse(_ one: CredentialStatus, _ other: CredentialStatus) -> CredentialStatus {
        let order: [CredentialStatus] = [.revoked, .suspended, .unknown, .good]
        return order.first { $0 == one || $0 == other } ?? .unknown
    }

    private func list(_ url: String, _ issuer: TrustedIssuer) throws(StatusListFault) -> StatusList {
        guard let document = trust.lists.first(where: { $0.url.isExactly(url) }) else { throw .listMissing }
        let key = Key(url: Array(url.utf8), issuer: Array((issuer.ids.first ?? "").utf8))
        if let known = memory.lists[key], known.at <= time, time - known.at < Self.rest { return try known.read.get() }
        let read: Result<StatusList, StatusListFault>
        do throws(StatusListFault) {
            read = .success(try StatusList(document, of: issuer, trust: trust, memory: memory, at: time))
        } catch {
            read = .failure(error)
        }
        memory.lists[key] = (read, time)
        return try read.get()
    }
}
