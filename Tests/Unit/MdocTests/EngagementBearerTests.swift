import CBOR
import Cryptography
import Testing

@testable import Mdoc

@Suite struct EngagementBearerTests {
    private static let mine = [UInt8](repeating: 1, count: 16), theirs = [UInt8](repeating: 2, count: 16)

    private func engagement(central: Bool, peripheral: Bool, psm: Bool) throws -> DeviceEngagement {
        var options: [(Int64, [UInt8])] = [(0, CBOREncoding.bool(peripheral)), (1, CBOREncoding.bool(central))]
        if peripheral { options.append((10, CBOREncoding.bytes(Self.theirs))) }
        if central { options.append((11, CBOREncoding.bytes(Self.mine))) }
        if psm { options.append((21, CBOREncoding.unsigned(0x81))) }
        var engagement = TestEngagement(key: try EngagementTests.key())
        engagement.methods = [TestEngagement.bluetooth(options)]
        return try DeviceEngagement(octets: engagement.octets)
    }

    private let channel = Bearer.channel(uuid: Self.theirs, psm: 0x81), client = Bearer.client(uuid: Self.theirs)
    private let server = Bearer.server(uuid: Self.mine)

    @Test func whatIsPreferredComesFirstAndTheRestInTheOrderOfTheStandardsUse() throws {
        let all = try engagement(central: true, peripheral: true, psm: true)
        #expect(all.bearers() == [channel, client, server])
        #expect(all.bearers(preferring: .client) == [client, channel, server])
        #expect(all.bearers(preferring: .server) == [server, channel, client])
    }

    @Test func onlyWhatIsOffered() throws {
        #expect(try engagement(central: true, peripheral: false, psm: true).bearers() == [server])
        #expect(try engagement(central: false, peripheral: true, psm: false).bearers(preferring: .server) == [client])
    }

    @Test func onlyWhatTheGateIsAbleTo() throws {
        let all = try engagement(central: true, peripheral: true, psm: true)
        let one = try engagement(central: false, peripheral: true, psm: true)
        #expect(all.bearers(Bearer.Abilities(hasChannels: false)) == [client, server])
        #expect(all.bearers(preferring: .client, Bearer.Abilities(connects: false)) == [server])
        #expect(one.bearers(Bearer.Abilities(connects: false)) == [])
    }
}
