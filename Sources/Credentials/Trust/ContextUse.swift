import LinkedData

extension TrustContents {
    /// Refuses a context that no credential can be read under: one that is no context, needs another that is not here, or takes too much work. A gate
    /// would refuse every credential that names it, and nobody would be told why.
    func checkContexts() throws(TrustError) {
        let processor = LinkedDataProcessor(store: try TrustStore.store(contexts))
        let bases = DataModelRules.Version.allCases.map { Text($0.rawValue) }.filter { processor.store.document(at: $0) != nil }
        for context in contexts {
            guard let error = processor.refusal(ofContext: Text(context.url), after: bases) else { continue }
            throw TrustError(file: context.url, reason: .unusableContext(error))
        }
    }
}
