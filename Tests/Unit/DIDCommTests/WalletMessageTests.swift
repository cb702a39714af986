import JSON
import ProofVectors
import Testing

@testable import DIDComm

/// What wallets answer: which message it is, and what was attached.
struct WalletMessageTests {
    private static let data = #"{"base64":"eyJhIjoxfQ=="}"#
    private static let content = Array(#"{"a":1}"#.utf8)
    private static let formats = #"[{"attach_id":"p","format":"anoncreds/proof@v1.0"}]"#

    /// A presentation, by default of version 2.0 and in order.
    private static func message(
        type: String = "https://didcomm.org/present-proof/2.0/presentation", id: String = #""m""#,
        thread: String? = #"{"thid":"asked","pthid":"invited"}"#, formats: String? = formats,
        attachments: String? = #"[{"@id":"p","data":\#(data)}]"#, more: String = ""
    ) -> String {
        let members = [
            #""@type":"\#(type)""#, #""@id":\#(id)"#, thread.map { #""~thread":\#($0)"# }, formats.map { #""formats":\#($0)"# },
            attachments.map { #""presentations~attach":\#($0)"# },
        ]
        return "{" + members.compactMap { $0 }.joined(separator: ",") + more + "}"
    }

    private static func attached(_ data: String) -> Answered { Answered(message(attachments: #"[{"@id":"p","data":\#(data)}]"#)) }

    private static let taken = Answered.presentation(.two, id: "m", octets: content, key: nil, returnsRoute: false)

    // MARK: types

    @Test func bothPrefixesAndEveryMinorVersionAreRead() {
        for prefix in ["https://didcomm.org/", "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/"] {
            for version in ["2.0", "2.1", "2.12"] {
                #expect(Answered(Self.message(type: "\(prefix)present-proof/\(version)/presentation")) == Self.taken)
            }
        }
    }

    @Test func versionOneHasItsOwnAttachmentAndNoFormats() {
        let one = "https://didcomm.org/present-proof/1.0/presentation", named = #"[{"@id":"libindy-presentation-0","data":\#(Self.data)}]"#
        let expected = Answered.presentation(.one, id: "m", octets: Self.content, key: nil, returnsRoute: false)
        #expect(Answered(Self.message(type: one, formats: nil, attachments: named)) == expected)
        #expect(Answered(Self.message(type: one)) == .fault(.attachmentMissing))
        #expect(Answered(Self.message(formats: nil, attachments: named)) == .fault(.formats))
    }

    @Test(arguments: [
        "https://didcomm.org/present-proof/3.0/presentation", "https://didcomm.org/present-proof/2/presentation",
        "https://didcomm.org/present-proof/2.0/propose-presentation", "https://didcomm.org/present-proof/2.0/ack",
        "https://didcomm.org/trust_ping/1.0/ping", "https://didcomm.org/issue-credential/2.0/problem-report",
        "https://didcomm.org/issue-credential/1.0/request-credential", "http://didcomm.org/present-proof/2.0/presentation",
        "https://didcomm.org/present-proof/2.0/presentation/", "https://didcomm.org//present-proof/2.0/presentation",
        "https://didcomm.org/present-proof/-2.0/presentation", "https://didcomm.org/present-proof/2.x/presentation",
        "https://didcomm.org/present-proof/2.0.0/presentation", "https://didcomm.org/present-proof/99999999999999999999.0/presentation",
        "presentation", "", "https://didcomm.org/Present-Proof/2.0/presentation", "https://didcomm.org/present-proof/2.0/Presentation",
    ]) func otherMessagesAreRefusedByTheirType(_ type: String) {
        #expect(Answered(Self.message(type: type)) == .fault(.type))
    }

    @Test(arguments: ["present-proof/2.0", "present-proof/1.0", "report-problem/1.0", "out-of-band/1.1"])
    func aProblemReportDeclines(_ family: String) {
        #expect(Answered(Self.message(type: "https://didcomm.org/\(family)/problem-report", thread: nil, attachments: nil)) == .declined)
    }

    @Test func aMessageHasATypeAndAnIdentifier() {
        #expect(Answered("{}") == .fault(.typeMissing))
        #expect(Answered(#"{"@type":1,"@id":"m"}"#) == .fault(.typeMissing))
        for id in [#""""#, "1", "null", "\"\(String(repeating: "x", count: 65))\""] {
            #expect(Answered(Self.message(id: id)) == .fault(.identifier), "\(id)")
        }
        #expect(Answered(Self.message(id: "\"\(String(repeating: "ő", count: 64))\"")) != .fault(.identifier))
    }

    @Test func anythingButOneObjectIsMalformed() {
        for text in ["", "[]", "1", "\"x\"", "{", Self.message() + "x", Self.message(more: #","@id":"n""#), "\u{0}\u{FF} not json"] {
            #expect(Answered(text) == .fault(.malformed), "\(text)")
        }
        #expect(Answered(Self.message(more: #","more":\#(String(repeating: "[", count: 40))"#)) == .fault(.malformed))
    }

    // MARK: threads

    @Test func theRequestIsNamedAndTheInvitationMayBe() {
        #expect(Answered(Self.message(thread: #"{"thid":"asked"}"#)) == Self.taken)
        #expect(Answered(Self.message(thread: #"{"thid":"asked","pthid":null}"#)) == Self.taken)
        for thread in [nil, "{}", "1", "[]", #"{"thid":"Asked"}"#, #"{"thid":1}"#, #"{"pthid":"invited"}"#, #"{"thid":"invited"}"#] {
            #expect(Answered(Self.message(thread: thread)) == .fault(.thread), "\(thread ?? "none")")
        }
        for parent in [#""other""#, "1", #""""#] {
            #expect(Answered(Self.message(thread: #"{"thid":"asked","pthid":\#(parent)}"#)) == .fault(.parentThread), "\(parent)")
        }
    }

    // MARK: attachments

    @Test func oneEntryOfFormatsNamesTheAttachment() {
        let indy = #"[{"attach_id":"x","format":"dif/presentation-exchange@v1.0"},{"attach_id":"p","format":"hlindy/proof@v2.0"}]"#
        #expect(Answered(Self.message(formats: indy)) == Self.taken)
        for formats in [
            nil, "[]", "{}", #"[{"attach_id":"p","format":"other"}]"#, #"[{"format":"anoncreds/proof@v1.0"}]"#,
            #"[{"attach_id":1,"format":"anoncreds/proof@v1.0"}]"#, Self.formats.dropLast() + "," + Self.formats.dropFirst(),
            #"[{"attach_id":"p","format":"anoncreds/proof@v1.0"},{"attach_id":"p","format":"hlindy/proof@v2.0"}]"#,
            "[" + [String](repeating: "1", count: 17).joined(separator: ",") + "]",
        ] { #expect(Answered(Self.message(formats: formats)) == .fault(.formats), "\(formats ?? "none")") }
    }

    @Test func theAttachmentThatIsNamedIsTakenAndNoOther() {
        let other = #"{"@id":"other","data":{"base64":"!"}}"#, named = #"{"@id":"p","data":\#(Self.data)}"#
        #expect(Answered(Self.message(attachments: "[\(other),\(named),1,null]")) == Self.taken)
        for attachments in [nil, "[]", "{}", "[\(other)]", "[\(named),\(named)]", "[1]"] {
            #expect(Answered(Self.message(attachments: attachments)) == .fault(.attachmentMissing), "\(attachments ?? "none")")
        }
    }

    @Test func base64IsReadInEitherAlphabetPaddedOrNot() {
        for text in ["eyJhIjoxfQ==", "eyJhIjoxfQ"] { #expect(Self.attached(#"{"base64":"\#(text)"}"#) == Self.taken, "\(text)") }
        let octets: [UInt8] = [0xFB, 0xEF, 0xBE, 0xFF, 0xFF]
        for text in ["++++//8=", "++++//8", "----__8=", "----__8", #"\u002b+++\/\/8"#] {
            #expect(
                Self.attached(#"{"base64":"\#(text)"}"#) == .presentation(.two, id: "m", octets: octets, key: nil, returnsRoute: false),
                "\(text)")
        }
        for text in ["", "!", "=", "eyJhIjoxfQ=", "eyJhIjoxfQ===", "eyJhIjoxfR", "eyJh IjoxfQ==", "++++__8=", "e", "eyJhIjoxfQ==eyJh"] {
            #expect(Self.attached(#"{"base64":"\#(text)"}"#) == .fault(.attachment), "\(text)")
        }
    }

    @Test func jsonIsTakenAsItWasWritten() {
        let octets = Array(#"{ "a" : [1.0, "\u0041"] }"#.utf8)
        #expect(
            Self.attached(#"{"json":{ "a" : [1.0, "\u0041"] }}"#)
                == .presentation(.two, id: "m", octets: octets, key: nil, returnsRoute: false))
        for value in ["1", "null", #""{}""#, "[]"] { #expect(Self.attached(#"{"json":\#(value)}"#) == .fault(.attachment), "\(value)") }
    }

    @Test func dataWithoutOctetsIsRefused() {
        for data in [
            "{}", "1", "null", #"{"links":["https://example.org"]}"#, #"{"jws":{}}"#, #"{"sha256":"00"}"#, #"{"base64":1}"#,
            #"{"base64":"eyJhIjoxfQ==","json":{"a":1}}"#,
        ] { #expect(Self.attached(data) == .fault(.attachment), "\(data)") }
        #expect(Answered(Self.message(attachments: #"[{"@id":"p"}]"#)) == .fault(.attachment))
        // Beside the octets, the others are read past.
        #expect(Self.attached(#"{"base64":"eyJhIjoxfQ==","sha256":"00","jws":{}}"#) == Self.taken)
    }

    // MARK: where an answer goes

    @Test func theFirstKeyOfTheServiceIsWhereAnAnswerGoes() throws {
        let wallet = try TestKeys.recipient(TestKeys.wallet)
        for reference in [wallet.kid, wallet.didKey] {
            let more = #","~service":{"recipientKeys":["\#(reference)"]},"~transport":{"return_route":"all"}"#
            #expect(
                Answered(Self.message(more: more))
                    == .presentation(.two, id: "m", octets: Self.content, key: wallet.kid, returnsRoute: true))
        }
        for service in ["1", "{}", #"{"recipientKeys":[]}"#, #"{"recipientKeys":[1]}"#, #"{"recipientKeys":["0OIl"]}"#] {
            #expect(Answered(Self.message(more: #","~service":\#(service)"#)) == Self.taken, "\(service)")
        }
    }

    // MARK: cuts

    @Test func aMessageIsCutAtEveryLength() {
        let text = Array(Self.message().utf8)
        for length in 0..<text.count {
            #expect(Answered(String(decoding: text.prefix(length), as: UTF8.self)) == .fault(.malformed), "\(length)")
        }
    }
}
