/// Building a table, in the order of the handles. A handle of nil is the next free one. What is refused leaves the table
/// as it was. Descriptors belong to the characteristic before them, in any order.
extension AttributeTable {
    /// Adds a primary service declaration; returns its handle.
    @discardableResult
    public mutating func addService(
        _ uuid: UUID, at handle: UInt16? = nil, isPrimary: Bool = true
    ) throws(AttributeTableError) -> UInt16 {
        var value = OctetBuffer<16>()
        uuid.write(to: &value)
        return try addConstant(
            isPrimary ? .primaryService : .secondaryService, value.storage.span.extracting(0..<value.count), at: handle)
    }

    /// Adds an include declaration of the service at `service` to `end`.
    @discardableResult
    public mutating func addInclude(
        of uuid: UUID, service: UInt16, end: UInt16, at handle: UInt16? = nil
    ) throws(AttributeTableError) -> UInt16 {
        var value = OctetBuffer<6>()
        value.append(littleEndian: service)
        value.append(littleEndian: end)
        // A 128-bit UUID is left out and read from the service itself (Core Vol 3 Part G 3.2).
        if uuid.isShort { uuid.write(to: &value) }
        return try addConstant(.include, value.storage.span.extracting(0..<value.count), at: handle)
    }

    /// Adds a characteristic declaration and its value; returns the value's handle, one behind the declaration's
    /// unless `valueHandle` names another.
    ///
    /// Without `constant` the value lives with the application, which takes writes of up to `maximum` octets.
    @discardableResult
    public mutating func addCharacteristic(
        _ uuid: UUID, _ properties: Properties, read: Access? = nil, write: Access? = nil, maximum: Int = 512,
        pushesUnsubscribed: Bool = false, at handle: UInt16? = nil, valueHandle: UInt16? = nil
    ) throws(AttributeTableError) -> UInt16 {
        guard maximum >= 0, maximum <= 512 else { throw .valueTooLong }
        let mark = Mark(&self)
        let value = try declare(uuid, properties, at: handle, valueHandle: valueHandle)
        let isWritable = properties.contains(.write) || properties.contains(.writeWithoutResponse)
        do throws(AttributeTableError) {
            try insert(
                Attribute(
                    handle: value, type: uuid, read: read ?? (properties.contains(.read) ? .allowed : .denied),
                    write: write ?? (isWritable ? .allowed : .denied), takesCommands: properties.contains(.writeWithoutResponse),
                    storage: .application(maximum: UInt16(maximum)), properties: properties, pushesUnsubscribed: pushesUnsubscribed))
        } catch {
            undo(to: mark)
            throw error
        }
        return value
    }

    /// Adds a characteristic whose value never changes; returns the value's handle.
    @discardableResult
    public mutating func addCharacteristic(
        _ uuid: UUID, _ properties: Properties = .read, constant: borrowing Span<UInt8>, read: Access = .allowed,
        at handle: UInt16? = nil, valueHandle: UInt16? = nil
    ) throws(AttributeTableError) -> UInt16 {
        let mark = Mark(&self)
        let value = try declare(uuid, properties, at: handle, valueHandle: valueHandle)
        do throws(AttributeTableError) {
            return try addConstant(uuid, constant, read: read, properties: properties, at: value)
        } catch {
            undo(to: mark)
            throw error
        }
    }

    /// Adds a Client Characteristic Configuration for the characteristic being built, which is notified or indicated.
    /// Anyone may read it; `write` says who may subscribe, and `refusal` what is said to a value it cannot have.
    @discardableResult
    public mutating func addClientConfiguration(
        write: Access = .allowed, refusal: ATTError = .improperConfiguration, at handle: UInt16? = nil
    ) throws(AttributeTableError) -> UInt16 {
        let characteristic = attributes[try openValue()]
        guard characteristic.properties.contains(.notify) || characteristic.properties.contains(.indicate) else {
            throw .noCharacteristic
        }
        let mark = Mark(&self)
        let place = try place(handle)
        let slot = try claimConfiguration()
        do throws(AttributeTableError) {
            try insert(
                Attribute(
                    handle: place, type: .clientConfiguration, read: .allowed, write: write, takesCommands: false,
                    storage: .clientConfiguration(slot: slot, refusal: refusal), properties: characteristic.properties,
                    pushesUnsubscribed: characteristic.pushesUnsubscribed))
        } catch {
            undo(to: mark)
            throw error
        }
        return place
    }

    /// Adds a descriptor or declaration whose value never changes.
    @discardableResult
    public mutating func addConstant(
        _ type: UUID, _ value: borrowing Span<UInt8>, read: Access = .allowed, properties: Properties = .none,
        at handle: UInt16? = nil
    ) throws(AttributeTableError) -> UInt16 {
        guard value.count <= 512 else { throw .valueTooLong }
        let place = try place(handle)
        let offset = constants.count
        guard value.count <= constants.room else { throw .constantsFull }
        try insert(
            Attribute(
                handle: place, type: type, read: read, write: .denied, takesCommands: false,
                storage: .constant(offset: UInt16(offset), count: UInt16(value.count)), properties: properties,
                pushesUnsubscribed: false))
        constants.append(value)
        return place
    }

    /// Adds a descriptor whose value lives with the application.
    @discardableResult
    public mutating func addDescriptor(
        _ type: UUID, read: Access, write: Access, maximum: Int = 512, at handle: UInt16? = nil
    ) throws(AttributeTableError) -> UInt16 {
        guard maximum >= 0, maximum <= 512 else { throw .valueTooLong }
        let place = try place(handle)
        try insert(
            Attribute(
                handle: place, type: type, read: read, write: write, takesCommands: false,
                storage: .application(maximum: UInt16(maximum)), properties: .none, pushesUnsubscribed: false))
        return place
    }

    /// Adds the GAP service: device name and appearance (Core Vol 3 Part C section 12).
    public mutating func addGenericAccess(name: borrowing Span<UInt8>, appearance: UInt16) throws(AttributeTableError) {
        let mark = Mark(&self)
        do throws(AttributeTableError) {
            try addService(.genericAccess)
            try addCharacteristic(.deviceName, constant: name)
            var value = OctetBuffer<2>()
            value.append(littleEndian: appearance)
            try addCharacteristic(.appearance, constant: value.storage.span)
        } catch {
            undo(to: mark)
            throw error
        }
    }

    /// Adds the GATT service with Service Changed. The table never changes while a client looks, but a phone that
    /// never bonds keeps stale handles for days unless this characteristic is there; nothing is ever indicated.
    public mutating func addGenericAttribute() throws(AttributeTableError) {
        let mark = Mark(&self)
        do throws(AttributeTableError) {
            try addService(.genericAttribute)
            try addCharacteristic(.serviceChanged, .indicate)
            try addClientConfiguration()
        } catch {
            undo(to: mark)
            throw error
        }
    }

    private mutating func declare(
        _ uuid: UUID, _ properties: Properties, at handle: UInt16?, valueHandle: UInt16?
    ) throws(AttributeTableError) -> UInt16 {
        let declaration = try place(handle)
        guard declaration < .max else { throw .handlesFull }
        let value = valueHandle ?? declaration + 1
        guard value > declaration else { throw .handleOrder }
        var octets = OctetBuffer<19>()
        octets.append(properties.rawValue)
        octets.append(littleEndian: value)
        uuid.write(to: &octets)
        try addConstant(.characteristic, octets.storage.span.extracting(0..<octets.count), at: declaration)
        return value
    }
}
