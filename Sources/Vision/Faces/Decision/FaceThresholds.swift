import JSON
import VisionProtocol

/// From which similarity on two faces are one person's: for one plug-in with one set of models, and no other.
public struct FaceThreshold: Hashable, Sendable {
    /// How it came about.
    public enum Evidence: Hashable, Sendable {
        /// Somebody's choice: nothing is known about how often it is wrong.
        case provisional
        case measured(Measurement)
    }

    /// What `gatehouse calibrate` counted.
    public struct Measurement: Hashable, Sendable {
        /// Comparisons of two different people.
        public let impostorPairs: Int
        /// How many of them would have passed.
        public let falseMatches: Int
        /// Different people in the pictures: the pairs are not independent.
        public let people: Int
        /// The false match rate of one comparison is below it with 95 % confidence, as if the pairs were independent.
        public let bound: Double

        public init(impostorPairs: Int, falseMatches: Int, people: Int, bound: Double) {
            self.impostorPairs = impostorPairs
            self.falseMatches = falseMatches
            self.people = people
            self.bound = bound
        }
    }

    /// `PluginIdentity.id`
    public let plugin: String
    /// `PluginIdentity.modelSHA256`
    public let model: String
    /// A similarity of this or more passes; above 0, at most 1.
    public let threshold: Double
    public let evidence: Evidence
    /// `YYYY-MM-DD`
    public let date: String

    public init(plugin: String, model: String, threshold: Double, evidence: Evidence, date: String) throws(FaceFileError) {
        guard (1...64).contains(plugin.utf8.count), plugin.utf8.allSatisfy(Self.isIdentifier) else { throw .badValue("plugin") }
        guard model.utf8.count == 64, model.utf8.allSatisfy(Self.isHexadecimal) else { throw .badValue("model") }
        // What is not a number, or lets everybody in, is no threshold.
        guard threshold > 0, threshold <= 1 else { throw .badValue("threshold") }
        guard Self.isDate(date) else { throw .badValue("date") }
        if case .measured(let measurement) = evidence {
            guard measurement.impostorPairs > 0 else { throw .badValue("impostorPairs") }
            guard (0...measurement.impostorPairs).contains(measurement.falseMatches) else { throw .badValue("falseMatches") }
            guard measurement.people >= 2 else { throw .badValue("people") }
            guard measurement.bound > 0, measurement.bound <= 1 else { throw .badValue("bound") }
        }
        self.plugin = plugin
        self.model = model
        self.threshold = threshold
        self.evidence = evidence
        self.date = date
    }

    /// Octet for octet.
    func belongs(to plugin: String, _ model: String) -> Bool {
        self.plugin.utf8.elementsEqual(plugin.utf8) && self.model.utf8.elementsEqual(model.utf8)
    }

    private static func isIdentifier(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func isHexadecimal(_ octet: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(octet)
    }

    private static func isDate(_ text: String) -> Bool {
        let octets = Array(text.utf8)
        guard octets.count == 10 else { return false }
        return octets.indices.allSatisfy { index in
            index == 4 || index == 7
                ? octets[index] == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octets[index])
        }
    }
}

/// The thresholds of a site: the file that `gatehouse calibrate` writes.
///
/// `{"gatehouse-face-thresholds":1,"entries":[{"plugin":"dlib-resnet-v1","model":"<64 hexadecimal digits>","threshold":0.75,
/// "evidence":"provisional","date":"2026-11-22"}]}`; a measured one has `"evidence":"measured"` and `impostorPairs`, `falseMatches`,
/// `people`,
/// `bound`.
public struct FaceThresholds: Hashable, Sendable {
    /// Octets of the longest file.
    public static let fileCapacity = 65_536
    public static let capacity = 64
    private static let version = "gatehouse-face-thresholds"
    private static let plain = ["plugin", "model", "threshold", "evidence", "date"]
    private static let measured = ["impostorPairs", "falseMatches", "people", "bound"]

    public private(set) var entries: [FaceThreshold]

    public init() {
        entries = []
    }

    /// Reads a file strictly: nothing unknown, nothing twice, nothing missing.
    public init(parsing octets: [UInt8]) throws(FaceFileError) {
        let file = try FaceFileObject(file: octets, version: Self.version, known: ["entries"])
        guard let elements = try file.required("entries").elements else { throw .wrongType("entries") }
        entries = []
        for element in elements {
            let entry = try Self.entry(element)
            guard !entries.contains(where: { $0.belongs(to: entry.plugin, entry.model) }) else { throw .repeatedEntry }
            guard entries.count < Self.capacity else { throw .tooManyEntries }
            entries.append(entry)
        }
    }

    private static func entry(_ value: JSONValue) throws(FaceFileError) -> FaceThreshold {
        let object = try FaceFileObject(value, known: plain + measured)
        let evidence: FaceThreshold.Evidence
        switch try object.text("evidence") {
        case "provisional":
            // Figures beside the word would claim what was not measured.
            for name in measured where object[name] != nil { throw .unknownMember(name) }
            evidence = .provisional
        case "measured":
            evidence = .measured(
                FaceThreshold.Measurement(
                    impostorPairs: try object.count("impostorPairs"), falseMatches: try object.count("falseMatches"),
                    people: try object.count("people"), bound: try object.number("bound")))
        default:
            throw .badValue("evidence")
        }
        return try FaceThreshold(
            plugin: try object.text("plugin"), model: try object.text("model"), threshold: try object.number("threshold"),
            evidence: evidence,
            date: try object.text("date"))
    }

    /// The entry for exactly this plug-in with exactly these models; nil means `FaceReason.notCalibrated`.
    public func threshold(of identity: PluginIdentity) -> FaceThreshold? {
        entries.first { $0.belongs(to: identity.id, identity.modelSHA256) }
    }

    /// Puts an entry in, in the place of the one for the same plug-in and models.
    public mutating func set(_ entry: FaceThreshold) throws(FaceFileError) {
        if let index = entries.firstIndex(where: { $0.belongs(to: entry.plugin, entry.model) }) {
            entries[index] = entry
        } else {
            guard entries.count < Self.capacity else { throw .tooManyEntries }
            entries.append(entry)
        }
    }

    /// Adds what the gate ships with, for plug-ins and models the site has no entry for.
    public mutating func addProvisional(_ provisional: [FaceThreshold] = FaceThreshold.builtIn) {
        for entry in provisional
        where entries.count < Self.capacity && !entries.contains(where: { $0.belongs(to: entry.plugin, entry.model) }) {
            entries.append(entry)
        }
    }

    /// The file's text, one entry a line.
    public var octets: [UInt8] {
        var text = "{\"\(Self.version)\":1,\"entries\":["
        for (index, entry) in entries.enumerated() {
            var writer = JSONWriter()
            entry.write(to: &writer)
            text += (index == 0 ? "\n" : ",\n") + writer.text
        }
        return Array((text + "\n]}\n").utf8)
    }
}

extension FaceThreshold {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("plugin", plugin)
        writer.member("model", model)
        writer.name("threshold")
        writer.double(threshold)
        switch evidence {
        case .provisional:
            writer.member("evidence", "provisional")
        case .measured(let measurement):
            writer.member("evidence", "measured")
            writer.member("impostorPairs", measurement.impostorPairs)
            writer.member("falseMatches", measurement.falseMatches)
            writer.member("people", measurement.people)
            writer.name("bound")
            writer.double(measurement.bound)
        }
        writer.member("date", date)
        writer.endObject()
    }
}
