/// Looks up a credential's status in the lists of the trust bundle. Never fetches; every doubt is unknown.
struct StatusLookup {
    let trust: TrustStore
    let memory: VerifierMemory
    /// Now, in seconds since 1970.
    let time: Seconds

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
                age = max(age ?? 0, list.age(at: time))
                if list.isOver(at: time, for: issuer), (try? list.status(of: entry)) == .revoked {
                    worst = .revoked
                    isStale = true
                    continue
                }
                try list.check(at: time, for: issuer)
                if list.isStale(at: time, for: issuer) { isStale = true }
                worst = Self.worse(worst, try list.status(of: entry))
            } catch {
                if error == .listUnsigned, wasRevoked(status, issuer) {
                    worst = .revoked
                    isStale = true
                    continue
                }
                fault = fault ?? error
                worst = Self.worse(worst, .unknown)
            }
        }
        return StatusFinding(status: worst, age: age, isStale: isStale, fault: worst == .unknown ? fault : nil)
    }

    /// Whether the list said *revoked* when it was fetched, by a key or certificate that has ended since. Nothing else is taken from such a list, and
    /// nothing before it begins.
    private func wasRevoked(_ status: StatedStatus, _ issuer: TrustedIssuer) -> Bool {
        guard case .entry(let entry) = status, let list = try? list(entry.list, issuer, asFetched: true), list.fetched < time, list.hasBegun(at: time, for: issuer)
        else { return false }
        return (try? list.status(of: entry)) == .revoked
    }

    /// A certain no outweighs a doubt, and a doubt a yes.
    private static func worse(_ one: CredentialStatus, _ other: CredentialStatus) -> CredentialStatus {
        let order: [CredentialStatus] = [.revoked, .suspended, .unknown, .good]
        return order.first { $0 == one || $0 == other } ?? .unknown
    }

    /// - Parameter asFetched: with the keys of when it was fetched, instead of now.
    private func list(_ url: String, _ issuer: TrustedIssuer, asFetched: Bool = false) throws(StatusListFault) -> StatusList {
        guard let document = trust.lists.first(where: { $0.url.isExactly(url) }) else { throw .listMissing }
        let key = StatusMemory.Key(document, issuer, isAsFetched: asFetched), time = asFetched ? document.fetched : time
        if let known = memory.lists.recall(key, at: time) { return try known.get() }
        let read: Result<StatusList, StatusListFault>
        do throws(StatusListFault) {
            read = .success(try StatusList(StatusListDocument(document), of: issuer, trust: trust, memory: memory, at: time))
        } catch {
            read = .failure(error)
        }
        memory.lists.keep(read, for: key, at: time)
        return try read.get()
    }
}
