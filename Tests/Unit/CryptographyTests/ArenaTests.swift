import COpenSSL
import Cryptography
import Foundation
import TestSupport
import Testing

/// What a test in a process of its own prints and the parent repeats.
private func lines(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        .split(separator: "\n").filter { $0.hasPrefix("Arena") }.joined(separator: "\n")
}

/// Everything libcrypto does in one visit: a fresh pair, an agreement, two keys, one message opened.
struct VisitCryptography: ~Copyable {
    var agreement: KeyAgreement
    var derivation: KeyDerivation
    var cipher: AuthenticatedCipher

    init() throws {
        let agreement = try KeyAgreement()
        let derivation = try KeyDerivation()
        let cipher = try AuthenticatedCipher()
        self.agreement = agreement
        self.derivation = derivation
        self.cipher = cipher
    }

    /// Runs one visit. `buffer` is a message sealed with `key`, because the pair is fresh and nobody sealed with its key.
    mutating func run(
        _ buffer: UnsafeMutableRawBufferPointer, peer: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>,
        key: Span<UInt8>, nonce: Span<UInt8>
    ) throws(CryptographyError) {
        try agreement.renew()
        let secret = try agreement.agree(with: peer)
        _ = try derivation.derive(32, from: secret, salt: salt, info: info)
        _ = try derivation.derive(32, from: secret, salt: salt, info: salt)
        agreement.forget()
        _ = try cipher.open(buffer, key: key, nonce: nonce)
    }
}

