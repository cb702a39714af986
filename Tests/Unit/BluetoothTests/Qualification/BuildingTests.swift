import Testing

@testable import Bluetooth

extension AttributeTable {
    /// What building refuses with.
    fileprivate mutating func refusal(_ build: (inout AttributeTable) throws(AttributeTableError) -> Void) -> AttributeTableError? {
        do { try build(&self) } catch { return error }
        return nil
    }

    /// All that can be seen of a table.
    fileprivate mutating func all() -> [String] {
        var seen = ["\(count) \(configurations) \(constants.count)"]
        for index in 0..<count { seen.append("\(attributes[index])") }
        return seen
    }
}

/// Tables at their limits and beyond, and one table after another.
@Suite struct BuildingTests {
    @Test("as many attributes as there is room for are all served, one more is refused") func everyAttribute() {
        var table = AttributeTable()
        var refusal = table.refusal { table throws(AttributeTableError) in
            for number in 0..<AttributeTable.capacity { try table.addService(UUID(UInt16(number)), at: UInt16(number + 1) * 500) }
        }
        #expect(refusal == nil)
        let before = table.all()
        refusal = table.refusal { table throws(AttributeTableError) in try table.addService(UUID(1)) }
        #expect(refusal == .attributesFull)
        #expect(table.all() == before)
        var client = Client(server: AttributeServer(table: table), application: TestApplication())
        client.begin(517)
        #expect(client.handles() == (1...AttributeTable.capacity).map { $0 * 500 })
        #expect(client.list(0x10, ReferenceServer.primary).map(\.value) == (0..<AttributeTable.capacity).map { pair($0) })
    }

