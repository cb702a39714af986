import CGPIO

/// Where a line is, whatever it is called. The same place is the same piece of metal.
struct GPIOPlace: Hashable {
    /// The kernel's name: `gpiochip0`.
    let chip: String
    let offset: UInt32

    /// nil where there is no such chip or line, or it may not be looked at.
    init?(_ line: GPIOLine, of chip: String) {
        var place = gpio_place()
        let result =
            switch line {
            case .offset(let offset): gpio_place_find(chip, nil, offset, &place)
            case .name(let name): gpio_place_find(chip, name, 0, &place)
            }
        guard result == 0 else { return nil }
        self.chip = withUnsafeBytes(of: place.chip) { octets in String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self) }
        offset = place.offset
    }
}

extension GPIOLine {
    var isOffset: Bool { if case .offset = self { true } else { false } }
}
