import Bluetooth
import TestSupport
import Testing

@testable import Tuvali
@testable import Visit

/// A phone with a good credential, step by step, so that something else can happen in between.
final class HonestVisit {
    /// Signed once; large enough for several chunks.
    static let plaintext: [UInt8] = {
        var numbers = SeededRandom(seed: 7)
        let name = String((0..<1200).map { _ in "abcdefghijklmnopqrstuvwxyzABCDEF".randomElement(using: &numbers) ?? "a" })
        do { return TestWallet.gzip(TestIssuer.wrapped(try TestIssuer.credential(name: name))) } catch { return [] }
    }()

    let test: TestGate
    let mtu: UInt16
    private let wallet: TestWallet
    private var rest: [[UInt8]] = []
    private(set) var isWhole = true
    private let records: Int
    private let statuses: Int

    init(_ test: TestGate, mtu: UInt16 = 185) throws {
        self.test = test
        self.mtu = mtu
        wallet = try TestWallet()
        records = test.records.count
        statuses = test.statuses.count
    }

    /// All of a visit: true when it was as it should be, and the gate let the visitor in.
    static func complete(_ test: TestGate, mtu: UInt16 = 185) throws -> Bool {
        let visit = try HonestVisit(test, mtu: mtu)
        try visit.begin()
        return visit.finish()
    }

    /// Connects, agrees on the MTU, discovers, subscribes, identifies, and sends half of the chunks.
    func begin() throws {
        connect()
        try identify()
        for _ in 0..<rest.count / 2 { sendChunk() }
    }

    func connect() {
        isWhole = isWhole && test.controller.isAdvertising
        test.controller.connect()
        test.turn()
        isWhole = isWhole && test.isConnected
        require(ask([0x02] + pair(mtu)) == [0x03] + pair(AttributeServer.receiveMTU))
        require(discover())
        for characteristic in [Characteristic.transferReportResponse, .verificationStatus, .disconnect] {
            require(ask([0x12] + pair(test.service.handle(characteristic) + 1) + [2, 0]) == [0x13])
        }
    }

    func identify() throws {
        let message = try wallet.seal(Self.plaintext, for: test.key)
        let payload = Int(min(mtu, 512)) - 7
        rest = stride(from: 0, to: message.count, by: payload).enumerated().map { index, start in
            TestGate.chunk(index + 1, message[start..<min(start + payload, message.count)])
        }
        test.write(.identifyRequest, wallet.identify)
        test.write(.responseSize, (0..<4).map { UInt8(truncatingIfNeeded: message.count >> (24 - 8 * $0)) })
    }

    var chunksLeft: Int { rest.count }

    func sendChunk() {
        guard !rest.isEmpty else { return }
        test.write(.submitResponse, rest.removeFirst())
    }

    /// The next chunk as it would travel, for a test that sends it in its own way.
    func takeChunk() -> [UInt8]? {
        guard !rest.isEmpty else { return nil }
        return [0x52] + pair(test.service.handle(.submitResponse)) + rest.removeFirst()
    }

    /// The rest of the chunks and the verdict; whether everything was as it should be.
    func finish() -> Bool {
        while !rest.isEmpty { sendChunk() }
        require(test.missingChunks == 0)
        test.write(.transferReportRequest, [1])
        test.wait(50)
        require(test.reports.last == [1, 0, 0])
        require(test.outcomes.count == records + 1 && test.outcomes.last == .accepted)
        require(test.statuses.count == statuses + 1 && test.statuses.last == [0])
        require(test.light == .accept)
        return isWhole
    }

    private func require(_ isTrue: Bool) { isWhole = isWhole && isTrue }

    /// One request; nothing but one answer is an answer.
    func ask(_ request: [UInt8]) -> [UInt8]? {
        let before = test.answers.count
        test.controller.send(request)
        test.turn()
        return test.answers.count == before + 1 ? test.answers.last : nil
    }

    /// Services, characteristics and descriptors; whether all that a wallet needs was found.
    private func discover() -> Bool {
        let services = walk(0x10, type: 0x2800) { Int($0[1]) }
        let characteristics = walk(0x08, type: 0x2803) { Int($0[1]) }
        let service = test.service
        var raw: UInt8 = 0
        while let characteristic = Characteristic(rawValue: raw) {
            let handle = pair(service.handle(characteristic))
            if !characteristics.contains(where: { Array($0[3...4]) == handle }) { return false }
            raw += 1
        }
        let descriptor = service.handle(.verificationStatus) + 1
        return services.count == 3 && ask([0x04] + pair(descriptor) + pair(descriptor)) == [0x05, 0x01] + pair(descriptor) + pair(0x2902)
    }

    /// The entries of a discovery, request after request, until the server says there are no more.
    private func walk(_ opcode: UInt8, type: UInt16, length: ([UInt8]) -> Int) -> [[UInt8]] {
        var entries: [[UInt8]] = []
        var start: UInt16 = 1
        while let answer = ask([opcode] + pair(start) + [0xFF, 0xFF] + pair(type)), answer[0] == opcode + 1, answer.count > 2 {
            let size = length(answer)
            guard size >= 4, (answer.count - 2) % size == 0 else { return [] }
            for entry in stride(from: 2, to: answer.count, by: size) { entries.append(Array(answer[entry..<entry + size])) }
            guard let last = entries.last else { return [] }
            // A group ends at its own end, a declaration at itself.
            let end = opcode == 0x10 ? UInt16(last[2]) | UInt16(last[3]) << 8 : UInt16(last[0]) | UInt16(last[1]) << 8
            guard end >= start, end < .max else { break }
            start = end + 1
        }
        return entries
    }
}
