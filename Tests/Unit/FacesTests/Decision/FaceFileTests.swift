import Faces
import JSON
import TestSupport
import Testing

@Suite("Face settings")
struct FaceSettingsTests {
    @Test("the standard is what the policy says, and allowed")
    func standard() throws {
        #expect(try FaceSettings([:]) == .standard)
        let all = Dictionary(uniqueKeysWithValues: FaceSetting.allCases.map { ($0, $0.standard) })
        #expect(try FaceSettings(all) == .standard)
        #expect(FaceSettings.standard.gates.eyeDistance == 60)
        #expect(FaceSettings.standard.frames == 12)
        #expect(FaceSettings.standard.window == 5)
        #expect(FaceSettings.standard.passes == 3)
        #expect(FaceSettings.standard.lookTime == 6_000_000_000)
        #expect(FaceSettings.standard.attempts == 3)
        #expect(FaceSettings.standard.gates.secondArea == 0.5)
    }

    @Test("each has bounds, and what is not a number is outside", arguments: FaceSetting.allCases)
    func bounds(setting: FaceSetting) throws {
        let wrong = [
            setting.range.lowerBound.nextDown, setting.range.upperBound.nextUp, .nan, .infinity, -.infinity, 1e300,
        ]
        for value in wrong {
            #expect(throws: FaceSettingsError.outOfRange(setting)) { try FaceSettings([setting: value]) }
        }
        if setting.isWhole {
            #expect(throws: FaceSettingsError.outOfRange(setting)) { try FaceSettings([setting: setting.standard + 0.5]) }
        }
    }

