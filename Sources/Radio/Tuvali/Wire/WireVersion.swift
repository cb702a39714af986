import Bluetooth

/// The two wire versions in the field. They differ in their UUIDs only; no version travels on air.
public enum WireVersion: UInt8, Hashable, Sendable {
    /// Inji Wallet up to 0.12, `@mosip/tuvali` 0.4.x.
    case v04
    /// Inji Wallet 0.13 and later, Tuvali 0.5.x.
    case v05

    /// The service, as advertised and in the attribute table.
    public var service: UInt16 { self == .v05 ? 0x0001 : 0xAB29 }
    /// The tag of the service data in the scan response.
    public var scanResponseTag: UInt16 { self == .v05 ? 0x0002 : 0xAB2A }

    public func uuid(_ characteristic: Characteristic) -> UUID {
        switch (self, characteristic) {
        case (.v05, .verificationStatus): UUID(0x2037)
        case (.v05, _): UUID(high: UInt64(characteristic.code) << 32 | 0x5026_444A, low: 0x9E0E_D6F2_450F_3A77)
        case (.v04, _): UUID(characteristic.oldUUID)
        }
    }
}

/// The nine characteristics, in the order of the attribute table.
public enum Characteristic: UInt8, Hashable, Sendable {
    case identifyRequest, requestSize, request, responseSize, submitResponse
    case transferReportRequest, transferReportResponse, verificationStatus, disconnect

    static var count: Int { 9 }

    /// The octet that tells the 128-bit UUIDs apart: `000000xx-5026-444A-9E0E-D6F2450F3A77`.
    var code: UInt8 {
        switch self {
        case .identifyRequest: 0x06
        case .requestSize: 0x04
        case .request: 0x05
        case .responseSize: 0x07
        case .submitResponse: 0x08
        case .transferReportRequest: 0x09
        case .transferReportResponse: 0x0A
        case .verificationStatus: 0x37
        case .disconnect: 0x0B
        }
    }

    var oldUUID: UInt16 { 0x2030 + UInt16(rawValue) }
}
