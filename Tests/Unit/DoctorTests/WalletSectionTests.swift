import Appliance
import Envelopes
import Presentation
import Testing

@testable import Doctor
@testable import Trust
@testable import TrustedKeyWallet

/// What `doctor` says of wallets that are asked by codes on the screen.
@Suite struct WalletSectionTests {
    private static let now: Seconds = 1_800_000_000

    private func belief(
        _ status: StatusPolicy = StatusPolicy(), list: TrustedKeyIssuer.AddressList? = nil, objects: [TrustedKeyObject] = [.claimClass]
    ) -> TrustedKeyBelief {
        let issuer = TrustedKeyIssuer(
            issuer: 0, ids: ["https://claims.example"], name: nil, types: ["Access"], roles: [:], requires: [], status: status,
            addresses: list)
        return TrustedKeyBelief(
            question: .init(clientID: "gate", wallet: "https://wallet.example/request", objects: objects),
            trust: TrustedKeyTrust(roots: []), issuers: [issuer], issuerOfRoot: [])
    }

    private func examine(
        _ belief: TrustedKeyBelief, isAsked: Bool = true, unposted: EndpointObstacle? = nil
    ) throws -> DoctorReport.Section {
        let settings = isAsked ? try TrustedKeySettings(callback: "http://gate.local/tk/answer") : nil
        return WalletSection.examine(belief, asked: settings, unposted: unposted, at: Self.now)
    }

    private func row(_ section: DoctorReport.Section, _ name: String) -> DoctorReport.Row? { section.rows.first { $0.name == name } }

    private func list(_ age: Seconds) -> TrustedKeyIssuer.AddressList {
        .init(url: "https://claims.example/revoked", fetched: Self.now - age, count: 2)
    }

    @Test func nobodyIsAsked() throws {
        let section = try examine(.nobody, isAsked: false)
        #expect(section.name == "wallets" && section.rows.isEmpty && section.summary == "Trusted Key wallets are not asked")
    }

    @Test func whoIsAskedForWhat() throws {
        let section = try examine(belief(list: list(7_200)))
        #expect(section.rows.map(\.state) == [.ok, .ok])
        #expect(row(section, "Trusted Key")?.value == "asked for 1.3.6.1.4.1.51341.6")
        #expect(row(section, "issuer https://claims.example")?.value == "2 addresses revoked, taken 2 hours ago")
    }

    @Test("asked in vain: nobody is believed, or what is asked makes no code")
    func inVain() throws {
        let many = (1...30).compactMap { TrustedKeyObject("1.3.6.1.4.1.51341.\($0 + 100)") }
        for belief in [.nobody, belief(list: list(0), objects: many)] {
            let trouble = try #require(row(try examine(belief), "Trusted Key"))
            #expect(trouble.state == .trouble && trouble.code == "wallets-in-vain" && trouble.value.hasPrefix("no wallet is asked: "))
        }
    }

    @Test("how old the list of what was revoked is, and what becomes of answers")
    func lists() throws {
        let name = "issuer https://claims.example"
        func found(_ status: StatusPolicy, _ list: TrustedKeyIssuer.AddressList?) throws -> DoctorReport.Row {
            try #require(row(try examine(belief(status, list: list)), name))
        }
        let usual = StatusPolicy()
        #expect(try found(usual, list(usual.softAge)).state == .ok)
        #expect(try found(usual, list(usual.softAge + 1)).value.hasSuffix("a newer one is due"))
        #expect(try found(usual, list(usual.hardAge)).value.hasSuffix("a newer one is due"))
        for age in [usual.hardAge + 1, -1] {
            let row = try found(usual, list(age))
            #expect(row.state == .note && row.value.hasSuffix("too old, or from the future, to say anything") && row.remedy != nil)
        }
        #expect(try found(usual, nil).value.hasSuffix("every answer is rejected"))
        var lenient = StatusPolicy()
        lenient.unknown = .accept
        #expect(try found(lenient, nil).value.hasSuffix("answers are accepted all the same"))
    }

    @Test("proofs that are posted where nobody listens are a trouble, whether other wallets are asked or not")
    func unheard() throws {
        let obstacle = EndpointObstacle.unheard(endpoint: "http://192.168.7.1/didcomm")
        for isAsked in [false, true] {
            let section = try examine(belief(list: list(0)), isAsked: isAsked, unposted: obstacle)
            let trouble = try #require(row(section, "proofs"))
            #expect(trouble.state == .trouble && trouble.code == "proofs-unheard" && trouble.value == obstacle.sentence)
            #expect(section.rows.count == (isAsked ? 3 : 1))
        }
    }
}
