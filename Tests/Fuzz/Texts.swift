@testable import Credentials
@testable import JSON
@testable import Trust

/// A text that is accepted is walked to its last octet; the outline scan must see the same text as the parser.
func fuzzJSON(_ octets: UnsafeBufferPointer<UInt8>) {
    let whole = parse(octets.span, .standard)
    let tight = parse(octets.span, JSONLimits(bytes: 4096, depth: 3, nodes: 24, numberBytes: 8))
    let names = ["a", "iss", "\u{e9}", ""]
    let found = scan(names, octets.span)
    switch whole {
    case .failure(let error):
        require(error.offset >= 0 && error.offset <= octets.count, "an error is somewhere in the text")
        require(found == .failure(error), "scan and parser refuse the same")
        if case .success = tight { require(false, "limits allow no more") }
    case .success(let document):
        require(document.byteCount == octets.count, "the text is kept whole")
        walk(document.root)
        if case .failure(let error) = tight {
            require([.tooLong, .tooDeep, .tooManyNodes, .numberTooLong].contains(error.reason), "limits refuse nothing else")
        }
        guard document.root.kind == .object else {
            if case .failure(let error) = found {
                require(error.reason == .notAnObject, "only objects have members")
            } else {
                require(false, "only objects have members")
            }
            return
        }
        require(found == .success(names.map { document.root[$0]?.sourceRange }), "scan and parser find the same")
    }
}

private func parse(_ octets: Span<UInt8>, _ limits: JSONLimits) -> Result<JSONDocument, JSONError> {
    do throws(JSONError) { return .success(try JSONDocument(parsing: octets, limits: limits)) } catch { return .failure(error) }
}

private func scan(_ names: [String], _ octets: Span<UInt8>) -> Result<[Range<Int>?], JSONError> {
    do throws(JSONError) { return .success(try JSONScan.members(names, of: octets)) } catch { return .failure(error) }
}

/// Everything that can be asked of a value.
private func walk(_ value: JSONValue) {
    require(!value.sourceRange.isEmpty && value.source.count == value.sourceRange.count, "a value has a place")
    switch value.kind {
    case .object:
        var count = 0
        for member in value.members! {
            walk(member.key)
            walk(member.value)
            count += 1
        }
        require(value.members!.count == count && value.elements == nil, "members are counted")
    case .array:
        for element in value.elements! { walk(element) }
        require(value.members == nil, "an array has no members")
    case .string:
        let text = value.string!
        require(value.isString(text) && Array(text.utf8) == value.stringBytes!, "a string has one value")
        // What is written is read again, character for character.
        var writer = JSONWriter()
        writer.string(text)
        let again = parse(writer.bytes.span, .standard)
        guard case .success(let document) = again else { return require(false, "what is written can be read") }
        require(document.root.isString(text), "what is written is what is read")
    case .number:
        let number = value.number!
        require(!number.lexeme.isEmpty, "a number has a lexeme")
        if let whole = number.int64, abs(Double(whole)) < 9e15 { require(number.double == Double(whole), "a number has one value") }
    case .yes, .no: require(value.bool == (value.kind == .yes), "a truth value is one")
    case .null: require(value.isNull && value.string == nil && value.number == nil, "null is nothing")
    }
}

extension Result where Success: Equatable, Failure: Equatable {
    static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.success(let a), .success(let b)): a == b
        case (.failure(let a), .failure(let b)): a == b
        default: false
        }
    }
}

/// What is found in a wallet's wrapper is what the wrapper says, and nothing else.
func fuzzWrapper(_ octets: UnsafeBufferPointer<UInt8>) {
    let received: ReceivedCredential
    do throws(RejectReason) {
        received = try ReceivedCredential(message: octets.span)
    } catch {
        require(
            [.messageTooLarge, .messageMalformed, .credentialMissing, .tooComplex].contains(error), "a wrapper is refused for what it is")
        return
    }
    require(received.form == CredentialForm(recognising: received.bytes), "a form follows from the octets")
    for hint in [received.formatHint, received.issuerHint] { require((hint?.utf8.count ?? 0) <= 128, "a hint is short") }
    let verdict = Issuer.verifier.verify(received, at: Issuer.now)
    if let credential = verdict.credential { requireSigned(credential, received.bytes) }

    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    // Octets that are no text have no white space around them: they may end in what would pass for some.
    let isText = octets.first.map { $0 < 0x80 } ?? true
    var text = isText ? Array(octets.drop(while: isSpace)) : Array(octets)
    while isText, let last = text.last, isSpace(last) { text.removeLast() }
    guard text.first == UInt8(ascii: "{") else {
        // A JSON string is taken for what it says, anything else as it is.
        if text.first == UInt8(ascii: "\"") {
            guard case .success(let document) = parse(octets.span, JSONLimits(bytes: 16 << 20)) else {
                return require(false, "only JSON is taken apart")
            }
            return require(received.bytes == document.root.stringBytes, "a string is its text")
        }
        return require(received.bytes == text, "what is no object is taken as it is")
    }
    guard case .success(let document) = parse(octets.span, JSONLimits(bytes: 16 << 20)) else {
        return require(false, "only JSON is taken apart")
    }
    let root = document.root
    guard let wrapped = root["verifiableCredential"] else {
        return require(received.bytes == text && (root["proof"] != nil || root["@context"] != nil), "a credential alone is one")
    }
    let credential = wrapped["credential"] ?? wrapped
    require(received.bytes == credential.stringBytes ?? credential.source, "the credential is the wrapped one")
}
