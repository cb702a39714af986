import Visit

/// A verdict as it leaves the gate at once: 64 octets, little endian (docs/osdp.md). Nothing of the person or the credential.
///
/// `"GLF1" | u8 outcome | u8 binding | u8 holder | u8 presentation | u64 record | i64 wall | u64 monotonic | u64 visit | u64 number |
/// u64 lost | u64 0`
struct FeedRecord: Hashable, Sendable {
    static var size: Int { 64 }

    var isAccepted: Bool
    /// What has proven that it is the one the credential was issued to.
    var binding = HolderBinding.none
    /// Whether the visitor was found to be the person in the credential; nil where nobody looked.
    var isHolderBound: Bool?
    /// nil where the verdict is of no record.
    var presentation: VisitRecord.Presentation?
    /// Number of the audit record; 0 where there is no log.
    var sequence: UInt64 = 0
    /// Milliseconds since 1970.
    var wall: Int64
    /// Nanoseconds of `Clock.monotonic`: whoever listens on this board knows by it how old the verdict is, whoever sets the clock.
    var monotonic: UInt64
    var visit: UInt64 = 0
    /// Of this one, counted from the gate's start, with those that did not fit.
    var number: UInt64
    /// How many did not fit so far.
    var lost: UInt64

    /// - Parameter octets: `size` of them.
    func write(to octets: inout [UInt8]) {
        guard octets.count == Self.size else { return }
        var place = 0
        func put(_ value: UInt8) {
            octets[place] = value
            place += 1
        }
        func putWord(_ value: UInt64) {
            for shift in stride(from: UInt64(0), to: 64, by: 8) { put(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        for letter in "GLF1".utf8 { put(letter) }
        put(isAccepted ? 1 : 2)
        put(bindingCode)
        put(holderCode)
        put(presentationCode)
        putWord(sequence)
        putWord(UInt64(bitPattern: wall))
        putWord(monotonic)
        putWord(visit)
        putWord(number)
        putWord(lost)
        putWord(0)
    }

    private var holderCode: UInt8 {
        switch isHolderBound {
        case nil: 0
        case false: 1
        case true: 2
        }
    }

    private var bindingCode: UInt8 {
        switch binding {
        case .none: 0
        case .device: 1
        case .linkSecret: 2
        case .walletKey: 3
        }
    }

    private var presentationCode: UInt8 {
        switch presentation {
        case .tuvali: 0
        case .code: 1
        case .mdoc: 2
        case .aries: 3
        case .trustedkey: 4
        case nil: 255
        }
    }
}
