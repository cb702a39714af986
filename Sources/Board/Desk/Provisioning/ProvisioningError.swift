import Appliance
import Envelopes
import Linux
import Trust

/// Why nothing was provisioned. After any of these no part of a folder stands under its name.
package enum ProvisioningError: Error, Hashable, Sendable {
    // The plan
    /// It is none: which member, and what is wrong with it.
    case plan(TrustError)
    case noGates
    case tooManyGates(Int)
    /// No name of a gate that can be a file's name too. Places count from 0.
    case badID(place: Int, id: String)
    case idTwice(String, places: [Int])
    /// A title that no label has room for, or that has other characters than those one reads.
    case badTitle(gate: String)
    /// The order that would be made for this gate.
    case order(gate: String, OrderError)
    /// What it would set.
    case settings(gate: String, SiteSettingsError)

    // Signing
    /// The plan was made in the future, by this computer's clock.
    case madeInFuture(Seconds)
    case signature(gate: String, OrderError)
    /// What the earlier run made for this gate is not what this plan makes.
    case otherPlan(gate: String)
    /// The earlier run's file for this gate has other signers than those before it.
    case otherSigners(gate: String)
    /// A file of the earlier run cannot be read.
    case earlier(file: String, SystemError)
    /// Signed by as many as the root wants, and a gate would refuse it all the same.
    case notTaken(gate: String, OrderError)

    // Writing
    /// libqrencode has no memory, or libcrypto no SHA-256.
    case noLabel(gate: String)
    case noDigest
    /// There is something of that name.
    case isThere
    case output(SystemError)
}

extension ProvisioningError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .plan(let error): "\(error)"
        case .noGates: "the plan names no gate"
        case .tooManyGates(let count): "the plan names \(count) gates: at most \(ProvisioningPlan.mostGates) in one run"
        case .badID(let place, let id): "plan: gates[\(place)].id \(id): use 1 to 32 of a-z 0-9 -, the first no hyphen, and not \"all\""
        case .idTwice(let id, let places): "plan: \(id) is there twice, as " + places.map { "gates[\($0)]" }.joined(separator: " and ")
        case .badTitle(let gate): "plan: the title of \(gate): use 1 to \(GateLabel.longestTitle) printable characters"
        case .order(let gate, let error): "the site file of \(gate): \(error)"
        case .settings(let gate, let error): "the settings of \(gate): \(error)"
        case .madeInFuture: "the plan was made in the future by this computer's clock (created)"
        case .signature(let gate, let error): "the site file of \(gate) is not signed: \(error)"
        case .otherPlan(let gate): "the earlier run's site file of \(gate) is not what this plan makes: sign what you have read"
        case .otherSigners(let gate): "the earlier run's site file of \(gate) has other signers than the first one's"
        case .earlier(let file, let error): "\(file) of the earlier run cannot be read (\(error.cause))"
        case .notTaken(let gate, let error): "a gate would refuse the site file of \(gate): \(error)"
        case .noLabel(let gate): "no code could be made for the label of \(gate)"
        case .noDigest: "libcrypto has no SHA-256"
        case .isThere: "is there already, and is not overwritten"
        case .output(let error): "cannot be written (\(error.cause))"
        }
    }
}
