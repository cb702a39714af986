/// Advertising reports, legacy and extended (Core Vol 4 Part E 7.7.65.2 and 7.7.65.13).
///
/// In a crowd there are hundreds a second: each is looked at once, where it lies, and nothing of it is kept but who said it.
enum AdvertisingReport {
    /// What an event had.
    struct Finding {
        /// The first that advertises the service and takes connections.
        var peer: Peer?
        /// What is wrong with the event, from there on.
        var isMalformed = false
        /// Reports whose data were no AD structures.
        var malformedData: UInt32 = 0
    }

    /// One report: who, whether it can be connected to, and where its data lie in the event.
    private struct Report {
        var peer: Peer?
        var isConnectable: Bool
        /// More data of it comes in another report: the last structure may be cut off.
        var isCutOff: Bool
        var data: Range<Int>
        /// Where the next report begins.
        var end: Int
    }

    /// The first report of `event`, its subevent code included, that has `service` in a list of 128-bit UUIDs.
    static func search(_ event: borrowing Span<UInt8>, for service: UUID, in set: CommandSet) -> Finding {
        var finding = Finding()
        guard let count = event.octet(at: 1) else {
            finding.isMalformed = true
            return finding
        }
        var position = 2
        for _ in 0..<count {
            guard let report = set == .legacy ? legacy(event, at: position) : extended(event, at: position) else {
                finding.isMalformed = true
                return finding
            }
            position = report.end
            // Whatever cannot be connected to is of no use, whoever it says it is.
            guard report.isConnectable, let peer = report.peer else { continue }
            switch AdvertisingData.has(service, in: event.extracting(report.data)) {
            case .yes:
                finding.peer = peer
                return finding
            case .no: break
            case .malformed: if !report.isCutOff { finding.malformedData += 1 }
            }
        }
        if position != event.count { finding.isMalformed = true }
        return finding
    }

    /// Event type, address type, address, data and their length, RSSI. Types 1 to 3 are directed, only to be scanned, and for nobody;
    /// 4 is a scan response, which does not say what it responds for.
    private static func legacy(_ event: borrowing Span<UInt8>, at position: Int) -> Report? {
        guard let type = event.octet(at: position), let addressType = event.octet(at: position + 1),
            let address = DeviceAddress(event, at: position + 2), let length = event.octet(at: position + 8)
        else { return nil }
        let start = position + 9, end = start + Int(length)
        // RSSI is behind the data.
        guard end < event.count else { return nil }
        return Report(
            peer: Peer(address: address, type: addressType), isConnectable: type == 0 || type == 4, isCutOff: false, data: start..<end,
            end: end + 1)
    }

    /// Event type (2), address type, address, PHYs, set, powers, interval, direct address, length of data and data.
    private static func extended(_ event: borrowing Span<UInt8>, at position: Int) -> Report? {
        guard let type = event.littleEndian16(at: position), let addressType = event.octet(at: position + 2),
            let address = DeviceAddress(event, at: position + 3), let length = event.octet(at: position + 23)
        else { return nil }
        let start = position + 24, end = start + Int(length)
        guard end <= event.count else { return nil }
        // Bit 0: connectable; bit 2: directed, to somebody who is known already; bits 5 and 6: data that are not whole.
        return Report(
            peer: Peer(address: address, type: addressType), isConnectable: type & 0x05 == 0x01, isCutOff: type & 0x60 != 0,
            data: start..<end, end: end)
    }
}

/// Advertising data: structures of a length, a type and data (Core Vol 3 Part C 11).
enum AdvertisingData {
    enum Answer: Equatable {
        case yes, no
        /// A structure is longer than what is left.
        case malformed
    }

    /// Incomplete and complete lists of 128-bit service UUIDs (Core Specification Supplement Part A 1.1).
    private static var lists: ClosedRange<UInt8> { 0x06...0x07 }

    /// Whether a list of 128-bit UUIDs has `service`. A length of 0 ends the data early.
    static func has(_ service: UUID, in data: borrowing Span<UInt8>) -> Answer {
        var position = 0
        while let length = data.octet(at: position), length > 0 {
            let end = position + 1 + Int(length)
            guard end <= data.count else { return .malformed }
            if let type = data.octet(at: position + 1), lists.contains(type) {
                var place = position + 2
                while place + 16 <= end {
                    if data.littleEndian64(at: place) == service.low, data.littleEndian64(at: place + 8) == service.high { return .yes }
                    place += 16
                }
            }
            position = end
        }
        return .no
    }
}
