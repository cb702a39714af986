import CMallocCount
import MdocTransport
import RadioTestSupport

/// Visits of phones over each bearer of an mdoc: what the host and the link take from the allocator, from the engagement to the end of the
/// link, scanning, connecting, discovery, request and response among it. What is counted is the gate's side only.
func countRadio(visits: Int) throws -> Bool {
    var isZero = true
    let kinds: [(AirPhone.Kind, String)] = [
        (.server, "central, by GATT"), (.channel, "central, by a channel"), (.client, "peripheral, by GATT"),
    ]
    let request = [UInt8](repeating: 0x2A, count: 900), response = [UInt8](repeating: 0x5A, count: 20_000)
    for (kind, name) in kinds {
        let air = Air(kind)
        // The first visits warm what is made lazily.
        for _ in 0..<5 { try visit(air, request, response) }
        var counted: UInt64 = 0
        var first: Int = 0
        air.gate.measure = (
            begin: { malloc_count_begin() },
            end: {
                let count = malloc_count_end()
                if count > 0, counted == 0 { first = Int(malloc_count_first_size()) }
                counted += count
            }
        )
        for _ in 0..<visits { try visit(air, request, response) }
        print("allocation: \(visits) visits of an mdoc of \(response.count) octets, \(name): \(counted) calls of the system's allocator")
        guard counted > 0 else { continue }
        print("allocation: FAILED, the goal is zero; the first was of \(first) octets")
        isZero = false
    }
    return isZero
}

private func visit(_ air: Air, _ request: [UInt8], _ response: [UInt8]) throws {
    try air.visit(request, response)
    guard air.gate.end == .complete, air.gate.messages == [response] else { throw CheckFailed(reason: "the phone was not heard") }
}
