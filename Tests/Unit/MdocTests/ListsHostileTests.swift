import CBOR
import Cryptography
import Envelopes
import Testing

@testable import Mdoc

/// Lists that were changed on their way, and lists that ask for too much (mdoc.md section 6.2).
struct ListsHostileTests {
    private let good: [UInt8]
    private let pinned: Certificate

    init() throws {
        var list = TestList()
        list.chain = [ListsFixtures.signerBelow, ListsFixtures.intermediate]
        list.entries.append(TestList.Entry(DocumentFixtures.rootOnBrainpool).octets)
        good = try list.octets()
        let der = hex(ListsFixtures.provider)
        pinned = try Certificate(der.span)
    }

    private func read(_ octets: [UInt8]) -> Result<VICAL, VICALError> {
        do throws(VICALError) {
            return .success(try VICAL(octets.span, pinned: [pinned], inForce: nil, at: DocumentFixtures.now))
        } catch {
            return .failure(error)
        }
    }

    private func isUnchanged(_ list: VICAL) throws -> Bool {
        let root = hex(DocumentFixtures.root)
        return try list.roots.map { try $0.certificate.der() } == [root] && list.roots[0].docTypes == [TestDocument.docType]
            && list.issue == 7 && list.provider == "Test Provider" && list.skipped.map(\.fault) == [.root(.unsupportedCurve)]
    }

    @Test func aTruncatedListIsNone() throws {
        #expect(try isUnchanged(read(good).get()))
        for length in 0..<good.count {
            guard case .failure(let error) = read(Array(good.prefix(length))) else {
                Issue.record("\(length) octets are a list")
                continue
            }
            #expect(error == .malformed)
        }
    }

    @Test func noChangeOfABitChangesARoot() throws {
        var accepted = 0
        for position in good.indices {
            // One bit of every octet, another in its neighbour.
            for bit in [position % 8, (position + 3) % 8] {
                var octets = good
                octets[position] ^= 1 << UInt8(bit)
                guard case .success(let list) = read(octets) else { continue }
                accepted += 1
                #expect(try isUnchanged(list), "octet \(position), bit \(bit)")
            }
        }
        // Encodings of one length head have a few other forms; nothing else of a list can change.
        #expect(accepted < 16)
    }

    @Test func anUnreadCertificateOfTheChainMayChangeNothing() throws {
        var list = TestList()
        list.chain = [ListsFixtures.signer, ListsFixtures.providerOfSameName]
        #expect(try TestList.read(list.octets()).roots.count == 1)
        list.chain = [ListsFixtures.signer] + [String](repeating: ListsFixtures.providerOfSameName, count: 7)
        #expect(throws: VICALError.signerChain) { try TestList.read(list.octets()) }
        list.chain.append(ListsFixtures.providerOfSameName)
        #expect(throws: VICALError.malformed) { try TestList.read(list.octets()) }
    }

    @Test func listsHaveBounds() throws {
        #expect(throws: VICALError.tooMuch) { try read([UInt8](repeating: 0, count: VICALLimits.octets + 1)).get() }
        #expect(throws: VICALError.tooMuch) { try read([UInt8](repeating: 0x81, count: 100)).get() }
        let nested = [UInt8](repeating: 0x81, count: 100) + [0]
        var list = TestList()
        list.more = [(CBOREncoding.text("extensions"), nested)]
        #expect(throws: VICALError.tooMuch) { try TestList.read(list.octets()) }
        list = TestList()
        list.more = [(CBOREncoding.text("extensions"), CBOREncoding.array([[UInt8]](repeating: [0], count: 100_000)))]
        #expect(throws: VICALError.tooMuch) { try TestList.read(list.octets()) }
        list = TestList()
        list.entries = [[UInt8]](repeating: CBOREncoding.null, count: VICALLimits.entries)
        let full = try TestList.read(list.octets())
        #expect(full.skipped.count == VICALLimits.entries && full.roots.isEmpty)
        list.entries.append(CBOREncoding.null)
        #expect(throws: VICALError.tooManyEntries) { try TestList.read(list.octets()) }
    }

    @Test func aKeyTwiceIsRefused() throws {
        var list = TestList()
        list.more = [(CBOREncoding.text("vicalIssueID"), CBOREncoding.unsigned(9))]
        #expect(throws: VICALError.contents) { try TestList.read(list.octets()) }
        // An entry cannot be skipped for it: what is no CBOR has no entries.
        list = TestList()
        var entry = TestList.Entry()
        entry.more = [(CBOREncoding.text("ski"), CBOREncoding.bytes([1]))]
        list.entries = [entry.octets]
        #expect(throws: VICALError.contents) { try TestList.read(list.octets()) }
    }

    @Test func aDetachedPayloadIsNone() throws {
        let list = TestList(), payload = list.payload()
        let octets = try TestDocument.signed(
            payload, protected: TestDocument.protected(-7),
            unprotected: [(CBOREncoding.integer(33), CBOREncoding.bytes(hex(ListsFixtures.signer)))], key: ListsFixtures.signerKey,
            carries: nil)
        #expect(throws: VICALError.malformed) { try TestList.read(octets) }
    }
}
