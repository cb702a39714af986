import CBOR
import Cryptography
import Envelopes
import TestSupport

@testable import Mdoc

/// A list of roots: the first octet says whether the rest is the list, or what a pinned signer signed.
func fuzzVICAL(_ octets: UnsafeBufferPointer<UInt8>) {
    guard let mode = octets.first else { return }
    let rest = Array(octets.dropFirst())
    let isSigned = mode & 1 == 1
    guard let text = isSigned ? try? TestList.signed(rest) : rest else { return require(false, "anything can be signed") }
    do throws(VICALError) {
        let list = try VICAL(text.span, pinned: pinnedProvider, inForce: inForce, at: DocumentFixtures.now)
        check(list)
        guard !isSigned else { return }
        // Only what the provider signed, whatever was changed around it.
        require(list.issue == recordedList?.issue && list.provider == recordedList?.provider, "no other list is accepted")
        require(list.roots.map(\.fingerprint) == recordedList?.roots.map(\.fingerprint), "no other root is accepted")
        require(list.roots.map(\.docTypes) == recordedList?.roots.map(\.docTypes), "no root vouches for other documents")
    } catch {
        let reasons: [VICALError] = [.tooMuch, .contents, .version, .tooManyEntries, .issueMissing, .rolledBack]
        require(!isSigned || reasons.contains(error), "the signer is good")
    }
}

private func check(_ list: VICAL) {
    require(list.issue.map { $0 >= inForce } == true, "no older list")
    require(list.roots.count + list.skipped.count <= VICALLimits.entries, "an entry gives one root or one fault")
    require(Set(list.roots.map(\.fingerprint)).count == list.roots.count, "no root twice")
    for root in list.roots {
        require(1...VICALLimits.docTypes ~= (root.docTypes ?? []).count, "a root vouches for some documents and not for every kind")
        require(root.certificate.hasSigned(root.certificate) && root.certificate.isAuthority, "a root is one")
    }
    for skipped in list.skipped { require(!skipped.fault.name.isEmpty, "a fault has a name") }
    require(Set(list.warnings).count == list.warnings.count, "a warning is said once")
}

private let inForce: UInt64 = 7

private let pinnedProvider: [Certificate] = {
    let der = Hex.bytes(ListsFixtures.provider)
    return (try? Certificate(der.span)).map { [$0] } ?? []
}()

/// What a provider has published, and anybody may change.
private let recorded: TestList = {
    var list = TestList()
    list.chain = [ListsFixtures.signerBelow, ListsFixtures.intermediate]
    list.entries.append(TestList.Entry(DocumentFixtures.rootOfSameName, ["org.iso.23220.photoid.1"]).octets)
    return list
}()

private let recordedList: VICAL? = {
    guard let octets = try? recorded.octets() else { return nil }
    return try? VICAL(octets.span, pinned: pinnedProvider, inForce: inForce, at: DocumentFixtures.now)
}()

let vicalSeeds: [[UInt8]] = {
    guard let octets = try? recorded.octets() else { return [] }
    var twice = TestList(), bare = TestList()
    twice.entries.append(TestList.Entry(DocumentFixtures.root, ["org.iso.7367.1.mVRC"]).octets)
    bare.entries = []
    bare.nextUpdate = nil
    return [[0] + octets, [0] + CBOREncoding.tag(18, octets)] + [recorded, twice, bare].map { [1] + $0.payload() }
}()
