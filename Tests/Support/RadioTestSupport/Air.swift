import Bluetooth
import MdocTransport

/// A gate and a phone in reach of one another, with one clock.
public final class Air {
    public let gate: AirGate
    public let phone: AirPhone
    public private(set) var now = Instant(nanoseconds: 1_000_000_000)
    private let start = Instant(nanoseconds: 1_000_000_000)

    public init(_ kind: AirPhone.Kind, dataLength: UInt16 = 251, timing: MdocTiming = MdocTiming()) {
        let near = AirController(dataLength: dataLength), far = AirController()
        near.other = far
        far.other = near
        gate = AirGate(near, timing: timing)
        phone = AirPhone(far, kind)
        gate.open(at: now)
        phone.open(at: now)
        settle()
    }

    public var milliseconds: UInt64 { now.milliseconds(since: start) }

    /// What the phone's engagement offers.
    public var offer: MdocOffer {
        switch phone.kind {
        case .server: MdocOffer(peripheral: AirPhone.peripheral)
        case .channel: MdocOffer(peripheral: AirPhone.peripheral, spsm: AirPhone.spsm)
        case .client: MdocOffer(central: AirPhone.central)
        }
    }

    /// Moves packets until nothing moves.
    public func settle() {
        for _ in 0..<200_000 {
            let gateMoved = gate.step(at: now), phoneMoved = phone.step(at: now)
            if !gateMoved && !phoneMoved { return }
        }
        fatalError("the air never falls silent")
    }

    /// Lets time pass, deadline by deadline.
    public func pass(milliseconds: UInt64) {
        let end = now.adding(milliseconds: milliseconds)
        for _ in 0..<10_000 {
            guard let due = Instant.earliest(gate.deadline, phone.deadline), due <= end else { break }
            now = max(now, due)
            gate.expire(at: now)
            phone.expire(at: now)
            settle()
        }
        now = end
    }

    /// A whole visit: the phone shows its engagement, the gate asks, the phone answers and leaves.
    public func visit(_ request: [UInt8], _ response: [UInt8], first: MdocBearer = .channel) throws {
        gate.request = request
        phone.response = response
        phone.begin(at: now)
        try gate.begin(offer, first, at: now)
        settle()
        for _ in 0..<40 where !gate.isIdle { pass(milliseconds: 1000) }
    }
}
