import JSON

/// The JSON Canonicalization Scheme (RFC 8785).
public enum CanonicalJSON {
    /// The canonical octets of `value`. Throws `numberOutOfRange`, and `tooComplex` for values nested deeper than `depth` and when no steps
    /// are left.
    /// - Parameters:
    ///   - omitted: a member of the outermost object that is read as if it were not there.
    ///   - context: what the outermost object's `@context` is read as; nil: what it is.
    public static func bytes(
        of value: JSONValue, omitting omitted: String? = nil, context: JSONValue? = nil, depth: Int = LinkedDataLimits.standard.depth,
        steps: inout StepBudget
    ) throws(LinkedDataError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(value.sourceRange.count)
        try append(value, omitting: omitted, context: context, to: &output, depth, &steps)
        return output
    }

    /// The same for a value with all the steps that one document may take.
    public static func bytes(
        of value: JSONValue, omitting omitted: String? = nil, depth: Int = LinkedDataLimits.standard.depth
    ) throws(LinkedDataError) -> [UInt8] {
        var steps = StepBudget(LinkedDataLimits.standard.steps)
        return try bytes(of: value, omitting: omitted, depth: depth, steps: &steps)
    }

    static func bytes(of text: Text) -> [UInt8] {
        var output: [UInt8] = []
        append(Array(text.utf8), to: &output)
        return output
    }

    private static func append(
        _ value: JSONValue, omitting omitted: String? = nil, context: JSONValue? = nil, to output: inout [UInt8], _ depth: Int,
        _ steps: inout StepBudget
    ) throws(LinkedDataError) {
        try steps.spend(StepCost.canonicalValue + (value.kind == .string ? StepCost.octets(value.sourceRange.count) : 0))
        switch value.kind {
        case .null: output.append(contentsOf: "null".utf8)
        case .yes: output.append(contentsOf: "true".utf8)
        case .no: output.append(contentsOf: "false".utf8)
        case .string: append(value.stringBytes ?? [], to: &output)
        case .number:
            guard let double = value.double else { throw .numberOutOfRange }
            output.append(contentsOf: number(double).utf8)
        case .array:
            guard depth > 0, let elements = value.elements else { throw .tooComplex }
            output.append(UInt8(ascii: "["))
            var isFirst = true
            for element in elements {
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = false
                try append(element, to: &output, depth - 1, &steps)
            }
            output.append(UInt8(ascii: "]"))
        case .object:
            guard depth > 0, let members = value.members else { throw .tooComplex }
            output.append(UInt8(ascii: "{"))
            // Section 3.2.3: the order of UTF-16 code units, which is not that of UTF-8 octets beyond the basic plane.
            let sorted = members.filter { member in omitted.map { !member.key.isString($0) } ?? true }
                .map { (units: Array($0.name.utf16), member: $0) }
                .sorted { $0.units.lexicographicallyPrecedes($1.units) }
            for (position, entry) in sorted.enumerated() {
                try steps.spend(StepCost.canonicalValue + StepCost.octets(entry.member.key.sourceRange.count))
                if position > 0 { output.append(UInt8(ascii: ",")) }
                append(entry.member.key.stringBytes ?? [], to: &output)
                output.append(UInt8(ascii: ":"))
                let value = context.flatMap { entry.member.key.isString("@context") ? $0 : nil } ?? entry.member.value
                try append(value, to: &output, depth - 1, &steps)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// Section 3.2.2.2.
    private static func append(_ text: [UInt8], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0x08: output.append(contentsOf: "\\b".utf8)
            case 0x09: output.append(contentsOf: "\\t".utf8)
            case 0x0A: output.append(contentsOf: "\\n".utf8)
            case 0x0C: output.append(contentsOf: "\\f".utf8)
            case 0x0D: output.append(contentsOf: "\\r".utf8)
            case 0..<0x20:
                output.append(contentsOf: "\\u00".utf8)
                output.append(contentsOf: Hexadecimal.lower(byte))
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// ECMAScript's Number::toString (ECMA-262 section 6.1.6.1.20) of a finite double.
    ///
    /// The standard library prints the same shortest digits; only where the point and the exponent go differs.
    static func number(_ value: Double) -> String {
        if value == 0 { return "0" }
        var digits: [UInt8] = []
        // The value is 0.digits x 10^point.
        var point = 0
        var exponent = 0
        var seenPoint = false
        let printed = "\(value.magnitude)"
        for (offset, byte) in printed.utf8.enumerated() {
            if byte == UInt8(ascii: "e") {
                exponent = Int(String(decoding: printed.utf8.dropFirst(offset + 1), as: UTF8.self)) ?? 0
                break
            }
            if byte == UInt8(ascii: ".") {
                seenPoint = true
                continue
            }
            if digits.isEmpty, byte == UInt8(ascii: "0") {
                if seenPoint { point -= 1 }
                continue
            }
            digits.append(byte)
            if !seenPoint { point += 1 }
        }
        point += exponent
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        let text = String(decoding: digits, as: UTF8.self)
        return (value < 0 ? "-" : "") + place(point, in: text)
    }

    private static func place(_ point: Int, in digits: String) -> String {
        let count = digits.utf8.count
        if count <= point, point <= 21 { return digits + String(repeating: "0", count: point - count) }
        if 0 < point, point <= 21 { return "\(digits.prefix(point)).\(digits.dropFirst(point))" }
        if -6 < point, point <= 0 { return "0." + String(repeating: "0", count: -point) + digits }
        let exponent = point - 1 < 0 ? "e-\(1 - point)" : "e+\(point - 1)"
        return count == 1 ? digits + exponent : "\(digits.prefix(1)).\(digits.dropFirst())" + exponent
    }
}
