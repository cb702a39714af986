import Testing

@testable import Bluetooth
@testable import Tuvali

/// The attribute table as a phone sees it, and what the attribute server makes of a session (tuvali.md sections 3, 4, 12).
@Suite struct ServiceTests {
    /// An attribute server in front of a visit.
    final class Peripheral {
        var server: AttributeServer
        let visit: TestVisit
        private var response = AttributePDU()
        private var pushed = AttributePDU()

        init(_ version: WireVersion = .v05) throws {
            visit = TestVisit(version: version)
            var table = AttributeTable()
            var service = Service()
            try table.addGenericAccess(name: [0x47].span, appearance: 0)
            try table.addGenericAttribute()
            try service.add(to: &table, version: version)
            server = AttributeServer(table: table)
        }

        var mtu: UInt16 { server.mtu }

        func ask(_ pdu: [UInt8]) -> [UInt8] {
            response.removeAll()
            _ = server.receive(pdu.span, &visit.session, into: &response)
            if pdu.first == 0x02 { visit.session.mtuExchanged(server.mtu, now: visit.now) }
            visit.pump()
            return array(response.storage.span.extracting(0..<response.count))
        }

        func push(_ characteristic: Characteristic, _ value: [UInt8]) -> [UInt8] {
            pushed.removeAll()
            _ = server.push(visit.service.handle(characteristic), value.span, into: &pushed)
            return array(pushed.storage.span.extracting(0..<pushed.count))
        }

        func handle(_ characteristic: Characteristic) -> [UInt8] {
            let handle = visit.service.handle(characteristic)
            return [UInt8(handle & 0xFF), UInt8(handle >> 8)]
        }
    }

    struct Found: Equatable {
        var uuid: [UInt8]
        var properties: UInt8
        var handle: UInt16
    }

    static let base = octets("773a0f45f2d60e9e4a442650")

    /// T-06, T-04, T-05, T-07, T-08, T-09, T-0A, 0x2037, T-0B.
    static let uuids: [WireVersion: [[UInt8]]] = [
        .v05: [6, 4, 5, 7, 8, 9, 10].map { base + [$0, 0, 0, 0] } + [[0x37, 0x20], base + [11, 0, 0, 0]],
        .v04: (0x30...0x38).map { [$0, 0x20] },
    ]

    @Test(arguments: [WireVersion.v05, .v04])
    func theTableHoldsTheNineCharacteristics(_ version: WireVersion) throws {
        let peripheral = try Peripheral(version)
        _ = peripheral.ask([0x02, 0x05, 0x02])
        // Find By Type Value: the primary service of this UUID.
        let uuid: [UInt8] = version == .v05 ? [0x01, 0x00] : [0x29, 0xAB]
        let range = peripheral.ask([0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28] + uuid)
        #expect(range.prefix(3) == [0x07, 0x10, 0x00])
        let found = characteristics(peripheral, from: 0x0010)
        #expect(found.map(\.uuid) == Self.uuids[version])
        #expect(found.map(\.properties) == [0x0C, 0x22, 0x22, 0x0C, 0x0C, 0x0C, 0x20, 0x20, 0x20])
        let all = try #require((0...).prefix(9).map { Characteristic(rawValue: UInt8($0)) } as? [Characteristic])
        #expect(found.map(\.handle) == all.map { peripheral.visit.service.handle($0) })
    }

    @Test func bothVersionsHaveTheSameHandles() throws {
        let old = TestVisit(version: .v04).service
        let new = TestVisit(version: .v05).service
        var next: UInt8 = 0
        while let characteristic = Characteristic(rawValue: next) {
            #expect(old.handle(characteristic) == new.handle(characteristic))
            #expect(new.characteristic(at: new.handle(characteristic)) == characteristic)
            next += 1
        }
        #expect(Int(next) == Characteristic.count)
        #expect(new.characteristic(at: 0x0001) == nil)
        #expect(new.characteristic(at: 0xFFFF) == nil)
    }

    private func characteristics(_ peripheral: Peripheral, from first: UInt16) -> [Found] {
        var found: [Found] = []
        var start = first
        while start < .max {
            let answer = peripheral.ask([0x08, UInt8(start & 0xFF), UInt8(start >> 8), 0xFF, 0xFF, 0x03, 0x28])
            guard answer.first == 0x09, answer.count > 2 else { break }
            let length = Int(answer[1])
            for at in stride(from: 2, to: answer.count - length + 1, by: length) {
                let handle = UInt16(answer[at + 3]) | UInt16(answer[at + 4]) << 8
                found.append(Found(uuid: Array(answer[at + 5..<at + length]), properties: answer[at + 2], handle: handle))
                start = handle
            }
            start += 1
        }
        return found
    }

    // MARK: section 18

    @Test func mtuIs517AndEveryRequestIsAnsweredAndTheLatestCounts() throws {
        let peripheral = try Peripheral()
        try peripheral.visit.advertise()
        peripheral.visit.connect(mtu: nil)
        for (offered, agreed) in [(512, 512), (185, 185), (100, 100), (527, 517), (517, 517), (67, 67)] as [(UInt16, UInt16)] {
            #expect(peripheral.ask([0x02, UInt8(offered & 0xFF), UInt8(offered >> 8)]) == [0x03, 0x05, 0x02])
            #expect(peripheral.mtu == agreed)
        }
        #expect(peripheral.visit.errors == [])
        #expect(peripheral.visit.phase == .connected)
    }

