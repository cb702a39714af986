import Bluetooth

extension AttributeTable {
    /// What every table of the gate begins with, whatever it serves: GAP with a name that says nothing, and GATT.
    public mutating func addGateServices() throws(AttributeTableError) {
        // "Gatehouse"
        let label: InlineArray<9, UInt8> = [0x47, 0x61, 0x74, 0x65, 0x68, 0x6F, 0x75, 0x73, 0x65]
        try addGenericAccess(name: label.span, appearance: 0)
        try addGenericAttribute()
    }
}
