import Bluetooth
import Credentials
import Presentation
import Testing
import Trust

@testable import Tuvali
@testable import Visit

/// Whole visits: what is accepted, what is rejected and why, and what the wallet and the lights are told, when.
@Suite struct VerdictTests {
    @Test(arguments: [67, 100, 185, 247, 517] as [UInt16])
    func aGoodCredentialIsAccepted(_ mtu: UInt16) throws {
        let test = try TestGate()
        try test.goodVisit(mtu: mtu)
        #expect(test.reports == [])
        test.wait(50)
        #expect(test.reports == [[1, 0, 0]])
        #expect(test.statuses == [[0]])
        #expect(test.pushes.map(\.0) == [.transferReportResponse, .verificationStatus])
        #expect(test.light == .accept)
        let record = try #require(test.records.first)
        #expect(record.outcome == .accepted)
        #expect(record.reasons == [])
        #expect(record.form == .sdJWT)
        #expect(record.issuer == "https://issuer.example")
        #expect(record.notes == ["holder-not-bound"])
        #expect(record.isHolderBound == false)
        #expect(record.face == nil)
        #expect(record.error == nil)
        #expect(record.mtu == mtu)
        #expect(record.chunks > 0)
        test.leave()
        test.wait(5000)
        #expect(test.outcomes == [.accepted])
        #expect(!test.isAskedToLeave)
        #expect(test.lights == [.off, .ready, .busy, .accept, .ready])
    }

    @Test("a gate whose clock stands in the year 2000 goes by what it has run, and a clock that jumps leaves no trace")
    func clockThatStands() throws {
        let bundle = try TrustBundle(
            sequence: 1, created: TestIssuer.now - 10, notBefore: TestIssuer.now - 10, notAfter: TestIssuer.now + 200, clock: .accept,
            contents: TrustContents())
        let test = try TestGate(terms: TrustTerms(bundle, highWater: TestIssuer.now - 10, uptime: 5))
        func visit() throws -> [GateReason] {
            try test.goodVisit()
            test.wait(50)
            let reasons = try #require(test.records.last).reasons
            test.leave()
            test.wait(5000)
            return reasons
        }
        test.setClock(946_684_800)
        #expect(try visit() == [] && test.records.last?.notes.contains("clock-unsure") == true)
        test.setClock(TestIssuer.now + 300)
        #expect(try visit() == [.credential(.trustExpired)])
        test.setClock(946_684_800)
        #expect(try visit() == [])
        test.run(seconds: 205)
        #expect(try visit() == [])
        test.run(seconds: 10)
        #expect(try visit() == [.credential(.trustExpired)])
        #expect(test.outcomes == [.accepted, .rejected, .accepted, .accepted, .rejected])
    }

    @Test func aBareCredentialWithoutAWrapperIsAcceptedAsWell() throws {
        let test = try TestGate()
        let wallet = try TestWallet()
        test.visit(wallet, try wallet.seal(TestWallet.gzip(Array(TestIssuer.credential().utf8)), for: test.key))
        test.wait(50)
        #expect(test.outcomes == [.accepted])
    }

    @Test func aSubscribedWalletIsToldByIndications() throws {
        let test = try TestGate()
        test.connect()
        for characteristic in [Characteristic.transferReportResponse, .verificationStatus, .disconnect] {
            test.subscribe(characteristic, 2)
        }
        let wallet = try TestWallet()
        let message = try wallet.seal(TestWallet.gzip(TestIssuer.payload()), for: test.key)
        test.write(.identifyRequest, wallet.identify, isCommand: false)
        test.write(.responseSize, [0, 0, UInt8(message.count >> 8), UInt8(message.count & 0xFF)], isCommand: false)
        for (index, start) in stride(from: 0, to: message.count, by: 505).enumerated() {
            test.write(.submitResponse, TestGate.chunk(index + 1, message[start..<min(start + 505, message.count)]))
        }
        test.write(.transferReportRequest, [1], isCommand: false)
        test.wait(50)
        #expect(test.reports == [[1, 0, 0]])
        #expect(test.statuses == [[0]])
    }

    // MARK: rejects

