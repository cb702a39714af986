import Relay
import RelayState

/// Where a monitoring system finds the numbers.
struct MetricsSettings {
    /// A file for node_exporter's textfile collector, `*.prom`; nil for none.
    let file: String?
    /// One address to listen on, and its port; nil for none.
    let address: String?
    let port: UInt16
    /// Seconds between two files.
    let interval: UInt64
    /// State folders of other outlets, whose state is said too; the last part is the outlet's kind.
    let outlets: [(kind: OutletKind, folder: String)]

    /// A port that nobody else has: 9100 is node_exporter's.
    private static let defaultPort: UInt16 = 9764

    /// Numbers alone leave, whatever is said of records; they are counted from whole ones.
    static func feed(_ feed: FeedSettings) -> FeedSettings { FeedSettings(gate: feed.gate, detail: .all) }

    init(_ settings: inout OutletSettings) throws(OutletSettingsError) {
        try settings.refuseDetail()
        file = try settings.optionalPath("file")
        if let file, !file.hasSuffix(".prom") { throw .badMember("file") }
        address = try settings.optionalText("listen", most: 64)
        if let address, !address.utf8.allSatisfy(Self.isOfAddress) { throw .badMember("listen") }
        port = try settings.port(else: Self.defaultPort)
        guard file != nil || address != nil else { throw .missingMember("file") }
        interval = UInt64(try settings.number("interval", 1...3600, else: 15))
        var outlets: [(OutletKind, String)] = []
        for folder in try settings.texts("outlets", most: OutletKind.allCases.count) {
            guard folder.hasPrefix("/"), let kind = folder.split(separator: "/").last.flatMap({ OutletKind(rawValue: String($0)) }),
                !outlets.contains(where: { $0.0 == kind })
            else { throw .badMember("outlets") }
            outlets.append((kind, folder))
        }
        self.outlets = outlets.map { (kind: $0.0, folder: $0.1) }
    }

    /// Of an IPv4 or IPv6 address, with the interface behind %.
    private static func isOfAddress(_ octet: UInt8) -> Bool {
        (0x30...0x3A).contains(octet) || (0x41...0x5A).contains(octet) || (0x61...0x7A).contains(octet) || octet == 0x2E || octet == 0x25
    }
}

extension OutletSettings {
    /// Of an outlet that sends no records: whoever writes how much leaves has to know that it says nothing here.
    mutating func refuseDetail() throws(OutletSettingsError) {
        if try optionalText("detail") != nil { throw .unknownMember("detail") }
        if try number("period", 0...Int64.max, else: 0) != 0 { throw .unknownMember("period") }
    }
}
