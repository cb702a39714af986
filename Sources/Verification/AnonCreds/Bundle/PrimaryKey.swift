import Cryptography
import JSON

/// n, S, Z, Rctxt and R of a definition (anoncreds.md section 4), as residues that are ready for powers.
struct PrimaryKey: Sendable {
    /// Bits of n.
    static let modulusBits = 2047...2056

    let modulus: Modulus
    /// n, to compare with.
    let n: ProofNumber
    /// With tables for the exponents v, r and alpha.
    let s: FixedBase
    /// With a table for m2.
    let rctxt: FixedBase
    let z: Residue
    /// Z⁻¹, for Z^-c.
    let zInverse: Residue
    let r: [ExactText: Residue]

    init(_ value: JSONValue, attributes: Set<ExactText>, of id: String) throws(ContextFault) {
        func number(_ value: JSONValue?, _ member: String) throws(ContextFault) -> ProofNumber {
            guard let value else { throw ContextFault(id, member, .missing) }
            guard let text = value.stringBytes else { throw ContextFault(id, member, .wrongType) }
            do throws(PresentationReason) { return try ProofNumber(text: text) } catch {
                throw ContextFault(id, member, error == .unavailable ? .unavailable : .notCanonical)
            }
        }
        n = try number(value["n"], "primary.n")
        guard Self.modulusBits ~= n.bitCount else { throw ContextFault(id, "primary.n", .outOfRange) }
        modulus = try Self.modulus(n, of: id)
        guard let stated = value["r"]?.members else { throw ContextFault(id, "primary.r", value["r"] == nil ? .missing : .wrongType) }
        var bases = [("primary.s", try number(value["s"], "primary.s")), ("primary.rctxt", try number(value["rctxt"], "primary.rctxt"))]
        bases.append(("primary.z", try number(value["z"], "primary.z")))
        var views: [ExactText] = []
        for member in stated {
            views.append(ExactText(member.name))
            bases.append(("primary.r." + member.name, try number(member.value, "primary.r." + member.name)))
            guard views.count <= attributes.count else { break }
        }
        guard views.count == attributes.count, Set(views) == attributes else { throw ContextFault(id, "primary.r", .wrongKeys) }

        let one = ProofNumber(1)
        var residues: [Residue] = []
        for (member, base) in bases {
            guard one.isMagnitudeLess(than: base), base.isMagnitudeLess(than: n) else { throw ContextFault(id, member, .outOfRange) }
            let residue: Residue, isCoprime: Bool
            do throws(CryptographyError) {
                residue = try modulus.residue(base.octets.span)
                isCoprime = try modulus.inverses(of: [residue]) != nil
            } catch { throw ContextFault(id, member, .unavailable) }
            guard isCoprime else { throw ContextFault(id, member, .notCoprime) }
            residues.append(residue)
        }
        do throws(CryptographyError) {
            let inverses = try modulus.inverses(of: [residues[2]])
            s = try FixedBase(residues[0], bits: ResponseRanges.v, of: modulus)
            rctxt = try FixedBase(residues[1], bits: ResponseRanges.m2, of: modulus)
            z = residues[2]
            guard let first = inverses?.first else { throw .unavailable }
            zInverse = first
        } catch { throw ContextFault(id, "primary", .unavailable) }
        r = Dictionary(zip(views, residues.dropFirst(3)), uniquingKeysWith: { first, _ in first })
    }

    private static func modulus(_ n: ProofNumber, of id: String) throws(ContextFault) -> Modulus {
        do throws(CryptographyError) { return try Modulus(n.octets.span) } catch {
            throw ContextFault(id, "primary.n", error == .unavailable ? .unavailable : .outOfRange)
        }
    }
}