    struct Bad: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: String
        /// What is sealed.
        var plaintext: @Sendable () throws -> [UInt8]
        /// What happens to it on the way.
        var damage: @Sendable (inout [UInt8]) -> Void = { _ in }

        init(
            _ name: String, _ code: String, _ plaintext: @escaping @Sendable () throws -> [UInt8],
            damage: @escaping @Sendable (inout [UInt8]) -> Void = { _ in }
        ) {
            testDescription = name
            self.code = code
            self.plaintext = plaintext
            self.damage = damage
        }
    }

    static let bad: [Bad] = [
        Bad("first octet changed", "message-not-authentic", { try TestWallet.gzip(TestIssuer.payload()) }) { $0[0] ^= 1 },
        Bad("tag changed", "message-not-authentic", { try TestWallet.gzip(TestIssuer.payload()) }) { $0[$0.count - 1] ^= 0x80 },
        Bad("cut off", "message-not-authentic", { try TestWallet.gzip(TestIssuer.payload()) }) { $0.removeLast() },
        Bad("longer", "message-not-authentic", { try TestWallet.gzip(TestIssuer.payload()) }) { $0.append(0) },
        Bad("fifteen octets", "message-too-short", { [] }) { $0.removeLast() },
        Bad("a tag alone", "message-empty", { [] }),
        Bad("a gzip member of nothing", "message-empty", { TestWallet.gzip([]) }),
        Bad("not gzip", "message-not-gzip", { try TestIssuer.payload() }),
        Bad("gzip cut off", "message-truncated", { try TestWallet.gzip(TestIssuer.payload()).dropLast(9) }),
        Bad(
            "gzip damaged", "message-corrupt",
            {
                var member = try TestWallet.gzip(TestIssuer.payload())
                member[member.count - 6] ^= 1
                return member
            }),
        Bad("two gzip members", "message-trailing-bytes", { try TestWallet.gzip(TestIssuer.payload()) + TestWallet.gzip([1]) }),
        Bad("a bomb", "message-inflates-too-large", { TestWallet.gzip([UInt8](repeating: 0x20, count: MessageOpener.payloadCap + 1)) }),
        Bad("a linked data credential", "form-not-trusted", { TestWallet.gzip(TestIssuer.linkedData) }),
        Bad("broken JSON", "message-malformed", { TestWallet.gzip(Array(#"{"verifiableCredential":"#.utf8)) }),
        Bad("no credential", "credential-missing", { TestWallet.gzip(Array("{}".utf8)) }),
        Bad(
            "another's signature", "signature-invalid",
            {
                try TestWallet.gzip(TestIssuer.wrapped(TestIssuer.credential(seed: TestIssuer.strangersSeed)))
            }),
        Bad("expired", "expired", { try TestWallet.gzip(TestIssuer.wrapped(TestIssuer.credential(expires: TestIssuer.now - 1))) }),
    ]

    @Test(arguments: bad)
    func isRejected(_ bad: Bad) throws {
        let test = try TestGate()
        let wallet = try TestWallet()
        var message = try wallet.seal(bad.plaintext(), for: test.key)
        bad.damage(&message)
        test.visit(wallet, message)
        test.wait(50)
        test.expectNoAccept()
        #expect(test.outcomes == [.rejected])
        // What breaks the data model too is told beside the first reason; everything else has one.
        let codes = test.records.first?.reasons.map(\.code) ?? []
        #expect(codes == [bad.code] || (bad.code == "form-not-trusted" && codes == [bad.code, "credential-rule"]), "\(codes)")
        // Whose it is counts from when the signature held.
        #expect(test.records.first?.issuer == (bad.code == "expired" ? "https://issuer.example" : nil))
        #expect(test.reports == [[1, 0, 0]])
        #expect(test.statuses == [[1]])
        #expect(test.light == .reject)
        test.leave()
        #expect(test.isForgotten)
        // The next visitor is not punished for it.
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.rejected, .accepted])
    }

    @Test func aMessageForAnotherGateIsRejected() throws {
        let other = try TestGate()
        let test = try TestGate()
        let wallet = try TestWallet()
        test.visit(wallet, try wallet.seal(TestWallet.gzip(TestIssuer.payload()), for: other.key))
        test.wait(50)
        test.expectNoAccept()
        #expect(test.records.first?.reasons.map(\.code) == ["message-not-authentic"])
    }

    @Test func aMessageOfTheVisitBeforeIsRejected() throws {
        let test = try TestGate()
        let wallet = try TestWallet()
        let message = try wallet.seal(TestWallet.gzip(TestIssuer.payload()), for: test.key)
        test.visit(wallet, message)
        test.wait(50)
        test.leave()
        test.visit(wallet, message)
        test.wait(50)
        #expect(test.outcomes == [.accepted, .rejected])
        #expect(test.records.last?.reasons.map(\.code) == ["message-not-authentic"])
        #expect(test.statuses == [[0], [1]])
        #expect(test.light == .reject)
    }

    // Each of these makes the shared secret zero, whatever the gate's key (RFC 7748 section 6.1).
    private static let keysThatAgreeOnNothing: [[UInt8]] = [
        (0, 0, 0), (1, 0, 0), (0xEC, 0xFF, 0x7F), (0xED, 0xFF, 0x7F), (0xEE, 0xFF, 0x7F),
    ]
    .map { (first: UInt8, filling: UInt8, last: UInt8) -> [UInt8] in
        var key = [UInt8](repeating: filling, count: 32)
        (key[0], key[31]) = (first, last)
        return key
    }

    @Test(arguments: keysThatAgreeOnNothing)
    func aKeyThatAgreesOnNothingEndsTheVisit(_ key: [UInt8]) throws {
        let test = try TestGate()
        test.connect()
        test.write(.identifyRequest, [UInt8](repeating: 7, count: 12) + key)
        #expect(test.isAskedToLeave)
        #expect(test.light == .reject)
        test.wait(2000)
        test.expectNoAccept()
        #expect(test.outcomes == [.failed])
        #expect(test.records.first?.error == .peripheralFailed)
        #expect(!test.isConnected)
        #expect(test.light == .ready)
    }

    // MARK: no entry without a record

    @Test func aRecordThatCannotBeStoredRejects() throws {
        let test = try TestGate()
        test.shelf = .fails
        try test.goodVisit()
        test.wait(50)
        #expect(!test.statuses.contains([0]))
        #expect(!test.lights.contains(.accept))
        #expect(test.statuses == [[1]])
        #expect(test.light == .reject)
        #expect(test.records.count == 1)
    }

    @Test func nothingIsToldBeforeTheRecordIsStored() throws {
        let test = try TestGate()
        test.shelf = .waits
        try test.goodVisit()
        test.wait(50)
        // Said without having taken a record: it means nothing.
        test.stored(true)
        #expect(test.statuses == [])
        #expect(test.light == .busy)
        test.wait(5000)
        let record = try #require(test.take())
        #expect(record.outcome == .accepted)
        #expect(test.take() == nil)
        test.wait(5000)
        test.expectNoAccept()
        test.stored(true)
        #expect(test.statuses == [[0]])
        #expect(test.light == .accept)
        // Once more changes nothing.
        test.stored(false)
        test.stored(true)
        test.wait(100)
        #expect(test.statuses == [[0]])
        #expect(test.light == .accept)
    }

    @Test func aVerdictIsReachedByTheDeadlineNotByThePacket() throws {
        let test = try TestGate()
        try test.goodVisit()
        // The whole message is there; its verification is work for `expire`.
        #expect(test.isMessageOpened)
        #expect(test.records.isEmpty)
        #expect(test.lights.last == .busy)
    }

    @Test func aLateMTUExchangeTurnsNoVerdict() throws {
        for isStored in [true, false] {
            let test = try TestGate()
            if !isStored { test.shelf = .waits }
            try test.goodVisit()
            test.wait(50)
            test.exchange(23)
            if !isStored {
                #expect(test.take()?.outcome == .accepted)
                test.stored(true)
            }
            #expect(test.statuses == [[0]])
            #expect(test.light == .accept)
            #expect(!test.lights.contains(.reject))
        }
    }
}

private extension Array {
    func dropLast(_ count: Int) -> [Element] { Array(prefix(Swift.max(0, self.count - count))) }
}
