import Cryptography
import Envelopes
import JSON
import ProofVectors
import Testing

@testable import DIDComm

/// What the gate says, octet for octet.
struct WrittenMessageTests {
    private static let content = Array(#"{"nonce":"1"}"#.utf8)

    private static func text(_ octets: [UInt8]) -> String { String(decoding: octets, as: UTF8.self) }

    @Test func aRequestHasTheRequestOfAnonCredsAsItIs() {
        #expect(
            Self.text(PresentationRequest(identifier: "r", content: Self.content).text)
                == #"{"@type":"https://didcomm.org/present-proof/2.0/request-presentation","@id":"r","will_confirm":true,"#
                + #""formats":[{"attach_id":"anoncreds","format":"anoncreds/proof-request@v1.0"}],"#
                + #""request_presentations~attach":[{"@id":"anoncreds","mime-type":"application/json","data":{"base64":"eyJub25jZSI6IjEifQ=="}}]}"#
        )
        #expect(
            Self.text(PresentationRequest(identifier: "r", version: .one, content: Self.content).text)
                == #"{"@type":"https://didcomm.org/present-proof/1.0/request-presentation","@id":"r","#
                + #""request_presentations~attach":[{"@id":"libindy-request-presentation-0","mime-type":"application/json","#
                + #""data":{"base64":"eyJub25jZSI6IjEifQ=="}}]}"#)
        let indy = Self.text(PresentationRequest(identifier: "r", format: .indy, content: Self.content).text)
        #expect(indy.contains(#""format":"hlindy/proof-req@v2.0""#))
    }

    @Test func anInvitationSaysWhoWhereAndWhat() throws {
        let gate = try TestKeys.recipient(TestKeys.gate), request = PresentationRequest(identifier: "r", content: Self.content)
        let invitation = Invitation(
            identifier: "i", label: "Gate \"7\"", request: request, key: gate, endpoint: .bluetooth(service: "5a0f"))
        #expect(
            Self.text(invitation.text)
                == #"{"@type":"https://didcomm.org/out-of-band/1.1/invitation","@id":"i","label":"Gate \"7\"","#
                + #""accept":["didcomm/aip1","didcomm/aip2;env=rfc19"],"requests~attach":[{"@id":"request-0","mime-type":"application/json","#
                + #""data":{"json":\#(Self.text(request.text))}}],"#
                + ##""services":[{"id":"#inline","type":"did-communication","recipientKeys":["\##(gate.didKey)"],"##
                + #""routingKeys":[],"serviceEndpoint":"ble://5a0f"}]}"#)
        #expect(invitation.thread == MessageThread(request: "r", invitation: "i"))
        let prefix = "didcomm://invite?oob="
        #expect(invitation.address.hasPrefix(prefix))
        #expect(Base64.decode(String(invitation.address.dropFirst(prefix.count))) == invitation.text)
    }

    @Test func answersFollowTheVersionOfThePresentation() {
        let thread = MessageThread(request: "r", invitation: "i")
        #expect(
            Self.text(Acknowledgement(identifier: "a", version: .one, thread: thread).text)
                == #"{"@type":"https://didcomm.org/present-proof/1.0/ack","@id":"a","~thread":{"thid":"r"},"status":"OK"}"#)
        #expect(
            Self.text(ProblemReport(identifier: "a", version: .two, thread: thread, .rejected).text)
                == #"{"@type":"https://didcomm.org/present-proof/2.0/problem-report","@id":"a","~thread":{"thid":"r","pthid":"i"},"#
                + #""description":{"code":"rejected","en":"The gate did not accept what was presented."}}"#)
    }

    @Test func aWalletIsToldNoMoreThanFourThings() {
        #expect(Set(AriesCode.allCases.compactMap { ProblemCode($0) }) == [.malformed, .tooLarge, .expired])
        #expect(AriesCode.allCases.filter { ProblemCode($0) == nil } == [.declined, .vanished])
        #expect(Set(ProblemCode.allCases.map { $0.rawValue }) == ["rejected", "malformed", "too-large", "expired"])
        for fault in WalletMessageFault.allCases { #expect(ProblemCode(fault.code) == .malformed) }
    }

    @Test func identifiersAreRandomUUIDsOfVersionFour() throws {
        #expect(MessageIdentifier(InlineArray(repeating: 0xFF)).description == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(MessageIdentifier(InlineArray(repeating: 0x00)).description == "00000000-0000-4000-8000-000000000000")
        #expect(try MessageIdentifier() != MessageIdentifier())
    }

    @Test func referencesToOtherThingsThanKeysAreNone() {
        for reference in [
            "", "0OIl", "did:key:", "did:key:z", "did:key:z6Mk", "did:web:example.org", String(repeating: "z", count: 200),
            // Zero: a point of low order.
            "11111111111111111111111111111111", "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
        ] { #expect(EnvelopeRecipient(reference: reference)?.kid == nil, "\(reference)") }
    }

    @Test func base58ComesBack() {
        for octets in [[], [0], [0, 0, 1], [255], [UInt8](repeating: 255, count: 34), (0..<32).map { $0 }] as [[UInt8]]
        where !octets.isEmpty {
            #expect(Base58.decode(Array(Base58.encode(octets).utf8)[...]) == octets)
        }
        #expect(Base58.encode([UInt8]()) == "")
        #expect(Base58.encode(Array("Hello World!".utf8)) == "2NEpo7TZRRrLZSi2U")
    }
}
