import JSON

/// The points of a definition whose credentials can be revoked, K of anoncreds.md section 6.
struct RevocationKey: Sendable {
    let g: G1Point, h: G1Point, h0: G1Point, h1: G1Point, h2: G1Point, hTilde: G1Point, pk: G1Point
    let gDash: G2Point, hCap: G2Point, u: G2Point, y: G2Point

    init(_ value: JSONValue, of id: String) throws(ContextFault) {
        func text(_ name: String) throws(ContextFault) -> [UInt8] {
            guard let member = value[name] else { throw ContextFault(id, "revocation." + name, .missing) }
            guard let text = member.stringBytes else { throw ContextFault(id, "revocation." + name, .wrongType) }
            return text
        }
        func g1(_ name: String) throws(ContextFault) -> G1Point {
            guard let point = PointText.g1(try text(name)) else { throw ContextFault(id, "revocation." + name, .notInGroup) }
            return point
        }
        func g2(_ name: String) throws(ContextFault) -> G2Point {
            guard let point = PointText.g2(try text(name)) else { throw ContextFault(id, "revocation." + name, .notInGroup) }
            return point
        }
        g = try g1("g")
        h = try g1("h")
        h0 = try g1("h0")
        h1 = try g1("h1")
        h2 = try g1("h2")
        hTilde = try g1("htilde")
        pk = try g1("pk")
        gDash = try g2("g_dash")
        hCap = try g2("h_cap")
        u = try g2("u")
        y = try g2("y")
    }
}
