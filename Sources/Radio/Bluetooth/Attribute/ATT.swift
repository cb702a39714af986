/// ATT opcodes (Core Vol 3 Part F 3.4.8).
enum ATTOpcode {
    static var errorResponse: UInt8 { 0x01 }
    static var exchangeMTURequest: UInt8 { 0x02 }
    static var exchangeMTUResponse: UInt8 { 0x03 }
    static var findInformationRequest: UInt8 { 0x04 }
    static var findInformationResponse: UInt8 { 0x05 }
    static var findByTypeValueRequest: UInt8 { 0x06 }
    static var findByTypeValueResponse: UInt8 { 0x07 }
    static var readByTypeRequest: UInt8 { 0x08 }
    static var readByTypeResponse: UInt8 { 0x09 }
    static var readRequest: UInt8 { 0x0A }
    static var readResponse: UInt8 { 0x0B }
    static var readBlobRequest: UInt8 { 0x0C }
    static var readBlobResponse: UInt8 { 0x0D }
    static var readMultipleRequest: UInt8 { 0x0E }
    static var readMultipleResponse: UInt8 { 0x0F }
    static var readByGroupTypeRequest: UInt8 { 0x10 }
    static var readByGroupTypeResponse: UInt8 { 0x11 }
    static var writeRequest: UInt8 { 0x12 }
    static var writeResponse: UInt8 { 0x13 }
    static var prepareWriteRequest: UInt8 { 0x16 }
    static var prepareWriteResponse: UInt8 { 0x17 }
    static var executeWriteRequest: UInt8 { 0x18 }
    static var executeWriteResponse: UInt8 { 0x19 }
    static var notification: UInt8 { 0x1B }
    static var indication: UInt8 { 0x1D }
    static var confirmation: UInt8 { 0x1E }
    static var readMultipleVariableRequest: UInt8 { 0x20 }
    static var readMultipleVariableResponse: UInt8 { 0x21 }
    static var writeCommand: UInt8 { 0x52 }
    static var signedWriteCommand: UInt8 { 0xD2 }
}

/// An ATT error code (Core Vol 3 Part F 3.4.1.1). Application errors are 0x80 to 0x9F.
public struct ATTError: RawRepresentable, Error, Hashable, Sendable {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static var invalidHandle: ATTError { ATTError(rawValue: 0x01) }
    public static var readNotPermitted: ATTError { ATTError(rawValue: 0x02) }
    public static var writeNotPermitted: ATTError { ATTError(rawValue: 0x03) }
    public static var invalidPDU: ATTError { ATTError(rawValue: 0x04) }
    public static var insufficientAuthentication: ATTError { ATTError(rawValue: 0x05) }
    public static var requestNotSupported: ATTError { ATTError(rawValue: 0x06) }
    public static var invalidOffset: ATTError { ATTError(rawValue: 0x07) }
    public static var insufficientAuthorization: ATTError { ATTError(rawValue: 0x08) }
    public static var prepareQueueFull: ATTError { ATTError(rawValue: 0x09) }
    public static var attributeNotFound: ATTError { ATTError(rawValue: 0x0A) }
    public static var encryptionKeySizeTooShort: ATTError { ATTError(rawValue: 0x0C) }
    public static var invalidValueLength: ATTError { ATTError(rawValue: 0x0D) }
    public static var unlikely: ATTError { ATTError(rawValue: 0x0E) }
    public static var insufficientEncryption: ATTError { ATTError(rawValue: 0x0F) }
    public static var unsupportedGroupType: ATTError { ATTError(rawValue: 0x10) }
    /// Value Not Allowed (Core Vol 3 Part F 3.4.1.1).
    public static var valueNotAllowed: ATTError { ATTError(rawValue: 0x13) }
    /// Client Characteristic Configuration Descriptor Improperly Configured (Core Specification Supplement Part B).
    public static var improperConfiguration: ATTError { ATTError(rawValue: 0xFD) }
}
