import CBOR
import Envelopes

/// A DeviceResponse taken apart as far as its documents (mdoc.md section 6).
struct DeviceResponse {
    let status: UInt64
    /// Empty where the status is not 0.
    let documents: [CBORItem]
    let errors: [DocumentError]

    private static let majorVersion = "1."

    init(_ octets: Span<UInt8>) throws(ResponseError) {
        do throws(CBORError) {
            let root = try CBORDocument(parsing: octets, options: ResponseLimits.options).root
            let version = try root.member("version").require(\.text)
            status = try root.member("status").require(\.uint64)
            errors = try Self.errors(root["documentErrors"])
            let documents = try root["documents"].map { (item) throws(CBORError) in try item.require(\.elements) } ?? []
            guard version.utf8.starts(with: Self.majorVersion.utf8) else { throw CBORError(.wrongType, at: 0) }
            self.documents = status == 0 ? documents : []
        } catch {
            throw .malformed(error)
        }
        guard documents.count <= ResponseLimits.documents else { throw .tooManyDocuments }
    }

    private static func errors(_ item: CBORItem?) throws(CBORError) -> [DocumentError] {
        guard let item else { return [] }
        var errors: [DocumentError] = []
        for element in try item.require(\.elements) {
            for (docType, code) in try element.named() {
                errors.append(DocumentError(docType: docType, code: try code.require(\.int64)))
            }
        }
        return errors
    }
}

/// Why nothing can be read from a response. The session has to end then.
public enum ResponseError: Error, Hashable, Sendable {
    /// Not the CBOR or not the shape of a DeviceResponse of version 1.
    case malformed(CBORError)
    /// More documents than the gate is willing to verify.
    case tooManyDocuments
    /// The transcript that the gate gave is no CBOR: a fault of the gate.
    case transcriptMalformed
}
