import Glibc
import Relay

/// Where somebody of a name is, resolved once: whoever connects again with it does not wait for a resolver.
struct TCPAddresses {
    struct Address {
        let family, type, protocolNumber: Int32
        let octets: [UInt8]
    }

    let list: [Address]

    /// Addresses that are tried of a name.
    private static let most = 8

    /// Resolves a name, which may take as long as resolvers do, or takes an address as it is.
    init(host: String, port: UInt16) throws(OutletTrouble) {
        var hints = addrinfo(), found: UnsafeMutablePointer<addrinfo>?
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        let code = getaddrinfo(host, "\(port)", &hints, &found)
        guard code == 0 else { throw OutletTrouble(.noAddress, String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(found) }
        var list: [Address] = [], next = found
        while let entry = next?.pointee, list.count < Self.most {
            if let address = entry.ai_addr {
                list.append(
                    Address(
                        family: entry.ai_family, type: entry.ai_socktype, protocolNumber: entry.ai_protocol,
                        octets: Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))))
            }
            next = entry.ai_next
        }
        self.list = list
    }
}
