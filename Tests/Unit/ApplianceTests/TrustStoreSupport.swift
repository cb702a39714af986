import BoardTestSupport
import Foundation
import Linux
import Trust

@testable import Appliance

extension Stage {
    var mark: HighWater? { files["highwater"].flatMap { HighWater(decoding: Array($0)) } }
}

extension TrustInstallationError {
    /// What kind of refusal of the disk's it is.
    var refusal: SystemError.Kind? { if case .disk(let error) = self { error.kind } else { nil } }
}

/// What a function of the installation throws; nil when it returns.
func fault<Result>(_ body: () throws(TrustInstallationError) -> Result) -> TrustInstallationError? {
    do throws(TrustInstallationError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
