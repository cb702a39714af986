/// How much of an ATT PDU may be seen (Core Vol 3 Part F 3.4): discovery whole, of everything else opcode, handle and offset.
///
/// A service whose UUID has 128 bits is not seen: that of a phone's engagement is made for one visit, and whoever reads it in a trace finds
/// the visit in another's (mdoc.md section 8). Characteristics have UUIDs of their protocol's.
enum AttributeDisclosure {
    /// What the client asked and the server has not answered: the response itself does not say what it lists.
    enum Asked {
        case nothing
        /// Services or characteristics by their declarations: no values.
        case declarations
        case anything
        /// Two questions at a time, which ATT forbids: which of them is answered is not known, until the link ends.
        case confusion
    }

    /// - Parameters:
    ///   - octets: the PDU as far as it is in the first fragment.
    ///   - length: of the whole PDU.
    /// - Returns: octets of the PDU, from its beginning; nil for all of it, the fragments to come included.
    static func visibleCount(
        _ octets: UnsafeRawBufferPointer, length: Int, _ direction: BTSnoop.Direction, asked: inout Asked
    ) -> Int? {
        guard let opcode = octets.first else { return 0 }
        let count =
            direction == .received
            ? request(opcode, octets, length: length, asked: &asked) : response(opcode, octets, asked: &asked)
        return count.map { min($0, octets.count) }
    }

    private static func request(_ opcode: UInt8, _ octets: UnsafeRawBufferPointer, length: Int, asked: inout Asked) -> Int? {
        switch opcode {
        // Confirmation, and commands: nothing answers them.
        case 0x1E: return 1
        case 0x52, 0xD2: return 3
        default: break
        }
        let isDeclared = (opcode == 0x08 || opcode == 0x10) && length == 7 && octets.count == 7 && isDeclaration(octets, at: 5)
        if case .nothing = asked { asked = isDeclared ? .declarations : .anything } else { asked = .confusion }
        switch opcode {
        case 0x02: return 3
        case 0x04: return 5
        // A service by its UUID of 16 bits, in one fragment; any other value is one.
        case 0x06 where octets.count == length && length == 9 && isDeclaration(octets, at: 5): return length
        case 0x06: return 7
        case 0x08, 0x10: return isDeclared ? 7 : 5
        case 0x0A, 0x12: return 3
        case 0x0C, 0x16: return 5
        case 0x18: return 2
        default: return 1
        }
    }

    private static func response(_ opcode: UInt8, _ octets: UnsafeRawBufferPointer, asked: inout Asked) -> Int? {
        switch opcode {
        case 0x1B, 0x1D: return 3
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21: break
        default: return 1
        }
        var isDeclared = false
        switch asked {
        case .declarations:
            isDeclared = true
            asked = .nothing
        case .anything: asked = .nothing
        case .nothing, .confusion: break
        }
        switch opcode {
        case 0x01, 0x17: return 5
        case 0x03: return 3
        // Handles and UUIDs.
        case 0x05, 0x07: return nil
        // Of services with such a UUID an entry has its two handles, or its one, and 16 octets.
        case 0x11: return isDeclared && entryLength(octets) != 20 ? nil : 2
        case 0x09: return isDeclared && entryLength(octets) != 18 ? nil : 2
        default: return 1
        }
    }

    private static func entryLength(_ octets: UnsafeRawBufferPointer) -> UInt8 { octets.count > 1 ? octets[1] : 0 }

    /// Primary Service, Secondary Service, Include, Characteristic (Core Vol 3 Part G 3.4).
    private static func isDeclaration(_ octets: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        octets.count >= offset + 2 && octets[offset + 1] == 0x28 && octets[offset] <= 0x03
    }
}