    @Test func writeCommandsAndWriteRequestsServeAlike() throws {
        for isCommand in [true, false] {
            let peripheral = try Peripheral()
            try peripheral.visit.advertise()
            peripheral.visit.connect(mtu: nil)
            _ = peripheral.ask([0x02, 0x05, 0x02])
            let message = TestVisit.message(40)
            let values: [(Characteristic, [UInt8])] = [
                (.identifyRequest, WalletSide.identify), (.responseSize, WalletSide.size(40)),
                (.submitResponse, WalletSide.chunk(1, message)), (.transferReportRequest, [1]),
            ]
            for (characteristic, value) in values {
                let answer = peripheral.ask([isCommand ? 0x52 : 0x12] + peripheral.handle(characteristic) + value)
                #expect(answer == (isCommand ? [] : [0x13]))
            }
            #expect(peripheral.visit.events.contains(.received))
            #expect(peripheral.visit.received == message)
        }
    }

    @Test func whatIsNotToBeWrittenIsRefusedAndChangesNothing() throws {
        let peripheral = try Peripheral()
        try peripheral.visit.advertise()
        peripheral.visit.connect(mtu: nil)
        for characteristic in [Characteristic.requestSize, .request, .transferReportResponse, .verificationStatus, .disconnect] {
            #expect(
                peripheral.ask([0x12] + peripheral.handle(characteristic) + [1]) == [0x01, 0x12] + peripheral.handle(characteristic) + [
                    0x03
                ])
            #expect(peripheral.ask([0x52] + peripheral.handle(characteristic) + [1]) == [])
            #expect(peripheral.visit.write(characteristic, [1], isCommand: false) == .writeNotPermitted)
        }
        #expect(peripheral.visit.phase == .connected)
        #expect(peripheral.visit.pushes == [])
    }

    @Test func withoutASubscriptionValuesGoOutAsNotifications() throws {
        for characteristic in [Characteristic.transferReportResponse, .verificationStatus, .disconnect] {
            let peripheral = try Peripheral()
            #expect(peripheral.push(characteristic, [1]) == [0x1B] + peripheral.handle(characteristic) + [1])
            // Configured to 0 is the same as never configured: Android never writes one, iOS takes it back at will.
            #expect(configure(peripheral, characteristic, 0) == [0x13])
            #expect(peripheral.push(characteristic, [1]) == [0x1B] + peripheral.handle(characteristic) + [1])
            #expect(configure(peripheral, characteristic, 1) == [0x13])
            #expect(peripheral.push(characteristic, [1]) == [0x1B] + peripheral.handle(characteristic) + [1])
        }
    }

    @Test func aSubscriptionToIndicationsIsServedByIndications() throws {
        for characteristic in [Characteristic.transferReportResponse, .verificationStatus, .disconnect] {
            let peripheral = try Peripheral()
            #expect(configure(peripheral, characteristic, 2) == [0x13])
            #expect(peripheral.push(characteristic, [1]) == [0x1D] + peripheral.handle(characteristic) + [1])
            // One at a time.
            #expect(peripheral.push(characteristic, [1]) == [])
            _ = peripheral.ask([0x1E])
            #expect(peripheral.push(characteristic, [1]) == [0x1D] + peripheral.handle(characteristic) + [1])
        }
    }

    private func configure(_ peripheral: Peripheral, _ characteristic: Characteristic, _ bits: UInt8) -> [UInt8] {
        let handle = peripheral.visit.service.handle(characteristic) + 1
        return peripheral.ask([0x12, UInt8(handle & 0xFF), UInt8(handle >> 8), bits, 0])
    }

    @Test func nothingNeedsPairingToBeReadOrWritten() throws {
        let peripheral = try Peripheral()
        for handle in 1...0x40 as ClosedRange<UInt8> {
            for opcode in [0x0A, 0x12] as [UInt8] {
                let answer = peripheral.ask([opcode, handle, 0] + (opcode == 0x12 ? [0] : []))
                if answer.first == 0x01 { #expect(![0x05, 0x08, 0x0C, 0x0F].contains(answer[4])) }
            }
        }
    }

    @Test func aValueInPreparedPiecesArrivesWhole() throws {
        let peripheral = try Peripheral()
        try peripheral.visit.advertise()
        peripheral.visit.connect(mtu: nil)
        // 44 octets do not fit the smallest MTU.
        for at in stride(from: 0, to: 44, by: 18) {
            let part = WalletSide.identify[at..<min(at + 18, 44)]
            let answer = peripheral.ask([0x16] + peripheral.handle(.identifyRequest) + [UInt8(at), 0] + part)
            #expect(answer.first == 0x17)
        }
        #expect(peripheral.ask([0x18, 0x01]) == [0x19])
        #expect(peripheral.visit.events.contains(.identified))
        #expect(peripheral.visit.walletKey == WalletSide.key)
    }
}
