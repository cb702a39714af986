/// What is sent back: a head, a body or none, and the end of the connection.
public struct Response: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// A DIDComm message, in an envelope or plain.
        case message([UInt8])
        /// `{"result":"accepted"}` or `{"result":"rejected"}` (trustedkey.md section 2B).
        case result(isAccepted: Bool)
        /// Nothing but the status.
        case empty(Status)
    }

    public let status: Status
    public let octets: [UInt8]

    /// - Parameter allowed: the methods of the endpoint, where the status is 405.
    public init(_ kind: Kind, allowed: String? = nil) {
        let body: [UInt8], type: String?
        switch kind {
        case .message(let octets): (status, body, type) = (.ok, octets, "application/didcomm-envelope-enc")
        case .result(let isAccepted):
            (status, body, type) = (.ok, Array("{\"result\":\"\(isAccepted ? "accepted" : "rejected")\"}".utf8), "application/json")
        case .empty(let code): (status, body, type) = (code, [], nil)
        }
        var head = "HTTP/1.1 \(status.rawValue) \(status.reason)\r\n"
        if let type { head += "Content-Type: \(type)\r\n" }
        if status == .methodNotAllowed, let allowed { head += "Allow: \(allowed)\r\n" }
        head += "Content-Length: \(body.count)\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
        octets = Array(head.utf8) + body
    }

    public init(_ fault: RequestFault, endpoint: Endpoint?) {
        self.init(.empty(fault.status), allowed: endpoint?.allowed)
    }

    /// For who waits to be told to send the body (RFC 9110 section 10.1.1).
    public static var goOn: [UInt8] { Array("HTTP/1.1 100 Continue\r\n\r\n".utf8) }
}