    @Test("no settings make one frame enough, or the best of many")
    func vote() {
        #expect(throws: FaceSettingsError.outOfRange(.passes)) { try FaceSettings([.passes: 1]) }
        #expect(throws: FaceSettingsError.outOfRange(.frames)) { try FaceSettings([.frames: 100]) }
        #expect(throws: FaceSettingsError.contradictory(.passes, .window)) { try FaceSettings([.passes: 3, .window: 6]) }
        #expect(throws: FaceSettingsError.contradictory(.passes, .window)) { try FaceSettings([.passes: 6]) }
        #expect(throws: FaceSettingsError.contradictory(.window, .frames)) { try FaceSettings([.window: 5, .frames: 4]) }
        #expect(throws: FaceSettingsError.contradictory(.darkest, .brightest)) { try FaceSettings([.darkest: 220]) }
        #expect(throws: FaceSettingsError.contradictory(.lockoutSeconds, .longestLockoutSeconds)) {
            try FaceSettings([.lockoutSeconds: 7200])
        }
    }

    @Test("a file changes what it names and nothing else")
    func file() throws {
        let settings = try FaceSettings(parsing: Array(#"{"gatehouse-face-settings":1,"eyeDistance":45.5,"frames":8}"#.utf8))
        #expect(settings == (try FaceSettings([.eyeDistance: 45.5, .frames: 8])))
        #expect(settings != .standard)
        #expect(try FaceSettings(parsing: Array(#"{"gatehouse-face-settings":1}"#.utf8)) == .standard)
    }

    @Test("a file that is not one is refused, by name")
    func badFiles() {
        let cases: [(String, FaceSettingsError)] = [
            ("", .file(.notJSON(.truncated, offset: 0))),
            ("[]", .file(.notAnObject)),
            ("{}", .file(.missingMember("gatehouse-face-settings"))),
            (#"{"gatehouse-face-settings":2}"#, .file(.unsupportedVersion)),
            (#"{"gatehouse-face-settings":1,"eyedistance":60}"#, .file(.unknownMember("eyedistance"))),
            (#"{"gatehouse-face-settings":1,"eyeDistance":"60"}"#, .file(.wrongType("eyeDistance"))),
            (#"{"gatehouse-face-settings":1,"eyeDistance":1e999}"#, .file(.wrongType("eyeDistance"))),
            (#"{"gatehouse-face-settings":1,"eyeDistance":1}"#, .outOfRange(.eyeDistance)),
            (#"{"gatehouse-face-settings":1,"frames":1,"frames":12}"#, .file(.notJSON(.duplicateName, offset: 40))),
        ]
        for (text, error) in cases {
            #expect(throws: error, "\(text)") { try FaceSettings(parsing: Array(text.utf8)) }
        }
    }
}

@Suite("Face thresholds")
struct FaceThresholdsTests {
    private let model = String(repeating: "0123456789abcdef", count: 4)

    private func file(_ entries: String) -> [UInt8] { Array(#"{"gatehouse-face-thresholds":1,"entries":[\#(entries)]}"#.utf8) }

    private func entry(_ changes: [String: String] = [:], without: Set<String> = []) -> String {
        var members = [
            "plugin": #""test""#, "model": #""\#(model)""#, "threshold": "0.8", "evidence": #""measured""#, "date": #""2026-01-31""#,
            "impostorPairs": "5000", "falseMatches": "0", "people": "101", "bound": "0.0006",
        ]
        members.merge(changes) { $1 }
        return "{" + members.filter { !without.contains($0.key) }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",") + "}"
    }

    @Test("a file is read, found by plug-in and model, and written so that it reads the same")
    func round() throws {
        let measured = entry(), figures: Set = ["impostorPairs", "falseMatches", "people", "bound"]
        let provisional = entry(["plugin": #""other""#, "evidence": #""provisional""#], without: figures)
        let thresholds = try FaceThresholds(parsing: file(measured + "," + provisional))
        let found = try #require(thresholds.threshold(of: Scene.identity(model: model)))
        #expect(found.threshold == 0.8)
        #expect(found.evidence == .measured(.init(impostorPairs: 5000, falseMatches: 0, people: 101, bound: 0.0006)))
        #expect(thresholds.threshold(of: Scene.identity(id: "other", model: model))?.evidence == .provisional)
        #expect(thresholds.threshold(of: Scene.identity()) == nil)
        #expect(try FaceThresholds(parsing: thresholds.octets) == thresholds)
        #expect(try FaceThresholds(parsing: FaceThresholds().octets) == FaceThresholds())
    }

    @Test("a wrong entry is refused, by the member's name")
    func badEntries() {
        let cases: [(String, FaceFileError)] = [
            (entry(without: ["threshold"]), .missingMember("threshold")),
            (entry(["threshold": "0"]), .badValue("threshold")),
            (entry(["threshold": "-0.5"]), .badValue("threshold")),
            (entry(["threshold": "1.01"]), .badValue("threshold")),
            (entry(["threshold": #""0.8""#]), .wrongType("threshold")),
            (entry(["model": #""\#(model.uppercased())""#]), .badValue("model")),
            (entry(["model": #""\#(model)0""#]), .badValue("model")),
            (entry(["model": #""""#]), .badValue("model")),
            (entry(["plugin": #""""#]), .badValue("plugin")),
            (entry(["plugin": #""Test""#]), .badValue("plugin")),
            (entry(["plugin": "\"\(String(repeating: "a", count: 65))\""]), .badValue("plugin")),
            (entry(["evidence": #""proven""#]), .badValue("evidence")),
            (entry(["evidence": #""provisional""#]), .unknownMember("impostorPairs")),
            (entry(["date": #""yesterday""#]), .badValue("date")),
            (entry(["impostorPairs": "0"]), .badValue("impostorPairs")),
            (entry(["impostorPairs": "1.5"]), .wrongType("impostorPairs")),
            (entry(["falseMatches": "5001"]), .badValue("falseMatches")),
            (entry(["falseMatches": "-1"]), .badValue("falseMatches")),
            (entry(["people": "1"]), .badValue("people")),
            (entry(["bound": "0"]), .badValue("bound")),
            (entry(["bound": "2"]), .badValue("bound")),
            (entry(["note": "1"]), .unknownMember("note")),
            (entry() + "," + entry(), .repeatedEntry),
            ("5", .notAnObject),
        ]
        for (text, error) in cases {
            #expect(throws: error, "\(text)") { try FaceThresholds(parsing: file(text)) }
        }
    }

    @Test("a wrong file is refused")
    func badFiles() {
        #expect(throws: FaceFileError.missingMember("entries")) {
            try FaceThresholds(parsing: Array(#"{"gatehouse-face-thresholds":1}"#.utf8))
        }
        #expect(throws: FaceFileError.wrongType("entries")) {
            try FaceThresholds(parsing: Array(#"{"gatehouse-face-thresholds":1,"entries":{}}"#.utf8))
        }
        #expect(throws: FaceFileError.unsupportedVersion) {
            try FaceThresholds(parsing: Array(#"{"gatehouse-face-thresholds":"1","entries":[]}"#.utf8))
        }
        let many = (0..<65).map { entry(["plugin": "\"p\($0)\""]) }.joined(separator: ",")
        #expect(throws: FaceFileError.tooManyEntries) { try FaceThresholds(parsing: file(many)) }
        let long = [UInt8](repeating: 0x20, count: FaceThresholds.fileCapacity) + file("")
        #expect(throws: FaceFileError.notJSON(.tooLong, offset: FaceThresholds.fileCapacity)) { try FaceThresholds(parsing: long) }
    }

    @Test("every file cut short, or with an octet changed, is refused or still a file; nothing traps")
    func mutants() throws {
        let whole = file(entry())
        for length in 0..<whole.count {
            #expect(throws: FaceFileError.self) { try FaceThresholds(parsing: Array(whole[..<length])) }
        }
        var chance = SeededRandom(seed: 5)
        for _ in 0..<2_000 {
            var mutant = whole
            for _ in 0..<3 { mutant[Int.random(in: mutant.indices, using: &chance)] = UInt8.random(in: 0x20...0x7E, using: &chance) }
            guard let thresholds = try? FaceThresholds(parsing: mutant) else { continue }
            #expect(thresholds.entries.allSatisfy { $0.threshold > 0 && $0.threshold <= 1 })
        }
    }

    @Test("an entry takes the place of the one for the same plug-in and models")
    func replaces() throws {
        var thresholds = try FaceThresholds(parsing: file(entry()))
        try thresholds.set(FaceThreshold(plugin: "test", model: model, threshold: 0.9, evidence: .provisional, date: "2026-02-01"))
        #expect(thresholds.entries.count == 1)
        #expect(thresholds.threshold(of: Scene.identity(model: model))?.threshold == 0.9)
    }

    @Test("what the gate ships with is provisional, and stands back behind what a site measured")
    func builtIn() throws {
        #expect(FaceThreshold.builtIn.map(\.threshold) == [0.75, 0.75])
        #expect(FaceThreshold.builtIn.allSatisfy { $0.evidence == .provisional })
        var thresholds = FaceThresholds()
        let measured = FaceThreshold.Evidence.measured(.init(impostorPairs: 9, falseMatches: 0, people: 4, bound: 0.3))
        try thresholds.set(
            FaceThreshold(
                plugin: FaceThreshold.dlib, model: FaceThreshold.dlibModels, threshold: 0.8, evidence: measured, date: "2026-02-01"))
        thresholds.addProvisional()
        #expect(thresholds.entries.map(\.threshold) == [0.8, 0.75])
        var empty = FaceThresholds()
        empty.addProvisional()
        #expect(empty.entries == FaceThreshold.builtIn)
    }
}
