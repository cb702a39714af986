import Mdoc
import Presentation
import Trust

/// Whom a gate at work believes about documents in phones, and in whose name it asks for them.
public struct DocumentBelief: Sendable {
    public let trust: MdocTrust
    /// Nil asks without a name.
    public let key: ReaderKey?

    public init(trust: MdocTrust, key: ReaderKey? = nil) {
        self.trust = trust
        self.key = key
    }
}

extension DocumentConfiguration {
    /// Nil where nobody is believed: then no engagement is answered. A key that cannot be used costs the gate its name, and no visitor.
    func belief(_ store: TrustStore) -> DocumentBelief? {
        guard !store.mdoc.trust.roots.isEmpty else { return nil }
        do throws(ConfigurationError) {
            return DocumentBelief(trust: store.mdoc.trust, key: try reader.key(store.mdoc))
        } catch {
            say("phones are asked without a name: \(error)")
            return DocumentBelief(trust: store.mdoc.trust)
        }
    }
}

extension MdocSettings {
    init(_ settings: DocumentSettings) {
        self.init(
            alternatives: settings.documents.map { document in
                MdocAlternative(
                    docType: document.docType,
                    elements: document.elements.map { MdocAlternative.Element($0.nameSpace, $0.name, isRequired: $0.isRequired) },
                    leastAge: document.leastAge)
            })
    }
}
