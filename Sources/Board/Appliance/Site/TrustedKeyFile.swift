import JSON
import Presentation
import Trust
import TrustedKeyWallet

/// What a site says about requests to Trusted Key wallets (trustedkey.md section 1): `{"gatehouse-trusted-key": 1, "callback": "…"}`. What
/// is asked for, and who is believed, is in the trust bundle.
extension TrustedKeySettings {
    private static let versionMember = "gatehouse-trusted-key"

    /// - Parameter file: the object, with its name for messages about faults.
    init(_ file: TrustMember) throws(TrustError) {
        guard let version = file.value[Self.versionMember] else {
            throw TrustError(file: file.file, member: Self.versionMember, reason: file.value.members == nil ? .wrongType : .missing)
        }
        guard version.int64 == 1 else { throw TrustError(file: file.file, member: Self.versionMember, reason: .unsupportedVersion) }
        let found = try file.object(known: [Self.versionMember, "callback", "message"])
        let callback = try found.required("callback", of: file), message = found["message"]
        let address = try callback.text(), words = try message.map { (member) throws(TrustError) in try member.text() }
        do throws(TrustedKeyRequestError) {
            try self.init(callback: address, message: words)
        } catch {
            if error == .message, let message { throw message.fault(.wrongValue, allowed: "1 to 200 octets") }
            throw callback.fault(.wrongValue, allowed: "an address with http or https, without a fragment, of 512 octets at most")
        }
    }
}
