import Appliance
import Credentials
import Cryptography
import Envelopes
import JSON
import LinkedData
import Trust

/// Documents put into both canonical forms under the contexts that were given, and verdicts by the trust folder that was named, last.
struct Oracle {
    private var processor = LinkedDataProcessor(store: ContextStore([:]))
    private var verifier: CredentialVerifier?
    private static let steps = 1_000_000_000
    private static let limits = JSONLimits(bytes: 64 << 20, depth: 64, nodes: 1_000_000)

    /// The answer to one line; nil where there is nothing to say.
    mutating func answer(_ line: String) -> String? {
        let request: JSONDocument
        do throws(JSONError) {
            request = try JSONDocument(parsing: Array(line.utf8), limits: Self.limits)
        } catch {
            return #"{"error":"no JSON: \#(error.reason)"}"#
        }
        if let contexts = request.root["contexts"] {
            pin(contexts)
            return nil
        }
        if let folder = request.root["trust"]?.string { return trust(folder) }
        if let message = request.root["message"]?.stringBytes { return verdict(message, at: request.root["at"]?.int64 ?? 0) }
        if let text = request.root["code"]?.stringBytes {
            return code(text, prefix: request.root["prefix"]?.stringBytes ?? [], at: request.root["at"]?.int64 ?? 0)
        }
        guard let document = request.root["document"] else { return #"{"error":"no document"}"# }
        let isLong = request.root["algorithm"]?.isString("sha384") == true
        var writer = JSONWriter(reserving: line.utf8.count * 2)
        writer.object { writer in
            statements(of: document, isLong ? .sha384 : .sha256, to: &writer)
            do throws(LinkedDataError) {
                var steps = StepBudget(Self.steps)
                let octets = try CanonicalJSON.bytes(of: document, steps: &steps)
                writer.member("jcs", String(decoding: octets, as: UTF8.self))
            } catch {
                writer.member("jcsError", error.rawValue)
            }
        }
        return writer.text
    }

    private mutating func trust(_ folder: String) -> String? {
        do throws(TrustError) {
            verifier = CredentialVerifier(trust: try TrustStore(folder: folder))
            return nil
        } catch {
            return #"{"error":"no trust"}"#
        }
    }

    private func verdict(_ message: [UInt8], at time: Seconds) -> String {
        guard let verifier else { return #"{"error":"no trust"}"# }
        return VerdictText(verifier.verify(message, at: time)).json
    }

    private func code(_ text: [UInt8], prefix: [UInt8], at time: Seconds) -> String {
        guard let verifier else { return #"{"error":"no trust"}"# }
        switch CodeContent(reading: text.span, prefix: prefix) {
        case .credential(let received): return VerdictText(verifier.verify(received, at: time)).json
        case .engagement: return #"{"engagement":true}"#
        case .refused(let reason): return VerdictText(.reject([reason])).json
        case .ignored(let reason): return #"{"ignored":"\#(reason)"}"#
        }
    }

    private mutating func pin(_ contexts: JSONValue) {
        var documents: [String: [UInt8]] = [:]
        if let members = contexts.members {
            for member in members {
                var copy = JSONWriter(reserving: member.value.sourceRange.count)
                copy.copy(member.value)
                documents[member.name] = copy.bytes
            }
        }
        // Generated graphs may be harder than credentials: only time is lost here.
        var limits = LinkedDataLimits.standard
        limits.workFactor = 3
        limits.steps = Self.steps
        limits.pinnedSteps = Self.steps
        processor = LinkedDataProcessor(store: ContextStore(documents), limits: limits)
    }

    private mutating func statements(of document: JSONValue, _ algorithm: DigestAlgorithm, to writer: inout JSONWriter) {
        do throws(LinkedDataError) {
            let (dataset, journal) = try processor.dataset(of: document)
            let octets = try Canonicalization.canonicalize(dataset, algorithm: algorithm, limits: processor.limits).nquads
            writer.member("nquads", String(decoding: octets, as: UTF8.self))
            writer.name("dropped")
            writer.array { writer in
                for dropped in journal.dropped {
                    writer.object { writer in
                        writer.member("pointer", dropped.pointer)
                        writer.member("reason", dropped.reason.rawValue)
                    }
                }
            }
        } catch {
            writer.member("error", error.rawValue)
        }
    }
}
