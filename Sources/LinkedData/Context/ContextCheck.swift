import JSON

extension LinkedDataProcessor {
    /// Why no document can be read under a pinned context; nil where one can.
    ///
    /// A context may lean on what another one said before it, so it is tried alone and then after each of `bases`. Half of what pinned contexts may cost
    /// is for it alone: a document names it with others. What octets allow for ends where it ends for a document, or what passes here would not pass there.
    public func refusal(ofContext url: Text, after bases: [Text]) -> LinkedDataError? {
        var reason: LinkedDataError?
        for names in [[url]] + bases.filter({ $0 != url }).map({ [$0, url] }) {
            let octets = names.reduce(0) { $0 + (store.document(at: $1)?.count ?? 0) }
            var work = DocumentWork(limits: limits, store: store)
            work.pinned = StepBudget(limits.pinnedSteps / 2 + min(octets, limits.pinnedContextBytes) / LinkedDataLimits.pinnedOctetsPerStep)
            guard let error = refusal(of: names, &work) else { return nil }
            // The first says what is wrong with the context itself.
            reason = reason ?? error
        }
        return reason
    }

    private func refusal(of names: [Text], _ work: inout DocumentWork) -> LinkedDataError? {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("@context")
            writer.array { writer in for name in names { writer.string(name.string) } }
        }
        guard let document = try? JSONDocument(parsing: writer.bytes) else { return .invalidLocalContext }
        var processor = self
        processor.cache = ContextCache()
        do throws(LinkedDataError) {
            _ = try processor.expand(document.root, work: &work)
            return nil
        } catch {
            return error
        }
    }
}
