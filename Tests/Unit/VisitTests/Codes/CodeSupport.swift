import Bluetooth
import Testing

@testable import Faces
@testable import Presentation
@testable import Visit

extension TestGate {
    static let photo = "data:image/jpeg;base64,/9j/4AAQ"
    static let match = FaceOutcome(decision: .bound(.above), frames: 4, compared: 3, isTrial: true)

    /// A gate that takes codes.
    static func withCodes(face: Policy.Face = .off, copies: Set<String> = ["*"], allowsSupervisor: Bool = false) throws -> TestGate {
        var policy = Policy()
        policy.takesCodes = true
        policy.face = face
        policy.copiesWithoutFace = copies
        policy.allowsSupervisor = allowsSupervisor
        return try TestGate(policy: policy)
    }

    /// One frame with this code; empty for one without.
    func look(_ text: String) {
        let octets = Array(text.utf8)
        gate.read(code: octets.span, at: now)
        turn()
    }

    /// Ten frames a second with these codes, one after the other, for so long.
    func hold(_ texts: String..., milliseconds: UInt64) {
        for frame in 0..<max(1, milliseconds / 100) {
            if wantsCodes { look(texts[Int(frame) % texts.count]) }
            wait(100)
        }
    }

    /// A code that is held up until its verdict, or until nothing comes of it, and then taken away.
    func show(_ text: String) {
        hold(text, milliseconds: 300)
        hold("", milliseconds: 3200)
    }

    func answer(_ outcome: FaceOutcome) throws {
        let request = try #require(takeFaceRequest())
        gate.faceDecided(outcome, of: request.number, at: now)
        turn()
    }

    /// Until no verdict stands and codes that were shown are out of sight.
    func pause() {
        waitForLights()
        hold("", milliseconds: 11_000)
    }

    func turnKey() -> Bool { gate.supervise(at: now) }

    /// The same trust, read again.
    func believeAgain() {
        let trust = gate.verifier.trust
        gate.believe(trust)
    }

    var codes: CodeCounters { gate.presentations.code.counters }
    var areCodesForgotten: Bool { gate.presentations.code.isForgotten }
    var isRadioReady: Bool { gate.host.isReady }
    var isCommitted: Bool { gate.presentations.isCommitted }
    var isRefusing: Bool { gate.admission.isRefusing }
    var isServingLink: Bool { gate.admission.isServing }
    var hasNoRecordWaiting: Bool { gate.actions.records.count == 0 }
    var isByCode: Bool { gate.presentations.isByCode }
    /// The link is served, or would be.
    var isServed: Bool { isConnected && gate.admission.isServing }
}

/// Codes that strangers hold up.
enum StrangeCode {
    /// Ignored, without a record.
    static let ignored = [
        "https://example.org/menu", "HTTP://EXAMPLE.ORG", "OPENID4VP://connect?name=OTHER&key=00", "openid4vp://authorize?x=1", "haip://x",
        "shc:/56762909524320603460292437404460", "hello", "0", " ", "WIFI:S:guests;T:WPA;P:secret;;", "BEGIN:VCARD", "{}", "{", "eyJ",
        "a.b.c",
        String(repeating: "7", count: 7089), String(repeating: "7", count: 7090), String(repeating: "x", count: 100_000), "\u{0}\u{FF}",
    ]

    /// Rejected by name.
    static func rejected() throws -> [String] {
        [
            "mdoc:owBjMS4wAYIB2BhYS6QBAiABIVgg", "MDOC:owBj", "HC1:6BFOXN", "{\"proof\":1}", "eyJhbGciOiJub25lIn0.e30.~",
            try TestIssuer.credential(seed: TestIssuer.strangersSeed), try TestIssuer.credential(expires: TestIssuer.now - 500),
        ]
    }
}
