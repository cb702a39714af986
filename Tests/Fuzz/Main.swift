import Glibc

/// What libFuzzer calls. One program holds every target, so that the product is compiled once; `FUZZ_TARGET` chooses.
/// With `FUZZ_SEEDS` it writes the target's first corpus into that folder and ends.
enum Target: String, CaseIterable {
    case host, gate, tuvali, wrapper, json, sdjwt, certificate, opening, audit, linkeddata, ldpvc, cbor, cose, status, bundle, workermessage
    case splitter, picture, portrait, code, pixelpass, identity
    case advertisingreport, attributeclient, channel
    case engagement, sessiondata, response, securityobject, mdocframing, mdocvisit, vical
    case anoncreds, aries, arieslink, http, trustedkey, auditqueue

    func run(_ octets: UnsafeBufferPointer<UInt8>) {
        switch self {
        case .host: fuzzHost(octets)
        case .gate: fuzzGate(octets)
        case .tuvali: fuzzTuvali(octets)
        case .wrapper: fuzzWrapper(octets)
        case .json: fuzzJSON(octets)
        case .sdjwt: fuzzSDJWT(octets)
        case .certificate: fuzzCertificate(octets)
        case .opening: fuzzOpening(octets)
        case .audit: fuzzAudit(octets)
        case .linkeddata: fuzzLinkedData(octets)
        case .ldpvc: fuzzLinkedCredential(octets)
        case .cbor: fuzzCBOR(octets)
        case .cose: fuzzCOSE(octets)
        case .status: fuzzStatus(octets)
        case .bundle: fuzzBundle(octets)
        case .splitter: fuzzSplitter(octets)
        case .picture: fuzzPicture(octets)
        case .portrait: fuzzPortrait(octets)
        case .code: fuzzCode(octets)
        case .pixelpass: fuzzPixelPass(octets)
        case .identity: fuzzIdentity(octets)
        case .workermessage: fuzzWorkerMessage(octets)
        case .advertisingreport: fuzzAdvertisingReport(octets)
        case .attributeclient: fuzzAttributeClient(octets)
        case .channel: fuzzChannel(octets)
        case .engagement: fuzzEngagement(octets)
        case .sessiondata: fuzzSessionData(octets)
        case .mdocframing: fuzzMdocFraming(octets)
        case .mdocvisit: fuzzMdocVisit(octets)
        case .response: fuzzResponse(octets)
        case .securityobject: fuzzSecurityObject(octets)
        case .vical: fuzzVICAL(octets)
        case .anoncreds: fuzzAnonCreds(octets)
        case .aries: fuzzAries(octets)
        case .arieslink: fuzzAriesLink(octets)
        case .http: fuzzHTTP(octets)
        case .trustedkey: fuzzTrustedKey(octets)
        case .auditqueue: fuzzAuditQueue(octets)
        }
    }

    var seeds: [[UInt8]] {
        switch self {
        case .host, .gate: airSeeds
        case .tuvali: tuvaliSeeds
        case .wrapper: wrapperSeeds
        case .json: jsonSeeds
        case .sdjwt: sdjwtSeeds
        case .certificate: certificateSeeds
        case .opening: openingSeeds
        case .audit: auditSeeds
        case .linkeddata: linkedDataSeeds
        case .ldpvc: linkedCredentialSeeds
        case .cbor: cborSeeds
        case .cose: coseSeeds
        case .status: statusSeeds
        case .bundle: bundleSeeds
        case .splitter: splitterSeeds
        case .picture: pictureSeeds
        case .portrait: portraitSeeds
        case .code: codeSeeds
        case .pixelpass: pixelPassSeeds
        case .identity: identitySeeds
        case .workermessage: workerMessageSeeds
        case .advertisingreport: advertisingReportSeeds
        case .attributeclient: attributeClientSeeds
        case .channel: channelSeeds
        case .engagement: engagementSeeds
        case .sessiondata: sessionDataSeeds
        case .mdocframing: mdocFramingSeeds
        case .mdocvisit: mdocVisitSeeds
        case .response: responseSeeds
        case .securityobject: securityObjectSeeds
        case .vical: vicalSeeds
        case .anoncreds: anonCredsSeeds
        case .aries: ariesSeeds
        case .arieslink: ariesLinkSeeds
        case .http: httpSeeds
        case .trustedkey: trustedKeySeeds
        case .auditqueue: auditQueueSeeds
        }
    }
}

nonisolated(unsafe) private var chosen = Target.host

@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = Target(rawValue: name) else {
        print("FUZZ_TARGET is one of: \(Target.allCases.map(\.rawValue).joined(separator: " "))")
        exit(2)
    }
    chosen = target
    if let folder = getenv("FUZZ_SEEDS") {
        for (index, seed) in target.seeds.enumerated() { write(seed, to: "\(String(cString: folder))/seed-\(index)") }
        exit(0)
    }
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ octets: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen.run(UnsafeBufferPointer(start: octets, count: count))
    return 0
}

private func write(_ octets: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { fatalError("cannot write \(path)") }
    fwrite(octets, 1, octets.count, file)
    fclose(file)
}

/// A rule that holds whatever the input is. Breaking it ends the process, which is a finding.
@inline(__always)
func require(_ holds: Bool, _ rule: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line) {
    if !holds { fatalError("broken rule: \(rule())", file: file, line: line) }
}

/// Reads the input as a script; behind its end everything is zero.
struct Script {
    private let octets: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ octets: UnsafeBufferPointer<UInt8>) { self.octets = octets }

    var isAtEnd: Bool { position >= octets.count }

    mutating func octet() -> UInt8 {
        guard position < octets.count else { return 0 }
        defer { position += 1 }
        return octets[position]
    }

    mutating func word() -> UInt16 { UInt16(octet()) | UInt16(octet()) << 8 }

    /// Up to `count` octets; fewer at the end.
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(octets.count, position + count)
        defer { position = end }
        return [UInt8](octets[position..<end])
    }

    /// A count in one octet, and so many octets; counts from 0xF0 mean sixteen to a step, so that long packets exist.
    mutating func block() -> [UInt8] {
        let count = Int(octet())
        return take(count < 0xF0 ? count : (count - 0xE0) * 16)
    }
}

/// Numbers as octets, least significant first.
func little16(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }
func big16(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)] }
func big32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