/// The counters belong to the process, and other tests run beside these: so each runs in a process of its own.
@Suite struct ArenaTests {
    @Test func aThousandVisitsTakeNoMoreThanOne() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            precondition(Arena.install(), "libcrypto had allocated before")
            let started = Arena.statistics
            var visit = try VisitCryptography()
            let ready = Arena.statistics
            let peer = KeyAgreementTests.bobPublic
            let words = bytes("SHA-256")
            let key = AuthenticatedCipherTests.key
            let nonce = AuthenticatedCipherTests.nonce
            let sealed = try AuthenticatedCipherTests.seal([UInt8](repeating: 1, count: 100_000))
            let message = UnsafeMutableRawBufferPointer.allocate(byteCount: sealed.count, alignment: 16)
            func visits(_ count: Int) throws {
                for _ in 0..<count {
                    message.copyBytes(from: sealed)
                    try visit.run(
                        message, peer: peer.span, salt: words.span, info: words.span, key: key.span, nonce: nonce.span)
                }
            }
            try visits(10)
            let warm = Arena.statistics
            try visits(1)
            let one = Arena.statistics
            try visits(1000)
            let after = Arena.statistics
            print("Arena after loading libcrypto: \(started.bytesInUse) bytes in use of \(started.capacity)")
            print("Arena with the visit's contexts: \(ready.bytesInUse) bytes, \(ready.bytesReserved) reserved")
            print(
                "Arena per visit: \(one.allocations - warm.allocations) allocations, peak \(one.peak - warm.bytesInUse) bytes over the idle state"
            )
            print("Arena after 1,011 visits: \(after.bytesInUse) bytes, peak \(after.peak), fallbacks \(after.fallbacks)")
            precondition(after.bytesInUse == warm.bytesInUse)
            precondition(after.bytesReserved == warm.bytesReserved)
            precondition(after.peak == warm.peak)
            precondition(after.fallbacks == 0)
            precondition(after.allocations - one.allocations == 1000 * (one.allocations - warm.allocations))
            precondition(after.allocations - one.allocations == after.frees - one.frees)
        }
        print(lines(result))
    }

    @Test func anExhaustedArenaFallsBackAndCounts() async {
        await #expect(processExitsWith: .success) {
            precondition(Arena.install())
            _ = try VisitCryptography()
            let before = Arena.statistics
            var blocks: [UnsafeMutableRawPointer] = []
            // More than the arena in all, and each of a size no other block of it has.
            for _ in 0..<60 {
                guard let block = gatehouse_arena_allocate(50_000, nil, 0) else { preconditionFailure("no memory") }
                block.storeBytes(of: 0x5a, toByteOffset: 49_999, as: UInt8.self)
                blocks.append(block)
            }
            let full = Arena.statistics
            precondition(full.fallbacks > 0 && full.bytesReserved <= full.capacity && full.bytesInUse <= full.capacity)
            // libcrypto goes on working.
            let words = bytes("SHA-256")
            let digest = try Digest.hash(words.span, .sha256)
            precondition(digest.count == 32)
            _ = try VisitCryptography()
            for block in blocks { gatehouse_arena_free(block, nil, 0) }
            let after = Arena.statistics
            precondition(after.bytesInUse <= before.bytesInUse + 4096)
            // What was freed serves again: nothing more falls back.
            guard let again = gatehouse_arena_allocate(50_000, nil, 0) else { preconditionFailure("no memory") }
            precondition(Arena.statistics.fallbacks == after.fallbacks)
            gatehouse_arena_free(again, nil, 0)
        }
    }

    @Test func largerRequestsThanAnyClassFallBack() async {
        await #expect(processExitsWith: .success) {
            precondition(Arena.install())
            let before = Arena.statistics.fallbacks
            guard let block = gatehouse_arena_allocate(1 << 20, nil, 0) else { preconditionFailure("no memory") }
            precondition(Arena.statistics.fallbacks == before + 1)
            memset(block, 7, 1 << 20)
            guard let moved = gatehouse_arena_resize(block, 2 << 20, nil, 0) else { preconditionFailure("no memory") }
            precondition(moved.load(fromByteOffset: (1 << 20) - 1, as: UInt8.self) == 7)
            gatehouse_arena_free(moved, nil, 0)
        }
    }

    @Test func blocksAreAlignedDisjointResizableAndWiped() async {
        await #expect(processExitsWith: .success) {
            precondition(Arena.install())
            var live: [(block: UnsafeMutableRawPointer, size: Int, mark: UInt8)] = []
            var random = SeededRandom(seed: 88172645463325252)
            func next(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
            func check(_ entry: (block: UnsafeMutableRawPointer, size: Int, mark: UInt8), _ count: Int) {
                precondition(UInt(bitPattern: entry.block) % 16 == 0)
                for offset in 0..<count { precondition(entry.block.load(fromByteOffset: offset, as: UInt8.self) == entry.mark) }
            }
            for step in 0..<20_000 {
                let mark = UInt8(truncatingIfNeeded: step | 1)
                if live.isEmpty || (live.count < 40 && next(2) == 0) {
                    let size = 1 + next(next(8) == 0 ? 9000 : 300)
                    guard let block = gatehouse_arena_allocate(size, nil, 0) else { preconditionFailure("no memory") }
                    // Blocks come wiped, fresh from the system or freed before.
                    check((block, size, 0), size)
                    memset(block, Int32(mark), size)
                    live.append((block, size, mark))
                } else if next(3) == 0 {
                    let index = next(live.count)
                    let size = 1 + next(9000)
                    guard let block = gatehouse_arena_resize(live[index].block, size, nil, 0) else {
                        preconditionFailure("no memory")
                    }
                    check((block, size, live[index].mark), min(size, live[index].size))
                    memset(block, Int32(mark), size)
                    live[index] = (block, size, mark)
                } else {
                    let entry = live.remove(at: next(live.count))
                    check(entry, entry.size)
                    gatehouse_arena_free(entry.block, nil, 0)
                }
            }
            for entry in live { gatehouse_arena_free(entry.block, nil, 0) }
            precondition(Arena.statistics.fallbacks == 0)
        }
    }

    @Test func aBlockFreedTwiceEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            guard let block = gatehouse_arena_allocate(64, nil, 0) else { return }
            gatehouse_arena_free(block, nil, 0)
            gatehouse_arena_free(block, nil, 0)
        }
    }

    /// libcrypto's configuration file can withhold algorithms or load foreign ones. Ours is never read.
    @Test func aConfigurationFileHasNoSay() async {
        await #expect(processExitsWith: .success) {
            let path = NSTemporaryDirectory() + "gatehouse-\(getpid()).cnf"
            let text = "openssl_conf = start\n[start]\nalg_section = none\n[none]\ndefault_properties = provider=absent\n"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            defer { unlink(path) }
            setenv("OPENSSL_CONF", path, 1)
            let words = bytes("SHA-256")
            let digest = try Digest.hash(words.span, .sha256)
            precondition(digest.count == 32)
            _ = try VisitCryptography()
        }
    }

    @Test func keysAndCertificatesGiveBackWhatTheyTake() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            func round() throws {
                for example in try PublicKeyTests.examples() {
                    precondition(PublicKeyTests.refusal(example.key, example.signature, example.message, example.algorithm) == nil)
                    let wrong = [UInt8](repeating: 0x55, count: example.signature.count)
                    precondition(PublicKeyTests.refusal(example.key, wrong, example.message, example.algorithm) != nil)
                    _ = try example.key.subjectPublicKeyInfo()
                }
                for path in [
                    [CertificateFixtures.leaf, CertificateFixtures.middle], [CertificateFixtures.leaf],
                    [CertificateFixtures.forgedLeaf, CertificateFixtures.middle], [CertificateFixtures.leafWithHiddenName],
                    [CertificateFixtures.leafWithBrokenNames], [CertificateFixtures.weakLeaf],
                ] {
                    _ = CertificateChainTests.verify(path, roots: [CertificateFixtures.lookalikeRoot, CertificateFixtures.root])
                }
                for info in [SignatureFixtures.p521Info, SignatureFixtures.explicitCurveInfo, Array(SignatureFixtures.p521Info.dropLast())]
                {
                    _ = failure { () throws(CryptographyError) in _ = try PublicKey(der: info.span) }
                }
            }
            precondition(Arena.install())
            try round()
            try round()
            let warm = Arena.statistics
            for _ in 0..<50 { try round() }
            let after = Arena.statistics
            print("Arena with keys of every kind and certificates: peak \(after.peak) bytes, fallbacks \(after.fallbacks)")
            precondition(after.bytesInUse == warm.bytesInUse)
            precondition(after.fallbacks == 0)
        }
        print(lines(result))
    }
}
