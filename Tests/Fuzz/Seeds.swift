@testable import Credentials
@testable import Envelopes

/// The first inputs of each target: what works, so that the fuzzer begins deep inside.
private func octets(_ text: String) -> [UInt8] { Array(text.utf8) }
private func block(_ octets: [UInt8]) -> [UInt8] { [UInt8(octets.count)] + octets }

/// A record of the air's script for one ATT PDU.
private func att(_ pdu: [UInt8]) -> [UInt8] { [1] + block(pdu) }

let airSeeds: [[UInt8]] = [
    // A whole visit with a good credential, the verdict's light, and the wallet's leave.
    [0x10, 13, 5, 0x05, 0x02] + block(octets("G")) + [12, 12, 13, 7, 6, 12, 8, 0x13, 6, 14],
    [0x0D, 13, 5, 0x80, 0x00] + block(octets("{\"verifiableCredential\":1}")) + [12, 12, 12],
    [0x31, 13, 5, 0xB9, 0x00] + block(octets("Z\u{1f}")) + [12, 6, 10, 8, 0x16],
    // The same step by step, with chunks left out and asked for.
    [0x05, 14, 0x80, 0x00, 13, 0, 13, 1, 0xF8] + [UInt8](repeating: 0x41, count: 384) + [
        13, 2, 1, 1, 13, 2, 3, 9, 13, 3, 1, 12, 13, 2, 2, 1, 13, 3, 1, 12,
    ],
    // Discovery as phones do it.
    [0x10] + att([0x02, 0x00, 0x02]) + att([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28]) + att([0x08, 1, 0, 0xFF, 0xFF, 3, 0x28])
        + att([0x04, 1, 0, 0xFF, 0xFF]) + att([0x06, 1, 0, 0xFF, 0xFF, 0, 0x28, 1, 0]) + att([0x0A, 3, 0]) + att([0x0C, 3, 0, 4, 0])
        + att([0x0E, 3, 0, 5, 0]) + att([0x20, 3, 0, 5, 0]) + att([0x12, 9, 0, 2, 0]) + att([0x16, 0x12, 0, 0, 0, 1, 2]) + att([0x18, 1]),
    // Signalling, pairing, raw events, and a controller that does not answer.
    [0x04, 2] + block([0x14, 1, 10, 0] + [UInt8](repeating: 0, count: 10)) + [2]
        + block([0x17, 2, 10, 0] + [UInt8](repeating: 1, count: 10))
        + [2] + block([0x06, 3, 4, 0, 1, 2, 3, 4]) + [3] + block([1, 3, 0, 13, 16, 3, 3]) + [
            5, 0x10, 1, 0x42, 0x80, 8, 0x13, 0x86, 12, 0x86, 13, 6, 15,
        ],
    // Codes: a good one while nobody is there, while a phone is connected, has identified, and with a bad one before it.
    [0x10, 8, 0x13, 13, 0xF2, 1, 12, 12, 13, 0xF0, 7, 0x41, 0, 6, 0, 13, 0xF2, 2, 12, 12, 13, 0xF1, 13, 0xF4] + block(octets("owBj")) + [
        12, 12,
    ],
    [0x30, 13, 0xF2, 1, 12, 13, 0, 12, 13, 0xF6] + block(octets("hello")) + [6, 12, 13, 0xF2, 3, 12, 0x86, 12, 8, 0x13, 12],
    [0x70, 13, 0, 13, 0xF2, 1, 8, 0x13, 13, 0xF5] + block(octets("hbGciOiJub25lIn0.e30.")) + [12, 12, 13, 0xF2, 9, 12, 12, 12],
    // A serial line.
    [0x00, 0] + block([0x04, 0x13, 5, 1, 0x40, 0, 1, 0, 0x02, 0x40, 0x20, 7, 0, 3, 0, 4, 0, 2, 0, 2]) + [0] + block([0x04, 0x10, 1, 0x42])
        + [6, 10],
    // Fragments.
    [0x00, 11, 4, 0, 1] + block([0x02, 0xB9, 0]) + [11, 4, 0, 5] + block([0x0A, 3, 0]) + [4, 0, 0x10] + block([1, 2]) + [4, 0, 0x20]
        + block([9]),
    [0x84, 14, 0x80, 0, 13, 6, 6, 2, 0, 13, 0, 13, 1, 20] + [UInt8](repeating: 7, count: 20) + [
        13, 2, 1, 1, 13, 3, 1, 12, 13, 7, 12, 13, 7,
    ],
]

let tuvaliSeeds: [[UInt8]] = [
    [0, 0, 24, 0, 2, 0, 2, 7, 1, 12, 0, 8, 0, 0xE8, 3, 10, 1, 9, 0, 11, 14, 5, 12, 0, 5, 14, 1],
    [1, 0, 24, 0, 2, 67, 0, 7, 1, 12, 0, 8, 0, 0xE8, 3, 10, 1, 40, 3, 11, 14, 5, 10, 1, 40, 0, 11, 5, 12, 1, 5, 14, 14, 1],
    [0, 0, 24, 0, 2, 185, 0, 7, 1, 12, 0, 8, 6, 0xE8, 3, 10, 1, 255, 1, 11, 14, 5, 14, 5, 9, 1, 0, 1, 11, 6, 2, 23, 0, 5, 14],
    [
        0, 0, 6, 0, 3, 0, 4, 1, 2, 3, 4, 3, 3, 1, 9, 3, 5, 1, 2, 5, 4, 20, 1, 0, 6, 0, 2, 0, 1, 7, 5, 12, 0, 8, 15, 0xFF, 0xFF, 15, 13, 0,
        5, 14,
    ],
]

