import Cryptography
import Envelopes
import JSON
import Mdoc

/// Sessions one after the other, by lines.
///
/// {"qr": text} begins one and has "curve", "ident", "transcript"; or "error". With {"key": PEM, "certificates": PEM} in the same line its
/// requests are signed. {"request": [{"docType", "nameSpaces": {name: {element: bool}}}]} has "message", what the phone is to be sent.
/// {"data": hexadecimal} is what the phone sent, and has "plaintext" and "status", or "end" and the "message" it is owed. {"end": true} has
/// the "message" of a normal end.
struct Conversation: ~Copyable {
    private var session: ReaderSession?
    private var key: ReaderKey?
    private var isEstablished = false

    /// The answer to one line.
    mutating func answer(_ line: String) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            do {
                let request = try JSONDocument(parsing: Array(line.utf8)).root
                for (name, value) in try answer(request) { writer.member(name, value) }
            } catch {
                writer.member("error", "\(error)")
            }
        }
        return writer.text
    }

    private enum Fault: Error {
        case unknownLine, noSession
    }

    private mutating func answer(_ line: JSONValue) throws -> [(String, String)] {
        if let qr = line["qr"]?.string { return try begin(qr, line) }
        guard var session = session.take() else { throw Fault.noSession }
        let reply: Result<[(String, String)], any Error>
        do {
            reply = .success(try answer(line, in: &session))
        } catch {
            reply = .failure(error)
        }
        self.session = consume session
        return try reply.get()
    }

    private mutating func answer(_ line: JSONValue, in session: inout ReaderSession) throws -> [(String, String)] {
        if let documents = line["request"]?.elements { return [("message", hex(try ask(&session, documents)))] }
        if line["end"] != nil { return [("message", hex(session.end() ?? []))] }
        guard let text = line["data"]?.stringBytes, let octets = Hexadecimal.decode(text[...]) else { throw Fault.unknownLine }
        do throws(SessionEnd) {
            let message = try session.open(octets.span)
            let plaintext = message.plaintext.withOctets { octets in octets.indices.map { octets[$0] } }
            return [("plaintext", hex(plaintext)), ("status", message.status.map { "\($0.rawValue)" } ?? "")]
        } catch {
            return [("end", "\(error)"), ("message", hex(error.answer ?? []))]
        }
    }

    private mutating func begin(_ qr: String, _ line: JSONValue) throws -> [(String, String)] {
        let engagement = try DeviceEngagement(qr: qr)
        let begun = try ReaderSession(engagement)
        key = nil
        if let pem = line["key"]?.stringBytes {
            key = try ReaderKey(pem: pem.span, certificates: line["certificates"]?.stringBytes ?? [])
        }
        isEstablished = false
        let transcript = begun.transcript.octets
        session = consume begun
        return [("curve", engagement.curve.rawValue), ("ident", hex(try engagement.ident())), ("transcript", hex(transcript))]
    }

    private mutating func ask(_ session: inout ReaderSession, _ documents: JSONElements) throws -> [UInt8] {
        let request = try DeviceRequest(try documents.map(Self.document))
        let octets = if let key { try request.octets(signedBy: key, in: session.transcript) } else { request.octets }
        defer { isEstablished = true }
        return isEstablished ? try session.request(octets.span) : try session.establishment(request: octets.span)
    }

    private static func document(_ value: JSONValue) throws -> DocumentRequest {
        guard let docType = value["docType"]?.string, let spaces = value["nameSpaces"]?.members else { throw Fault.unknownLine }
        return try DocumentRequest(
            docType: docType,
            spaces.map { space in
                let elements = space.value.members.map { Array($0) } ?? []
                return DocumentRequest.NameSpace(
                    space.name, elements.map { DocumentRequest.Element($0.name, isRetained: $0.value.bool == true) })
            })
    }

    private func hex(_ octets: [UInt8]) -> String { Hexadecimal.text(octets) }
}
