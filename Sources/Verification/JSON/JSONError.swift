/// Why a text is not the JSON this module accepts, and where.
///
/// Compare `reason` in tests and policy; `offset` is for people.
public struct JSONError: Error, Hashable, Sendable {
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// More bytes than `JSONLimits.bytes`.
        case tooLong
        /// More open arrays and objects than `JSONLimits.depth`.
        case tooDeep
        /// More values and names than `JSONLimits.nodes`.
        case tooManyNodes
        /// The text ends inside a value.
        case truncated
        /// U+FEFF before the text (RFC 8259 section 8.1 lets a parser refuse it).
        case byteOrderMark
        /// A byte that the grammar does not allow here: trailing commas, comments, NaN, single quotes, ...
        case unexpectedByte
        /// An octet below 0x20 inside a string.
        case controlCharacter
        /// Overlong forms, encoded surrogates, values above U+10FFFF, stray continuation octets.
        case invalidUTF8
        /// A backslash followed by something RFC 8259 section 7 does not list.
        case invalidEscape
        /// `\uD800`-`\uDFFF` without its other half.
        case loneSurrogate
        /// Leading zeros, a bare minus, a point or exponent without digits.
        case invalidNumber
        /// A number lexeme longer than `JSONLimits.numberBytes`.
        case numberTooLong
        /// Something that starts like `true`, `false` or `null` and is not.
        case invalidLiteral
        /// The same name twice in one object, compared after unescaping.
        case duplicateName
        /// Anything but white space after the value.
        case trailingBytes
        /// A scan for members met something other than an object.
        case notAnObject
    }

    public let reason: Reason
    /// Octets from the start of the text that was given.
    public let offset: Int

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