let jsonSeeds: [[UInt8]] = [
    octets(#"{"a":1,"iss":"x","":[true,false,null,-0.5e+10,{"b":"\u00e9\ud83d\ude00\n"}],"é":"é"}"#),
    octets("[[[[]]]]"), octets("\"\\u0041\""), octets(" 12345678901234567890 "), octets("{}"),
    octets(#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"\u006a":10,"k":11}"#),
]

let wrapperSeeds: [[UInt8]] = [
    Issuer.good, Issuer.signed[1].text, Issuer.bound,
    octets(#"{"vcMetadata":{"format":"ldp_vc","issuer":"x"},"verifiableCredential":{"credential":{"@context":[],"proof":{}}}}"#),
    octets(#"{"verifiableCredential":{"proof":1},"privateKey":"x"}"#), octets(#" {"@context":1}"#),
    octets(#"{"verifiableCredential":"oWEB"}"#), octets("a1616101"), octets("eyJ.eyJ.eyJ"), [0xD8, 61, 0xD2],
]

let sdjwtSeeds: [[UInt8]] = {
    let header = Issuer.text(Issuer.header)
    let claims = #""iss":"https://issuer.example","vct":"urn:example:national-id:1""#
    let chain = [CertificateFixtures.leaf, CertificateFixtures.middle].map { "\"" + $0.filter { $0 != "\n" } + "\"" }.joined(separator: ",")
    return [
        Issuer.good, Issuer.signed[0].text, Issuer.signed[1].text, Issuer.bound,
        octets(
            "B\(header)\n{\(claims),\"_sd_alg\":\"sha-256\",\"_sd\":[\"#0\",\"#1\",\"decoy\"]}\n[\"s\",\"a\",1]\n[\"s\",\"b\",{\"_sd\":[\"#2\"]}]\n[\"s\",\"c\",[]]"
        ),
        octets(
            "B\(header)\n{\(claims),\"l\":[{\"...\":\"#0\"},{\"...\":\"#1\"},3]}\n[\"s\",1]\n[\"s\",[{\"...\":\"#2\"}]]\n[\"s\",{\"x\":1}]"),
        octets("B\(header)\n{\(claims),\"cnf\":{\"jwk\":\(Issuer.holderKey)},\"exp\":1800000001,\"nbf\":1.5e9,\"iat\":1}\nK"),
        octets(
            "B\(header)\n{\(claims),\"expirationDate\":\"2030-01-01T00:00:00Z\",\"validFrom\":\"2020-02-29T23:59:59.5+01:00\",\"status\":{}}"
        ),
        octets("B{\"alg\":\"ES256\",\"typ\":\"vc+sd-jwt\",\"x5c\":[\(chain)]}\n{\(claims)}"),
        octets("B\(header)\n{\(claims),\"cnf\":{\"kid\":\"did:jwk:\(Issuer.text(Base64.encodeURL(octets(Issuer.holderKey))))#0\"}}\nK"),
    ]
}()

let certificateSeeds: [[UInt8]] = {
    func der(_ text: String) -> [UInt8] { Base64.decode(text.filter { $0 != "\n" }, alphabet: .standard) ?? [] }
    let leaves = [
        CertificateFixtures.leaf, CertificateFixtures.directLeaf, CertificateFixtures.lowerLeaf, CertificateFixtures.leafWithBrokenNames,
        CertificateFixtures.edwardsLeaf, CertificateFixtures.rsaLeaf, CertificateFixtures.brainpoolLeaf,
        CertificateFixtures.leafWithHiddenName,
    ].map(der)
    return leaves.map { little16(UInt16($0.count)) + $0 }
        + [little16(UInt16(leaves[2].count)) + leaves[2] + der(CertificateFixtures.lower)]
}()

let openingSeeds: [[UInt8]] = [
    [0] + gzip(octets("{}")), [0] + gzip(Issuer.good), [0] + gzip([UInt8](repeating: 0x20, count: 70_000), level: 9),
    [0] + gzip(octets("stored"), level: 0),
    [1] + gzip(octets("deflated")).dropFirst(10).dropLast(8), [1] + gzip(Issuer.good).dropFirst(10).dropLast(8),
    [1] + gzip([UInt8](repeating: 1, count: 3_000_000), level: 9).dropFirst(10).dropLast(8),
    [2, 1, 2, 3] + [UInt8](repeating: 0, count: 16),
]

let auditSeeds: [[UInt8]] = {
    let lines = auditLines(3)
    return [lines.flatMap { $0 }, lines[0], lines.flatMap { $0 }.dropLast(20), lines[0] + [UInt8](repeating: 0, count: 64) + lines[1]].map(
        Array.init)
}()
