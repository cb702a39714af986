import CBOR
import Credentials
import Envelopes
import TestSupport
import Trust

/// What an issuer could put into a code for a sample: its octets behind zlib and base45.
struct CodeContents {
    let name: String
    let octets: [UInt8]

    /// Those whose code is no longer than codes are.
    static func all(of sample: Sample) -> [CodeContents] {
        made(of: sample.message, sample.form).filter { pixelPass($0.octets).count <= CodeContent.longest }
    }

    /// - Parameter message: the sample, or a mutant of it that may not be any of this any more.
    static func made(of message: [UInt8], _ form: CredentialForm) -> [CodeContents] {
        let text = CodeContents(name: "text", octets: message)
        if let tree = Tree(parsing: message) {
            let whole = CodeContents(name: "CBOR", octets: tree.cbor(wholeAsFloats: false) ?? message)
            return [text, whole, CodeContents(name: "CBOR of floats", octets: tree.cbor(wholeAsFloats: true) ?? message)]
        }
        guard form == .cwt, let token = Hex.decode(message) else { return [text] }
        var contents = [text, CodeContents(name: "octets", octets: token)]
        if let parts = TokenParts(token) {
            var bare = parts
            bare.tags = []
            contents.append(CodeContents(name: "no tag", octets: bare.octets))
        }
        return contents
    }
}

extension Sample {
    /// The verdict on the text of a code.
    func verdict(code text: [UInt8]) -> Verdict {
        switch CodeContent(reading: text.span) {
        case .credential(let received): verifier.verify(received, at: time)
        case .refused(let reason): .reject([reason])
        case .engagement, .ignored: .reject([.credentialMissing])
        }
    }
}

extension Tree {
    /// As PixelPass writes it; nil for what is no JSON, and where a name occurs twice.
    ///
    /// - Parameter wholeAsFloats: as its Kotlin library does.
    func cbor(wholeAsFloats: Bool) -> [UInt8]? {
        guard Tree(parsing: octets) != nil else { return nil }
        return try? CBORWriter.encode { write(to: &$0, wholeAsFloats) }
    }

    private func write(to writer: inout CBORWriter, _ wholeAsFloats: Bool) {
        switch self {
        case .array(let elements): writer.array { for element in elements { element.write(to: &$0, wholeAsFloats) } }
        case .object(let members):
            writer.map { map in
                for member in members { map.entry(Tree.scalar(member.name).string ?? "") { member.value.write(to: &$0, wholeAsFloats) } }
            }
        case .scalar(let octets):
            let lexeme = String(decoding: octets, as: UTF8.self)
            if let text = string {
                writer.text(text)
            } else if !wholeAsFloats, let number = Int64(lexeme) {
                writer.integer(number)
            } else if let number = Double(lexeme) {
                writer.float(number)
            } else if lexeme == "null" {
                writer.null()
            } else {
                writer.bool(lexeme == "true")
            }
        }
    }
}