    @Test("as many octets as there is room for are all read, one more is refused") func everyOctet() {
        var table = AttributeTable()
        let value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        let rest = AttributeTable.constantCapacity % 512
        var refusal = table.refusal { table throws(AttributeTableError) in
            for _ in 0..<AttributeTable.constantCapacity / 512 { try table.addConstant(UUID(0xAA00), value.span) }
            try table.addConstant(UUID(0xAA01), value.span.extracting(0..<rest))
        }
        #expect(refusal == nil)
        let before = table.all()
        refusal = table.refusal { table throws(AttributeTableError) in
            try table.addConstant(UUID(0xAA02), value.span.extracting(0..<1))
        }
        #expect(refusal == .constantsFull)
        refusal = table.refusal { table throws(AttributeTableError) in try table.addCharacteristic(UUID(0xAA03), .read) }
        #expect(refusal == .constantsFull)
        #expect(table.all() == before)
        // What takes no room there still has its place.
        refusal = table.refusal { table throws(AttributeTableError) in
            try table.addDescriptor(UUID(0xAA04), read: .allowed, write: .denied)
        }
        #expect(refusal == nil)
        var client = Client(server: AttributeServer(table: table), application: TestApplication())
        client.begin(185)
        for handle in 1...AttributeTable.constantCapacity / 512 { #expect(client.readLong(handle) == value) }
    }

    @Test("as many configurations as there is room for keep their bits, one more is refused") func everyConfiguration() {
        var table = AttributeTable()
        var refusal = table.refusal { table throws(AttributeTableError) in
            for _ in 0..<AttributeTable.configurationCapacity {
                try table.addCharacteristic(UUID(0xAA00), .notify | .indicate)
                try table.addClientConfiguration()
            }
            try table.addCharacteristic(UUID(0xAA01), .notify)
        }
        #expect(refusal == nil)
        let before = table.all()
        refusal = table.refusal { table throws(AttributeTableError) in try table.addClientConfiguration() }
        #expect(refusal == .configurationsFull)
        #expect(table.all() == before)
        let phone = Phone.connected(table)
        for number in 0..<AttributeTable.configurationCapacity {
            #expect(phone.att([0x12, UInt8(3 * number + 3), 0, UInt8(number % 4), 0]) == "13")
        }
        for number in 0..<AttributeTable.configurationCapacity {
            #expect(phone.att([0x0A, UInt8(3 * number + 3), 0]) == text([0x0B, UInt8(number % 4), 0]))
            let expected: PushResult = number % 4 == 0 ? .notSubscribed : number % 4 == 1 ? .notified : .indicated
            #expect(phone.push(UInt16(3 * number + 2), [1]) == expected)
            if expected == .indicated { #expect(phone.att("1E") == "") }
        }
    }

    @Test("what is refused halfway leaves nothing behind") func wholeOrNotAtAll() {
        var table = AttributeTable()
        let value = [UInt8](repeating: 7, count: 512)
        var refusal = table.refusal { table throws(AttributeTableError) in
            for _ in 0..<AttributeTable.capacity - 1 { try table.addDescriptor(UUID(1), read: .allowed, write: .allowed) }
        }
        #expect(refusal == nil)
        var before = table.all()
        // Room for the declaration, not for the value.
        refusal = table.refusal { table throws(AttributeTableError) in try table.addCharacteristic(UUID(2), .read) }
        #expect(refusal == .attributesFull)
        refusal = table.refusal { table throws(AttributeTableError) in try table.addCharacteristic(UUID(2), constant: value.span) }
        #expect(refusal == .attributesFull)
        refusal = table.refusal { table throws(AttributeTableError) in try table.addGenericAttribute() }
        #expect(refusal == .attributesFull)
        refusal = table.refusal { table throws(AttributeTableError) in try table.addGenericAccess(name: value.span, appearance: 0) }
        #expect(refusal == .attributesFull)
        #expect(table.all() == before)
        var small = AttributeTable()
        refusal = small.refusal { table throws(AttributeTableError) in
            try table.addCharacteristic(UUID(1), .notify, at: 7)
        }
        #expect(refusal == nil)
        before = small.all()
        for handle in [0, 7, 8] as [UInt16] {
            refusal = small.refusal { table throws(AttributeTableError) in try table.addClientConfiguration(at: handle) }
            #expect(refusal == .handleOrder)
            refusal = small.refusal { table throws(AttributeTableError) in try table.addConstant(UUID(2), value.span, at: handle) }
            #expect(refusal == .handleOrder)
        }
        refusal = small.refusal { table throws(AttributeTableError) in
            let long = [UInt8](repeating: 0, count: 513)
            try table.addCharacteristic(UUID(2), constant: long.span)
        }
        #expect(refusal == .valueTooLong)
        #expect(small.all() == before)
    }

    @Test("a configuration belongs to one characteristic, behind any of its descriptors") func oneConfiguration() {
        var table = Database.islands()
        var refusal = table.refusal { table throws(AttributeTableError) in
            try table.addCharacteristic(UUID(0xAA1A), .notify)  // 800E
            try table.addConstant(.userDescription, octets("41").span)
            try table.addDescriptor(UUID(0xAA1B), read: .allowed, write: .allowed)
            try table.addClientConfiguration(write: .needsEncryption)  // 8011
        }
        #expect(refusal == nil)
        refusal = table.refusal { table throws(AttributeTableError) in try table.addClientConfiguration() }
        #expect(refusal == .configurationTwice)
        refusal = table.refusal { table throws(AttributeTableError) in
            try table.addConstant(.userDescription, octets("41").span)
            try table.addClientConfiguration()
        }
        #expect(refusal == .configurationTwice)
        refusal = table.refusal { table throws(AttributeTableError) in
            try table.addService(UUID(0xAA1C))
            try table.addClientConfiguration()
        }
        #expect(refusal == .noCharacteristic)
        var bare = AttributeTable()
        refusal = bare.refusal { table throws(AttributeTableError) in
            try table.addCharacteristic(UUID(0xAA1D), .notify)
            try table.addConstant(.characteristic, octets("10 05 00 1E AA").span)
            try table.addClientConfiguration()
        }
        #expect(refusal == .noCharacteristic)
        let phone = Phone.connected(table)
        #expect(phone.att("0A 11 80") == "0B 00 00")
        #expect(phone.att("12 11 80 01 00") == "01 12 11 80 0F")
        #expect(phone.push(0x800E, [1]) == .notSubscribed)
    }

    @Test("another table is served between links, and not under a client") func anotherTable() {
        let phone = Phone.connected(Database.islands())
        #expect(phone.att("12 12 03 03 00") == "13")
        #expect(phone.att("16 04 02 00 00 01") == "17 04 02 00 00 01")
        let isRefused = !phone.host.serve(Database.last())
        #expect(isRefused)
        #expect(phone.att("0A 12 03") == "0B 03 00")
        phone.disconnect()
        let isTaken = phone.host.serve(Database.last())
        #expect(isTaken)
        phone.advertise()
        phone.connect()
        #expect(phone.att("0A 12 03") == "01 0A 12 03 01")
        #expect(phone.att("0A FB FF") == "0B 04 00 AD 27 01 01 00")
        #expect(phone.att("18 01") == "19")
        #expect(phone.application.writes.isEmpty)
        phone.disconnect()
        // And back: what the last client of the first table configured is gone.
        let isBack = phone.host.serve(Database.islands())
        #expect(isBack)
        phone.advertise()
        phone.connect()
        #expect(phone.att("0A 12 03") == "0B 00 00")
        #expect(phone.push(0x310, [1]) == .notSubscribed)
    }

    @Test("the size the table says it has") func size() {
        let size = MemoryLayout<AttributeTable>.size
        #expect(size > 9000 && size < 9500, "\(size)")
    }
}
