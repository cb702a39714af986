import JSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// JSON numbers as RDF literals (JSON-LD 1.1 API section 8.2.2 steps 9 to 12 and section 8.6).
enum NumberText {
    /// The canonical text of a number and the datatype it has when none is given.
    static func literal(_ number: JSONNumber, datatype: Text?) throws(LinkedDataError) -> (value: Text, datatype: Text) {
        guard let double = number.double else { throw .numberOutOfRange }
        if datatype != Vocabulary.double, let integer = integer(number.lexeme, double) { return (integer, datatype ?? Vocabulary.integer) }
        return (canonical(double), datatype ?? Vocabulary.double)
    }

    /// The digits of a number without fraction and below 10^21; nil for the rest. What is written as an integer keeps every digit.
    private static func integer(_ lexeme: String, _ double: Double) -> Text? {
        guard double.magnitude < 1e21 else { return nil }
        let isPlain = lexeme.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "-") }
        if isPlain { return double == 0 ? "0" : Text(lexeme) }
        guard double == double.rounded(.towardZero) else { return nil }
        return double == 0 ? "0" : Text(print(double, "%.0f"))
    }

    /// `%1.15E`, then without the zeros that say nothing, at least one digit after the point: `4.003E2`.
    static func canonical(_ double: Double) -> Text {
        let printed = print(double, "%1.15E")
        guard let letter = printed.utf8.firstIndex(of: UInt8(ascii: "E")) else { return "0.0E0" }
        var mantissa = printed[..<letter]
        while mantissa.utf8.last == UInt8(ascii: "0") { mantissa.removeLast() }
        if mantissa.utf8.last == UInt8(ascii: ".") { mantissa += "0" }
        let exponent = printed[printed.utf8.index(after: letter)...]
        return Text("\(mantissa)E\(Int(exponent) ?? 0)")
    }

    private static func print(_ double: Double, _ format: String) -> String {
        // The widest text is 21 digits or a mantissa of 16 with its exponent.
        var buffer = [CChar](repeating: 0, count: 64)
        let length = withVaList([double]) { vsnprintf(&buffer, buffer.count, format, $0) }
        let used = buffer.prefix(min(max(Int(length), 0), buffer.count - 1))
        return String(decoding: used.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
