import TrustedKeyWallet

/// What a site says about its requests to Trusted Key wallets (trustedkey.md section 1). What is asked for, and who is believed, is in the
/// trust bundle.
public struct TrustedKeySettings: Hashable, Sendable {
    /// Where answers go: an absolute address of this screen alone, with parameters of the gate's own where it has any.
    public let callback: String
    /// For the holder to read; nil says nothing.
    public let message: String?
    /// The address without its parameters: what an answer begins with. Which lane it is for is looked at when it is judged.
    let address: [UInt8]

    /// - Parameters:
    ///   - callback: http or https, without a fragment, 512 octets at most.
    ///   - message: 1 to 200 octets.
    ///
    /// Throws `callbackURL`, `message`.
    public init(callback: String, message: String? = nil) throws(TrustedKeyRequestError) {
        self.callback = callback
        self.message = message
        address = Array(callback.utf8.prefix { $0 != UInt8(ascii: "?") })
        // What no request could have is found out before the first one is made.
        _ = try request(nonce: [UInt8](repeating: 0, count: TrustedKeyRequest.nonceLength), objects: [])
    }

    /// - Parameter nonce: 32 random octets, for this request alone.
    ///
    /// Throws what is wrong with it.
    func request(nonce: [UInt8], objects: [TrustedKeyObject]) throws(TrustedKeyRequestError) -> TrustedKeyRequest {
        try TrustedKeyRequest(nonce: nonce, callbackURL: callback, callbackType: .json, objects: objects, message: message)
    }

    /// Why nothing can be asked so; nil where it can. Every nonce makes a code of about the same length.
    ///
    /// - Parameter wallet: the wallet's link, without a query.
    public func obstacle(asking objects: [TrustedKeyObject], by wallet: String) -> TrustedKeyRequestError? {
        do throws(TrustedKeyRequestError) {
            // The longest that base64 makes of 32 octets: each plus sign and slash has three characters.
            let nonce = [UInt8](repeating: 0xFF, count: TrustedKeyRequest.nonceLength)
            _ = try request(nonce: nonce, objects: objects).code(wallet: wallet)
            return nil
        } catch {
            return error
        }
    }
}
