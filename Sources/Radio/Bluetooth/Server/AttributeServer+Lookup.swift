/// Finding attributes in the table, which holds them in the order of their handles.
extension AttributeServer {
    /// The first index whose handle is `handle` or more; `table.count` when there is none.
    @inline(__always)
    mutating func index(from handle: UInt16) -> Int {
        let count = table.count
        guard count > 0, handle <= table.attributes[count - 1].handle else { return count }
        // Without a gap between them, two attributes lie as far apart as their handles.
        let guess = count - 1 - Int(table.attributes[count - 1].handle - handle)
        if guess >= 0, table.attributes[guess].handle == handle { return guess }
        return search(handle)
    }

    private mutating func search(_ handle: UInt16) -> Int {
        var low = 0
        var high = table.count
        while low < high {
            let middle = (low + high) / 2
            if table.attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The index of `handle`; gaps give nil.
    @inline(__always)
    mutating func index(of handle: UInt16) -> Int? {
        let found = index(from: handle)
        return found < table.count && table.attributes[found].handle == handle ? found : nil
    }

    /// The last handle of the group that begins at `index`, a service or a characteristic (Core Vol 3 Part G 2.5.3); any other attribute
    /// is a group of its own.
    mutating func groupEnd(at index: Int) -> UInt16 {
        var last = table.attributes[index].handle
        let isCharacteristic = table.attributes[index].type == .characteristic
        guard isCharacteristic || AttributeTable.isService(table.attributes[index].type) else { return last }
        var next = index + 1
        while next < table.count, !AttributeTable.isService(table.attributes[next].type) {
            if isCharacteristic, table.attributes[next].type == .characteristic { return last }
            last = table.attributes[next].handle
            next += 1
        }
        // The last service may end with the last handle of all, so that later ones are found without a new discovery.
        return next == table.count && !isCharacteristic ? max(last, table.lastGroupEnd) : last
    }

    /// The client's bits in the configuration that follows the value at `index`; 0 where there is none.
    mutating func configuration(behind index: Int) -> UInt16 {
        var next = index + 1
        while next < table.count, table.attributes[next].type != .characteristic, !AttributeTable.isService(table.attributes[next].type) {
            if case .clientConfiguration(let slot, _) = table.attributes[next].storage { return client.configuration(slot) }
            next += 1
        }
        return 0
    }
}
