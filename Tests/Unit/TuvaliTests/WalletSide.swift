/// What the wallet does, written apart from the verifier's code (tuvali.md sections 4, 6 and 7).
enum WalletSide {
    /// CRC-16/KERMIT, a bit at a time.
    static func checksum(_ octets: some Sequence<UInt8>) -> UInt16 {
        var crc: UInt16 = 0
        for octet in octets {
            crc ^= UInt16(octet)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0x8408 : crc >> 1 }
        }
        return crc
    }

    static func chunk(_ sequence: Int, _ payload: some Collection<UInt8>) -> [UInt8] {
        let crc = checksum(payload)
        return [UInt8(sequence >> 8 & 0xFF), UInt8(sequence & 0xFF), UInt8(crc >> 8), UInt8(crc & 0xFF)] + payload
    }

    static func chunks(_ message: [UInt8], mtu: Int) -> [[UInt8]] {
        let payload = min(mtu, 512) - 7
        return stride(from: 0, to: message.count, by: payload).enumerated().map { index, start in
            chunk(index + 1, message[start..<min(start + payload, message.count)])
        }
    }

    static func size(_ count: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } }

    static let nonce: [UInt8] = (0..<12).map { UInt8($0) }
    static let key: [UInt8] = (0..<32).map { UInt8($0 ^ 0x5A) }
    static let identify = nonce + key

    /// A transfer report as a wallet reads it, refusing everything that crashes one.
    struct Report: Equatable {
        enum Flaw: Error { case tooShort, type, oddLength, emptyList, listOnSuccess, pagesOnSuccess, order, range, page, pages }

        var isSuccess: Bool
        var pages: Int
        var missing: [Int]

        init(_ value: [UInt8], mtu: Int, total: Int) throws {
            guard value.count >= 3 else { throw Flaw.tooShort }
            guard value[0] <= 1 else { throw Flaw.type }
            guard value.count % 2 == 1 else { throw Flaw.oddLength }
            isSuccess = value[0] == 1
            pages = Int(value[1]) << 8 | Int(value[2])
            missing = stride(from: 3, to: value.count, by: 2).map { Int(value[$0]) << 8 | Int(value[$0 + 1]) }
            if isSuccess {
                guard missing.isEmpty else { throw Flaw.listOnSuccess }
                guard pages == 0 else { throw Flaw.pagesOnSuccess }
                return
            }
            guard !missing.isEmpty else { throw Flaw.emptyList }
            guard zip(missing, missing.dropFirst()).allSatisfy({ $0 < $1 }) else { throw Flaw.order }
            guard missing.allSatisfy({ (1...total).contains($0) }) else { throw Flaw.range }
            let page = (min(mtu, 512) - 3 - 3) / 2
            guard missing.count <= page, value.count <= mtu - 3 else { throw Flaw.page }
            guard pages >= 1, pages == 1 || missing.count == page else { throw Flaw.pages }
        }
    }
}
