import Foundation
import JSON
import TestSupport
import Testing

@testable import Credentials
@testable import Trust

/// Whatever is done to a list's octets, it says what its issuer wrote or nothing.
@Suite struct StatusDamageTests {
    private static let now = TestCredential.now

    private func answer(_ bytes: [UInt8], _ entry: StatusEntry, _ trust: TrustStore, _ memory: ProofMemory) -> CredentialStatus {
        let document = PinnedStatusList(url: TestStatusEntry.url, fetched: Self.now, bytes: bytes)
        do throws(StatusListFault) {
            let list = try StatusList(
                try ParsedStatusList(document), of: trust.issuers[0], VerificationContext(trust: trust, proofs: memory, time: Self.now),
                at: Self.now)
            try list.check(at: Self.now, for: trust.issuers[0])
            return try list.status(of: entry)
        } catch {
            return .unknown
        }
    }

    @Test(arguments: StatusScheme.allCases, [CredentialStatus.good, .revoked]) func everyOctet(
        _ scheme: StatusScheme, _ honest: CredentialStatus
    ) throws {
        let trust = try TestIssuers().store(), memory = ProofMemory(trust)
        let list = TestStatusList {
            $0.values = honest == .revoked ? [5: 1] : [:]
            if scheme.isToken { $0.octets = 2 }
        }
        let kind: StatusEntry.Scheme =
            scheme.isToken ? .token : .bitstring(scheme == .legacy ? .statusList2021 : .bitstring, .revocation, size: 1)
        let entry = StatusEntry(scheme: kind, list: TestStatusEntry.url, index: 5)
        let bytes = try list.bytes(scheme)
        #expect(answer(bytes, entry, trust, memory) == honest)
        var unknown = 0, tried = 0
        for position in bytes.indices {
            let changes: [(inout [UInt8]) -> Void] = [
                { $0[position] ^= 1 << UInt8(position % 8) }, { $0[position] ^= 0x20 },
                { $0[position] = $0[position] == 0x30 ? 0x31 : 0x30 },
                { $0.remove(at: position) }, { $0.insert($0[position], at: position) },
            ]
            // A JSON-LD list is longer, and canonicalized each time.
            for change in scheme.isToken ? changes[...] : changes[(position % 5)...].prefix(1) {
                tried += 1
                var mutant = bytes
                change(&mutant)
                let found = answer(mutant, entry, trust, memory)
                #expect(found == .unknown || found == honest, "octet \(position)")
                if found == .unknown { unknown += 1 }
            }
        }
        // White space and letters of hexadecimal apart, nothing is left of a list that was touched.
        #expect(unknown > tried * 9 / 10)
        for length in stride(from: 0, to: bytes.count, by: scheme.isToken ? 1 : 7) {
            #expect(answer(Array(bytes[..<length]), entry, trust, memory) == .unknown)
        }
    }

    @Test func forms() throws {
        let trust = try TestIssuers().store(), memory = ProofMemory(trust)
        let entry = StatusEntry(scheme: .token, list: TestStatusEntry.url, index: 5)
        let list = TestStatusList {
            $0.values = [5: 1]
            $0.octets = 2
        }
        let octets = try list.bytes(.cose), text = try list.bytes(.jose)
        let digits = Hex.text(octets)
        for good in [
            octets, Array(digits.utf8), Array(digits.uppercased().utf8), Array("\r\n \(digits)\n".utf8), text, [0x0A] + text + [0x0A],
        ] {
            #expect(answer(good, entry, trust, memory) == .revoked)
        }
        for bad: [UInt8] in [
            [], [0x20], [0x0A, 0x0A], octets + [0x0A], [0x0A] + octets, Array(digits.dropLast().utf8), Array("{}".utf8), Array("[]".utf8),
            Array("null".utf8),
        ] {
            #expect(answer(bad, entry, trust, memory) == .unknown)
        }
    }
}
