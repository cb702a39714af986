import Cryptography
import Envelopes
import Mdoc
import TestSupport

/// Responses that are accepted, where they must not be: in another phone's session, for a gate that asked for something else, under other
/// roots, at another time; and with parts of another phone's response.
struct CircumstancesCheck {
    private(set) var count = 0
    private(set) var accepted = 0

    /// Every accepted document of every sample; `random` chooses whose session and parts it gets.
    mutating func run(_ samples: [MutantSample], _ random: inout SeededRandom) {
        let roots = samples.flatMap(\.input.trust.roots)
        for sample in samples {
            let other = samples[Int.random(in: samples.indices, using: &random)]
            for place in sample.verified { note(sample, place, roots, other) }
        }
    }

    // Swift 6.3.1 crashes on a release build of these loops where they are one.
    @inline(never)
    private mutating func note(_ sample: MutantSample, _ place: Int, _ roots: [IssuerRoot], _ other: MutantSample) {
        for (name, input) in Self.inputs(sample, place, roots) {
            note(name, sample, place, sample.isAccepted(place, in: sample.response, input))
        }
        guard other.input.transcript != sample.input.transcript else { return }
        note("in another session", sample, place, sample.isAccepted(place, in: sample.response, session: other))
        for (name, octets) in Self.mixtures(sample, place, other) {
            note(name, sample, place, sample.isAccepted(place, in: octets))
        }
    }

    private mutating func note(_ name: String, _ sample: MutantSample, _ place: Int, _ isAccepted: Bool) {
        count += 1
        guard isAccepted else { return }
        accepted += 1
        print("\(sample.input.name): document \(place) accepted \(name)")
    }

    /// What else the gate might know, want or think of the time.
    private static func inputs(_ sample: MutantSample, _ place: Int, _ roots: [IssuerRoot]) -> [(name: String, input: CaseInput)] {
        func changed(_ change: (inout CaseInput) -> Void) -> CaseInput {
            var input = sample.input
            change(&input)
            return input
        }
        let document = sample.result.documents[place], own = sample.input.trust.roots
        var inputs: [(name: String, input: CaseInput)] = [
            ("without roots", changed { $0.trust.roots = [] }), ("not asked for", changed { $0.requested = [] }),
        ]
        if let issuer = own.first(where: { $0.fingerprint == document.issuer?.fingerprint }) {
            // A renewed root has the same key: it is no other.
            let others = roots.filter { !$0.certificate.hasSigned(issuer.certificate) }
            inputs.append(("under roots of others", changed { $0.trust.roots = others }))
        }
        let forOthers = own.compactMap { remade($0, docTypes: ["org.example"]) }, ofOtherUse = own.compactMap { remade($0, usage: "1.2.3") }
        inputs.append(("under a root of other documents", changed { $0.trust.roots = forOthers }))
        inputs.append(("under a root of another usage", changed { $0.trust.roots = ofOtherUse }))
        if let validity = document.validity {
            inputs.append(("after its end", changed { $0.now = validity.until + 1 }))
            inputs.append(("before its beginning", changed { $0.now = validity.from - 1 }))
        }
        return inputs
    }

    private static func remade(_ root: IssuerRoot, docTypes: [String]? = nil, usage: String = IssuerRoot.documentSigning) -> IssuerRoot? {
        guard let der = try? root.certificate.der() else { return nil }
        return try? IssuerRoot(der.span, docTypes: docTypes, signerUsage: usage)
    }

    /// The sample's response with a part of another phone's document, or an item twice.
    private static func mixtures(_ sample: MutantSample, _ place: Int, _ other: MutantSample) -> [(name: String, octets: [UInt8])] {
        let parts = sample.parts[place]
        var mixtures: [(name: String, octets: [UInt8])] = []
        func replace(_ name: String, _ range: Range<Int>?, by octets: some Collection<UInt8>) {
            guard let range, !sample.response[range].elementsEqual(octets) else { return }
            var mixture = sample.response
            mixture.replaceSubrange(range, with: octets)
            mixtures.append((name, mixture))
        }
        if let foreign = other.verified.first.map({ other.parts[$0] }) {
            replace("with another's deviceSigned", parts.deviceSigned, by: other.response[foreign.deviceSigned])
            replace("with another's issuerAuth", parts.issuerAuth, by: other.response[foreign.issuerAuth])
            if let certificate = foreign.certificate {
                replace("with another's signer", parts.certificate, by: other.response[certificate])
            }
            if let items = foreign.nameSpaces { replace("with another's items", parts.nameSpaces, by: other.response[items]) }
        }
        if let repetition = parts.repetition { replace("with an item twice", repetition.place, by: repetition.octets) }
        return mixtures
    }
}
