/// What is known of the one service of a phone: its range, and of the characteristics that were asked for where they are. Nothing else of
/// it is kept.
struct RemoteService {
    struct Characteristic {
        /// 0: not found.
        var value: UInt16 = 0
        /// The last handle of its descriptors.
        var end: UInt16 = 0
        var properties = AttributeTable.Properties.none
        /// 0: not found.
        var configuration: UInt16 = 0

        var isPushed: Bool { properties.contains(.notify) || properties.contains(.indicate) }
    }

    /// 0: no service.
    private(set) var start: UInt16 = 0
    private(set) var end: UInt16 = 0
    private(set) var wanted: CharacteristicList?
    private(set) var characteristics = InlineArray<4, Characteristic>(repeating: Characteristic())
    /// The declaration that was listed last, and the value it names: the next one lies behind both.
    private(set) var lastDeclaration: UInt16 = 0
    private(set) var lastValue: UInt16 = 0
    /// The characteristic listed last, where it is one of those wanted: its end is not known yet.
    private var open: Int?

    init() {}

    var isFound: Bool { start != 0 }

    mutating func found(_ newStart: UInt16, _ newEnd: UInt16) {
        self = RemoteService()
        start = newStart
        end = newEnd
    }

    mutating func want(_ list: CharacteristicList) {
        found(start, end)
        wanted = list
    }

    /// The characteristic at `index`, where it was found.
    func characteristic(_ index: Int) -> Characteristic? {
        guard index >= 0, index < characteristics.count, characteristics[index].value != 0 else { return nil }
        return characteristics[index]
    }

    /// The index of the characteristic with this value, or nil.
    func index(of handle: UInt16) -> Int? {
        guard handle != 0 else { return nil }
        for index in 0..<characteristics.count where characteristics[index].value == handle { return index }
        return nil
    }

    /// Notes a declaration. False where its handles do not ascend, or leave the service: whoever follows them never comes to an end.
    mutating func add(
        declaration: UInt16, _ properties: AttributeTable.Properties, value: UInt16, _ uuid: UUID
    ) -> Bool {
        guard declaration >= start, declaration > lastDeclaration, declaration > lastValue, value > declaration, value <= end else {
            return false
        }
        close(before: declaration)
        (lastDeclaration, lastValue) = (declaration, value)
        for index in 0..<characteristics.count where wanted?[index] == uuid && characteristics[index].value == 0 {
            characteristics[index] = Characteristic(value: value, end: value, properties: properties, configuration: 0)
            open = index
            break
        }
        return true
    }

    /// All declarations are listed.
    mutating func endOfList() {
        guard let index = open else { return }
        characteristics[index].end = end
        open = nil
    }

    private mutating func close(before declaration: UInt16) {
        guard let index = open else { return }
        // Behind a value, so never 0.
        characteristics[index].end = declaration - 1
        open = nil
    }

    mutating func configure(_ index: Int, _ handle: UInt16) {
        if index >= 0, index < characteristics.count { characteristics[index].configuration = handle }
    }

    /// Whether everything that was asked for is there.
    var isComplete: Bool {
        for index in 0..<characteristics.count where wanted?[index] != nil && characteristics[index].value == 0 { return false }
        return true
    }

    /// Whether every characteristic that is pushed has its configuration.
    var isConfigurable: Bool {
        for index in 0..<characteristics.count where characteristics[index].value != 0 {
            if characteristics[index].isPushed, characteristics[index].configuration == 0 { return false }
        }
        return true
    }
}
