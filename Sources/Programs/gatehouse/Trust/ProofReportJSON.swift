import Envelopes
import JSON
import Trust

extension ProofReport {
    /// The members `anoncreds` and `trustedkey`; none where there is nothing.
    func write(to writer: inout JSONWriter) {
        if !contents.anoncreds.isEmpty { writeAnonCreds(to: &writer) }
        let belief = store?.trustedKey
        guard !contents.trustedKey.isEmpty || belief?.question != nil else { return }
        writer.name("trustedkey")
        writer.object { writer in
            if let fault { writer.member("fault", fault) }
            if let question = belief?.question {
                writer.member("clientId", question.clientID)
                writer.member("wallet", question.wallet)
                writer.name("objects")
                writer.array { writer in for object in question.objects { writer.string(object.identifier) } }
            }
            writer.name("roots")
            writer.array { writer in if let belief { writeRoots(belief, to: &writer) } }
            writer.name("lists")
            writer.array { writer in
                for list in contents.trustedKey.lists {
                    writer.object {
                        $0.member("url", list.url)
                        $0.member("addresses", list.count)
                        $0.member("sha256", fingerprint(list.addresses))
                        $0.member("fetched", Self.time(list.fetched))
                        $0.member("age", max(0, now - list.fetched))
                    }
                }
            }
        }
    }

    private func writeRoots(_ belief: TrustedKeyBelief, to writer: inout JSONWriter) {
        for (place, root) in belief.trust.roots.enumerated() {
            writer.object {
                $0.member("sha256", Hexadecimal.text(root.fingerprint))
                if let id = belief.issuer(ofRoot: place)?.ids.first { $0.member("issuer", id) }
                guard let validity = root.validity else { return }
                $0.member("notBefore", Self.time(validity.lowerBound))
                $0.member("notAfter", Self.time(validity.upperBound))
            }
        }
    }

    private func writeAnonCreds(to writer: inout JSONWriter) {
        writer.name("anoncreds")
        writer.object { writer in
            if let fault { writer.member("fault", fault) }
            writer.name("files")
            writer.array { writer in
                for file in contents.anoncreds.files {
                    writer.object {
                        $0.member("name", file.name)
                        $0.member("octets", file.bytes.count)
                        $0.member("sha256", fingerprint(file.bytes))
                    }
                }
            }
            writer.name("definitions")
            writer.array { writer in for definition in store?.anoncreds.definitions ?? [] { write(definition, to: &writer) } }
        }
    }

    private func write(_ definition: BelievedDefinition, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", definition.id)
            writer.member("issuerId", definition.issuerID)
            writer.member("bits", definition.modulusBits)
            writer.name("schema")
            writer.object {
                $0.member("id", definition.schemaID)
                $0.member("issuerId", definition.schemaIssuerID)
                $0.member("name", definition.schemaName)
                $0.member("version", definition.schemaVersion)
                write("attributes", definition.attributes, to: &$0)
            }
            write("types", definition.types, to: &writer)
            writer.name("roles")
            writer.object { writer in
                for role in ClaimRole.allCases { if let attribute = definition.roles[role] { writer.member(role.rawValue, attribute) } }
            }
            if let expiry = definition.expiry { writer.member("expires", expiry) }
            if let notBefore = definition.notBefore { writer.member("notBefore", Self.time(notBefore)) }
            if let notAfter = definition.notAfter { writer.member("notAfter", Self.time(notAfter)) }
            writer.member("revocable", definition.canBeRevoked)
            writer.name("registries")
            writer.array { writer in for registry in definition.registries { write(registry, to: &writer) } }
        }
    }

    private func write(_ name: String, _ texts: [String], to writer: inout JSONWriter) {
        writer.name(name)
        writer.array { for text in texts { $0.string(text) } }
    }

    private func write(_ registry: BelievedDefinition.Registry, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", registry.id)
            writer.member("lists", registry.lists.count)
            guard let newest = registry.newest else { return }
            writer.name("newest")
            writer.object {
                $0.member("timestamp", Self.time(newest.timestamp))
                $0.member("fetched", Self.time(newest.fetched))
                $0.member("age", max(0, now - newest.fetched))
            }
        }
    }
}
