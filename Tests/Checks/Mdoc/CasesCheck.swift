import CBOR
import Cryptography
import Envelopes
import JSON
import Mdoc

/// `cases.json`: sessions with keys, what the phone sent, whom to trust, and what must come out.
enum CasesCheck {
    /// The member by which the file is told from others.
    static let member = "cases"
    static let format = "gatehouse-mdoc-cases-2"

    /// Prints every difference, and how many of how many agree. Returns the program's exit code: 0 none, 1 some, 2 an unusable file.
    static func run(_ file: JSONValue) -> Int32 {
        guard let cases = file[member]?.elements else { return 2 }
        var agreed = 0, all = 0
        for each in cases {
            all += 1
            do throws(UnusableCase) {
                let input = try CaseInput(each)
                guard let expectation = each["expect"] else { throw UnusableCase(reason: "expect") }
                let wanted = try Set(expected(expectation)), found = Set(lines(input.play()))
                if wanted == found {
                    agreed += 1
                } else {
                    print("\(input.name): expected \(wanted.subtracting(found).sorted()), found \(found.subtracting(wanted).sorted())")
                }
            } catch {
                print("\(each["name"]?.string ?? "?"): unusable: \(error.reason)")
                return 2
            }
        }
        print("\(agreed) of \(all)")
        return all == 0 ? 2 : agreed == all ? 0 : 1
    }

    // MARK: what the file expects

    private static func expected(_ value: JSONValue) throws(UnusableCase) -> [String] {
        var lines = ["session \(try value.text("session"))"]
        if let status = value["session_status"]?.int64 { lines.append("session status \(status)") }
        guard let documents = value["documents"]?.elements else { return lines }
        guard let status = value["response_status"]?.int64, let errors = value["document_errors"]?.elements else {
            throw UnusableCase(reason: "response_status")
        }
        lines.append("response status \(status)")
        for error in errors {
            guard let members = error.members else { throw UnusableCase(reason: "document_errors") }
            for member in members { lines.append("document error \(member.name) \(member.value.int64 ?? -1)") }
        }
        for (index, document) in documents.enumerated() { lines += try expected(document, index) }
        return lines
    }

    private static func expected(_ document: JSONValue, _ index: Int) throws(UnusableCase) -> [String] {
        let type = document["type"]?.string
        var lines = [
            "\(index) docType \(try document.text("docType"))", "\(index) type \(type ?? "none")",
            "\(index) deviceAuth \(document["deviceAuth"]?.string ?? "none")",
        ]
        guard let claims = document["claims"]?.members, let errors = document["errors"]?.members else {
            throw UnusableCase(reason: "claims")
        }
        for nameSpace in claims {
            guard let elements = nameSpace.value.elements else { throw UnusableCase(reason: "claims") }
            for element in elements {
                guard let name = element.string else { throw UnusableCase(reason: "claims") }
                lines.append("\(index) returned \(nameSpace.name) \(name)")
                // The reference has the claims of documents that are over or revoked too; the gate tells none of those.
                if type == nil { lines.append("\(index) claim \(nameSpace.name) \(name)") }
            }
        }
        for nameSpace in errors {
            guard let members = nameSpace.value.members else { throw UnusableCase(reason: "errors") }
            for element in members {
                lines.append("\(index) error \(nameSpace.name) \(element.name) \(element.value.int64 ?? -1)")
            }
        }
        return lines
    }

    // MARK: what was found

    static func lines(_ outcome: CaseOutcome) -> [String] {
        switch outcome {
        case .silence: return ["session silence"]
        case .impossible(let reason): return ["session impossible: \(reason)"]
        case .undecodable(.malformed): return ["session response-undecodable"]
        case .undecodable(let error): return ["session \(error)"]
        case .ended(.decryptionError): return ["session decryption-error"]
        case .ended(.undecodable): return ["session session-data-undecodable"]
        case .ended(.ended(let status)): return ["session ended-\(status.rawValue)", "session status \(status.rawValue)"]
        case .ended(let end): return ["session \(end)"]
        case .response(let response, let status):
            var lines = ["session ok", "response status \(response.status)"]
            if let status { lines.append("session status \(status.rawValue)") }
            lines += response.documentErrors.map { "document error \($0.docType) \($0.code)" }
            for (index, document) in response.documents.enumerated() { lines += self.lines(document, index) }
            return lines
        }
    }

    private static func lines(_ document: DocumentResult, _ index: Int) -> [String] {
        var lines = [
            "\(index) docType \(document.docType ?? "none")", "\(index) type \(document.fault?.rawValue ?? "none")",
            "\(index) deviceAuth \(document.deviceAuthentication?.rawValue ?? "none")",
        ]
        for nameSpace in document.returned.nameSpaces {
            lines += nameSpace.identifiers.map { "\(index) returned \(nameSpace.name) \($0)" }
        }
        for nameSpace in document.claims.nameSpaces {
            lines += nameSpace.elements.map { "\(index) claim \(nameSpace.name) \($0.identifier)" }
        }
        lines += document.errors.map { "\(index) error \($0.nameSpace) \($0.identifier) \($0.code)" }
        return lines
    }
}

extension CaseInput {
    /// A case of `cases.json`.
    init(_ value: JSONValue) throws(UnusableCase) {
        guard let key = value["reader_key"], let curve = NISTCurve(rawValue: try key.text("curve")), let trust = value["trust"],
            let derived = value["derived"], let tokens = trust["status_tokens"]?.members
        else { throw UnusableCase(reason: "reader_key") }
        var known: [(uri: String, octets: [UInt8])] = []
        for token in tokens {
            guard let text = token.value.string, let octets = Hexadecimal.decode(Array(text.utf8)[...]) else {
                throw UnusableCase(reason: "status_tokens")
            }
            known.append((token.name, octets))
        }
        self.init(
            name: try value.text("name"), now: try value.seconds("now"), qr: try value.text("qr"), curve: curve,
            readerKey: try key.octets("d"), requested: try value.texts("requested"),
            trust: MdocTrust(anchors: try trust.octetStrings("anchors"), lists: try trust.octetStrings("crls"), tokens: known),
            settings: MdocVerifier.Settings(skipsStatus: value["skip_status"]?.bool ?? false),
            sessionData: try value.octetStrings("session_data"), transcript: try derived.octets("session_transcript"))
    }
}
