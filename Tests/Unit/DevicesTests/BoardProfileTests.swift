import BoardTestSupport
import Foundation
import JSON
import TestSupport
import Testing

@testable import Devices

/// `board/` of the repository.
private let shelf = Repository.root + "/board"

private func profile(_ text: String) throws -> BoardProfile {
    try BoardProfile(parsing: Array(text.utf8))
}

private let good = #"{"name":"x","hci":"hci:0","lights":"log:","screen":"none:","face":"off"}"#

@Test func everyProfileOfTheRepositoryReads() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: shelf).filter { !$0.hasSuffix(".json") }
    #expect(names.count >= 2)
    for name in names {
        let profile = try BoardProfile(contentsOf: "\(shelf)/\(name)/board.json")
        #expect(profile.name == name)
    }
    let pi = try BoardProfile(contentsOf: "\(shelf)/raspberry-pi/board.json")
    #expect(pi.hci == .userChannel(index: 0))
    #expect(pi.screen == .framebuffer(path: "/dev/fb0"))
    #expect(pi.audit == "/var/lib/gatehouse/audit.jsonl")
}

@Test func theSchemaNamesTheMembersTheReaderKnows() throws {
    let octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(shelf)/board.schema.json")))
    let schema = try JSONDocument(parsing: octets).root
    #expect(Set(try #require(schema["properties"]?.members).map { $0.name }) == Set(BoardProfile.members))
    let required = try #require(schema["required"]?.elements).compactMap { $0.string }
    #expect(schema["additionalProperties"]?.bool == false)
    for name in required {
        var object = try #require(try JSONSerialization.jsonObject(with: Data(good.utf8)) as? [String: String])
        object[name] = nil
        let text = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        #expect(throws: BoardProfileError.missingMember(name)) { try profile(text) }
    }
    #expect(Set(required).count == 5)
    _ = try profile(good)
}

@Test func aBoardLivesOnTheMainsUnlessItsProfileSaysOtherwise() throws {
    #expect(try profile(good).power == .mains)
    #expect(try profile(good.replacing("}", with: #","power":"mains"}"#)).power == .mains)
    #expect(try profile(good.replacing("}", with: #","power":"battery"}"#)).power == .battery)
}

@Test func aProfileNeedNotSayWhenTheCameraLooksForCodes() throws {
    #expect(try profile(good).codes == nil)
    for word in BoardProfile.codeWords {
        #expect(try profile(good.replacing("}", with: ",\"codes\":\"\(word)\"}")).codes == word)
    }
}

@Test(arguments: [
    ("", BoardProfileError.notJSON(.truncated, offset: 0)), ("[]", .notAnObject), ("{}", .missingMember("name")),
    (#"{"nmae":"x"}"#, .unknownMember("nmae")), (#"{"name":1}"#, .notAString("name")), (#"{"name":""}"#, .notAString("name")),
    (#"{"name":"x","name":"x"}"#, .notJSON(.duplicateName, offset: 12)),
    (good.replacing("\"x\"", with: "\"../x\""), .badMember("name")),
    (good.replacing("hci:0", with: "hci:"), .badMoniker(member: "hci", .badNumber(""))),
    (good.replacing("log:", with: "fb:/dev/fb0"), .badMoniker(member: "lights", .unknownScheme("fb", known: LightsMoniker.schemes))),
    (good.replacing("none:", with: "none:1"), .badMoniker(member: "screen", .unexpected("1"))),
    (good.replacing("}", with: #","camera":"eye"}"#), .badMoniker(member: "camera", .noScheme("eye"))),
    (good.replacing("}", with: #","camera":"v4l2:"}"#), .badMoniker(member: "camera", .missing("path"))),
    (good.replacing("}", with: #","audit":"audit"}"#), .badMember("audit")),
    (good.replacing("off", with: "always"), .badMember("face")), (good.replacing(#","face":"off""#, with: ""), .missingMember("face")),
    (good.replacing("}", with: #","facePlugin":"face.so"}"#), .badMember("facePlugin")),
    (good.replacing("}", with: #","faceModels":"/models/"}"#), .badMember("faceModels")),
    (good.replacing("}", with: #","faceThresholds":""}"#), .notAString("faceThresholds")),
    (good.replacing("}", with: #","faceMatcher":"../x"}"#), .badMember("faceMatcher")),
    (good.replacing("}", with: #","faceMatcher":"SFace"}"#), .badMember("faceMatcher")),
    (good.replacing("}", with: #","faceMatcher":"123456789012345678901234567890123"}"#), .badMember("faceMatcher")),
    (good.replacing("}", with: #","power":"solar"}"#), .badMember("power")),
    (good.replacing("}", with: #","codes":"on"}"#), .badMember("codes")),
    (good.replacing("}", with: #","codes":""}"#), .notAString("codes")),
])
func badProfiles(text: String, error: BoardProfileError) {
    #expect(throws: error) { try profile(text) }
}

@Test func aMatcherIsNamedAndIsNoPath() {
    #expect(
        BoardProfileError.badMember("faceMatcher").description
            == "faceMatcher has a value it cannot have: lower-case letters, digits and hyphens, at most 32")
}

@Test func profilesThatCannotBeRead() throws {
    let stage = Stage()
    #expect(throws: BoardProfileError.unreadable(errno: ENOENT)) { try BoardProfile(contentsOf: stage.path("absent")) }
    #expect(throws: BoardProfileError.unreadable(errno: EISDIR)) { try BoardProfile(contentsOf: stage.folder) }
    try Data(repeating: 0x20, count: 70_000).write(to: URL(fileURLWithPath: stage.path("long")))
    #expect(throws: BoardProfileError.tooLong) { try BoardProfile(contentsOf: stage.path("long")) }
    try good.write(toFile: stage.path("good"), atomically: false, encoding: .utf8)
    #expect(try BoardProfile(contentsOf: stage.path("good")).camera == nil)
}
