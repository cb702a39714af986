import CZlib

/// Gzip members made to order, the wrong ones too (RFC 1952 section 2.3).
public struct Gzip {
    public var flags: UInt8 = 0
    public var method: UInt8 = 8
    public var extra: [UInt8]?
    public var name: [UInt8]?
    public var comment: [UInt8]?
    public var hasHeaderCRC = false
    public var breaksHeaderCRC = false
    public var operatingSystem: UInt8 = 3
    /// Z_FIXED, Z_DEFAULT_STRATEGY, ...
    public var strategy: Int32 = Z_DEFAULT_STRATEGY
    /// 0 makes stored blocks.
    public var level: Int32 = 6
    public var crcDelta: UInt32 = 0
    public var sizeDelta: UInt32 = 0

    public init(
        flags: UInt8 = 0, method: UInt8 = 8, extra: [UInt8]? = nil, name: [UInt8]? = nil, comment: [UInt8]? = nil,
        hasHeaderCRC: Bool = false, breaksHeaderCRC: Bool = false, strategy: Int32 = Z_DEFAULT_STRATEGY, level: Int32 = 6,
        crcDelta: UInt32 = 0, sizeDelta: UInt32 = 0
    ) {
        (self.flags, self.method, self.extra, self.name, self.comment) = (flags, method, extra, name, comment)
        (self.hasHeaderCRC, self.breaksHeaderCRC) = (hasHeaderCRC, breaksHeaderCRC)
        (self.strategy, self.level, self.crcDelta, self.sizeDelta) = (strategy, level, crcDelta, sizeDelta)
    }

    public func member(_ payload: [UInt8]) -> [UInt8] {
        var header: [UInt8] = [0x1f, 0x8b, method, 0, 0, 0, 0, 0, 0, operatingSystem]
        var bits = flags
        if let extra {
            bits |= 4
            header += [UInt8(truncatingIfNeeded: extra.count), UInt8(truncatingIfNeeded: extra.count >> 8)] + extra
        }
        if let name {
            bits |= 8
            header += name + [0]
        }
        if let comment {
            bits |= 16
            header += comment + [0]
        }
        if hasHeaderCRC { bits |= 2 }
        header[3] = bits
        if hasHeaderCRC {
            let sum = crc32(0, header, UInt32(header.count)) ^ (breaksHeaderCRC ? 1 : 0)
            header += [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
        }
        let sum = UInt32(truncatingIfNeeded: crc32(0, payload, UInt32(payload.count))) &+ crcDelta
        let size = UInt32(truncatingIfNeeded: payload.count) &+ sizeDelta
        return header + deflated(payload, windowBits: -15, level: level, strategy: strategy) + little(sum) + little(size)
    }

    private func little(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
