import Cryptography
import Envelopes
import JSON
import Mdoc

/// `generated_cases.json`: older cases of one fault each, of which only the documents' type is expected; and tokens for one document's
/// status, each named by what has to come out. Where the file has them, its lists as well.
enum OlderCasesCheck {
    /// The member of a case by which the file is told from the newer ones.
    static let member = "expected_type"
    /// What all of them ask for.
    private static let requested = ["org.iso.18013.5.1.mDL"]

    static func isOlder(_ file: JSONValue) -> Bool {
        guard var cases = file[CasesCheck.member]?.elements else { return false }
        return cases.next()?[member] != nil
    }

    static func run(_ file: JSONValue) -> Int32 {
        guard let cases = file[CasesCheck.member]?.elements else { return 2 }
        var agreed = 0, all = 0
        for each in cases {
            all += 1
            do throws(UnusableCase) {
                let name = try each.text("name")
                var wanted: [String] = [], found: [String] = []
                for (label, input, expectation) in try inputs(each) {
                    wanted.append("\(label) \(expectation)")
                    found.append("\(label) \(verdict(input.play()))")
                }
                if wanted == found { agreed += 1 } else { print("\(name): expected \(wanted), found \(found)") }
            } catch {
                print("\(each["name"]?.string ?? "?"): unusable: \(error.reason)")
                return 2
            }
        }
        let lists = OlderListsCheck.run(file)
        if lists.count > 0 { print("lists: \(lists.agreed) of \(lists.count)") }
        print("\(agreed) of \(all)")
        return all == 0 ? 2 : agreed == all && lists.agreed == lists.count ? 0 : 1
    }

    /// The case as it is, and once with each of its status tokens.
    private static func inputs(_ value: JSONValue) throws(UnusableCase) -> [(label: String, CaseInput, expected: String)] {
        let expected = value[member]?.string ?? "none"
        guard let status = value["status"], let tokens = status["tokens"]?.members else {
            return [("case", try CaseInput(older: value, requested, []), expected)]
        }
        let uri = try status.text("uri")
        var inputs = [("no token", try CaseInput(older: value, requested, []), "StatusUnknown")]
        for token in tokens {
            guard let text = token.value.string, let octets = Hexadecimal.decode(Array(text.utf8)[...]) else {
                throw UnusableCase(reason: "tokens")
            }
            let type = token.name == "VALID" ? "none" : String(token.name.prefix { $0 != "_" })
            inputs.append((token.name, try CaseInput(older: value, requested, [(uri, octets)]), type))
        }
        return inputs
    }

    /// The first document's fault that is one; "none" also where the session ended without documents, as some cases want it.
    private static func verdict(_ outcome: CaseOutcome) -> String {
        switch outcome {
        case .response(let response, _): response.documents.lazy.compactMap(\.fault).first?.rawValue ?? "none"
        case .impossible(let reason): reason
        case .undecodable: "undecodable"
        case .silence, .ended: "none"
        }
    }
}

extension CaseInput {
    /// A case of `generated_cases.json`.
    init(older value: JSONValue, _ requested: [String], _ tokens: [(uri: String, octets: [UInt8])]) throws(UnusableCase) {
        self.init(
            name: try value.text("name"), now: try value.seconds("now"), qr: try value.text("qr"), curve: .p256,
            readerKey: try value.octets("eReaderKey_d"), requested: requested,
            trust: MdocTrust(anchors: try value.octetStrings("trust_anchors"), tokens: tokens), settings: MdocVerifier.Settings(),
            sessionData: try value.octetStrings("session_data"), transcript: try value.octets("session_transcript"))
    }
}
