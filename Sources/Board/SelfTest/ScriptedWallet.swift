import CZlib
import Cryptography

/// The wallet's side of a Tuvali visit as values: what to write, in order. No Bluetooth inside.
public struct ScriptedWallet {
    public var mtu: UInt16
    /// Handles of the attributes, as discovered.
    public struct Handles {
        public var identify: UInt16 = 0x12
        public var size: UInt16 = 0x1A
        public var submit: UInt16 = 0x1C
        public var reportRequest: UInt16 = 0x1E
        public var report: UInt16 = 0x20
        public var status: UInt16 = 0x23
        public init() {}
    }
    public var handles = Handles()

    public init(mtu: UInt16 = 517) { self.mtu = mtu }

    public static func writeCommand(_ handle: UInt16, _ value: [UInt8]) -> [UInt8] {
        [0x52, UInt8(handle & 0xFF), UInt8(handle >> 8)] + value
    }

    /// Identify's value and the whole message, sealed for a gate with this public key.
    public func seal(_ gzip: [UInt8], for gateKey: [UInt8]) throws -> (identify: [UInt8], message: [UInt8]) {
        let pair = try KeyAgreement()
        var walletKey: [UInt8] = []
        for index in 0..<32 { walletKey.append(pair.publicKey[index]) }
        let nonce = try Random.bytes(12)
        let secret = try pair.agree(with: gateKey.span)
        var derivation = try KeyDerivation()
        let salt = Array("SHA-256".utf8)
        let info = Array("SKVerifier".utf8)
        let key = try derivation.derive(32, from: secret, salt: salt.span, info: info.span)
        var cipher = try AuthenticatedCipher()
        var message = gzip + [UInt8](repeating: 0, count: 16)
        try key.withBytes { key in
            try message.withUnsafeMutableBytes { try cipher.seal($0, key: key, nonce: nonce.span) }
        }
        return (nonce + walletKey, message)
    }

    /// The chunks of a message: sequence number, CRC-16/KERMIT, payload.
    public func chunks(_ message: [UInt8]) -> [[UInt8]] {
        let payload = Int(min(mtu, 512)) - 3 - 4
        return stride(from: 0, to: message.count, by: payload).enumerated().map { index, start in
            let part = message[start..<min(start + payload, message.count)]
            let crc = Self.crc(part)
            let sequence = index + 1
            return [UInt8(sequence >> 8), UInt8(sequence & 0xFF), UInt8(crc >> 8), UInt8(crc & 0xFF)] + part
        }
    }

    /// Bit by bit, unlike the gate's.
    public static func crc(_ octets: ArraySlice<UInt8>) -> UInt16 {
        octets.reduce(0) { sum, octet in
            (0..<8).reduce(sum ^ UInt16(octet)) { crc, _ in crc & 1 != 0 ? crc >> 1 ^ 0x8408 : crc >> 1 }
        }
    }

    /// One gzip member, by zlib's own wrapper.
    public static func gzip(_ text: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        guard
            deflateInit2_(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return [] }
        defer { deflateEnd(&stream) }
        var input = text
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(text.count))) + 64)
        let written = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                deflate(&stream, Z_FINISH)
                return output.count - Int(stream.avail_out)
            }
        }
        return Array(output[..<written])
    }

    /// The first five octets of the gate's key stand in the advertisement, the rest in the scan response.
    public static func gateKey(_ advertisingData: [UInt8], _ scanResponse: [UInt8]) -> [UInt8] {
        Array(advertisingData.suffix(5)) + scanResponse.suffix(27)
    }
}
