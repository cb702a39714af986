import Testing

@testable import Bluetooth

extension AttributeTable {
    /// What building refuses with.
    fileprivate mutating func refusal(_ build: (inout AttributeTable) throws(AttributeTableError) -> Void) -> AttributeTableError? {
        do { try build(&self) } catch { return error }
        return nil
    }
}

@Suite struct AttributeTableTests {
    @Test func handlesAscendFromOne() {
        var table = AttributeTable()
        var refusal = table.refusal { table throws(AttributeTableError) in try table.addService(UUID(1), at: 0) }
        #expect(refusal == .handleOrder)
        refusal = table.refusal { table throws(AttributeTableError) in try table.addService(UUID(1), at: 5) }
        #expect(refusal == nil)
        refusal = table.refusal { table throws(AttributeTableError) in try table.addService(UUID(1), at: 5) }
        #expect(refusal == .handleOrder)
        refusal = table.refusal { table throws(AttributeTableError) in
            try table.addCharacteristic(UUID(2), .read, at: 7, valueHandle: 7)
        }
        #expect(refusal == .handleOrder)
    }

    @Test func nothingFollowsTheLastHandle() {
        var table = Database.sparse()
        var refusal = table.refusal { table throws(AttributeTableError) in try table.addService(UUID(1)) }
        #expect(refusal == .handlesFull)
        var short = AttributeTable()
        refusal = short.refusal { table throws(AttributeTableError) in try table.addCharacteristic(UUID(1), .read, at: 0xFFFF) }
        #expect(refusal == .handlesFull)
    }

    @Test func valuesBeyond512AreRefused() {
        var table = AttributeTable()
        var refusal = table.refusal { table throws(AttributeTableError) in
            try table.addCharacteristic(UUID(1), .read, maximum: 513)
        }
        #expect(refusal == .valueTooLong)
        refusal = table.refusal { table throws(AttributeTableError) in
            try table.addDescriptor(UUID(1), read: .allowed, write: .allowed, maximum: -1)
        }
        #expect(refusal == .valueTooLong)
        refusal = table.refusal { table throws(AttributeTableError) in
            let long = [UInt8](repeating: 0, count: 513)
            try table.addCharacteristic(UUID(1), constant: long.span)
        }
        #expect(refusal == .valueTooLong)
    }

    @Test func aConfigurationNeedsItsCharacteristic() {
        var table = AttributeTable()
        var refusal = table.refusal { table throws(AttributeTableError) in try table.addClientConfiguration() }
        #expect(refusal == .noCharacteristic)
        refusal = table.refusal { table throws(AttributeTableError) in
            try table.addCharacteristic(UUID(1), .read)
            try table.addClientConfiguration()
        }
        #expect(refusal == .noCharacteristic)
    }

    @Test func everyRoomHasItsEnd() {
        var table = AttributeTable()
        var refusal = table.refusal { table throws(AttributeTableError) in
            for _ in 0..<200 { try table.addService(UUID(1)) }
        }
        #expect(refusal == .attributesFull)
        #expect(table.count == AttributeTable.capacity)
        var configured = AttributeTable()
        refusal = configured.refusal { table throws(AttributeTableError) in
            for _ in 0..<40 {
                try table.addCharacteristic(UUID(1), .notify)
                try table.addClientConfiguration()
            }
        }
        #expect(refusal == .configurationsFull)
        #expect(configured.configurations == AttributeTable.configurationCapacity)
        var filled = AttributeTable()
        refusal = filled.refusal { table throws(AttributeTableError) in
            let long = [UInt8](repeating: 0, count: 512)
            for _ in 0..<9 { try table.addConstant(UUID(1), long.span) }
        }
        #expect(refusal == .constantsFull)
        #expect(filled.count == 8)
    }

    @Test func genericServicesAndALongLastGroup() {
        var table = AttributeTable()
        let refusal = table.refusal { table throws(AttributeTableError) in
            let name: [UInt8] = [0x47]
            try table.addGenericAccess(name: name.span, appearance: 0x1234)
            try table.addGenericAttribute()
            try table.addInclude(of: Database.uuid(0xB0), service: 1, end: 5)
            table.lastGroupEnd = 0xFFFF
        }
        #expect(refusal == nil)
        let phone = Phone.connected(table)
        phone.exchange(mtu: 67)
        #expect(phone.att("10 01 00 FF FF 00 28") == "11 06 01 00 05 00 00 18 06 00 FF FF 01 18")
        #expect(phone.att("08 01 00 FF FF 03 28") == "09 07 02 00 02 03 00 00 2A 04 00 02 05 00 01 2A 07 00 20 08 00 05 2A")
        #expect(phone.att("0A 05 00") == "0B 34 12")
        #expect(phone.att("08 01 00 FF FF 02 28") == "09 06 0A 00 01 00 05 00")
        #expect(phone.att("12 09 00 02 00") == "13")
        #expect(phone.push(8, [1, 0, 0xFF, 0xFF]) == .indicated)
    }
}
