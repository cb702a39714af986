/// HCI commands the host sends, as a peripheral and as a central (Core Vol 4 Part E section 7).
public enum Opcode: UInt16, Sendable {
    /// HCI_Disconnect
    case disconnect = 0x0406
    /// HCI_Set_Event_Mask
    case setEventMask = 0x0C01
    /// HCI_Reset
    case reset = 0x0C03
    /// HCI_Write_LE_Host_Support
    case writeLEHostSupport = 0x0C6D
    /// HCI_Read_Local_Version_Information
    case readLocalVersion = 0x1001
    /// HCI_Read_Local_Supported_Commands
    case readLocalSupportedCommands = 0x1002
    /// HCI_Read_Local_Supported_Features
    case readLocalSupportedFeatures = 0x1003
    /// HCI_Read_Buffer_Size
    case readBufferSize = 0x1005
    /// HCI_Read_BD_ADDR
    case readAddress = 0x1009
    /// HCI_LE_Set_Event_Mask
    case leSetEventMask = 0x2001
    /// HCI_LE_Read_Buffer_Size [v1]
    case leReadBufferSize = 0x2002
    /// HCI_LE_Read_Local_Supported_Features
    case leReadLocalFeatures = 0x2003
    /// HCI_LE_Set_Random_Address
    case leSetRandomAddress = 0x2005
    /// HCI_LE_Set_Advertising_Parameters
    case leSetAdvertisingParameters = 0x2006
    /// HCI_LE_Set_Advertising_Data
    case leSetAdvertisingData = 0x2008
    /// HCI_LE_Set_Scan_Response_Data
    case leSetScanResponseData = 0x2009
    /// HCI_LE_Set_Advertising_Enable
    case leSetAdvertisingEnable = 0x200A
    /// HCI_LE_Set_Scan_Parameters
    case leSetScanParameters = 0x200B
    /// HCI_LE_Set_Scan_Enable
    case leSetScanEnable = 0x200C
    /// HCI_LE_Create_Connection
    case leCreateConnection = 0x200D
    /// HCI_LE_Create_Connection_Cancel
    case leCreateConnectionCancel = 0x200E
    /// HCI_LE_Connection_Update
    case leConnectionUpdate = 0x2013
    /// HCI_LE_Read_Channel_Map
    case leReadChannelMap = 0x2015
    /// HCI_LE_Long_Term_Key_Request_Negative_Reply
    case leLongTermKeyNegativeReply = 0x201B
    /// HCI_LE_Set_Data_Length
    case leSetDataLength = 0x2022
    /// HCI_LE_Write_Suggested_Default_Data_Length
    case leWriteSuggestedDataLength = 0x2024
    /// HCI_LE_Set_Default_PHY
    case leSetDefaultPHY = 0x2031
    /// HCI_LE_Set_PHY
    case leSetPHY = 0x2032
    /// HCI_LE_Set_Advertising_Set_Random_Address
    case leSetAdvertisingSetRandomAddress = 0x2035
    /// HCI_LE_Set_Extended_Advertising_Parameters [v1]
    case leSetExtendedAdvertisingParameters = 0x2036
    /// HCI_LE_Set_Extended_Advertising_Data
    case leSetExtendedAdvertisingData = 0x2037
    /// HCI_LE_Set_Extended_Scan_Response_Data
    case leSetExtendedScanResponseData = 0x2038
    /// HCI_LE_Set_Extended_Advertising_Enable
    case leSetExtendedAdvertisingEnable = 0x2039
    /// HCI_LE_Set_Extended_Scan_Parameters
    case leSetExtendedScanParameters = 0x2041
    /// HCI_LE_Set_Extended_Scan_Enable
    case leSetExtendedScanEnable = 0x2042
    /// HCI_LE_Extended_Create_Connection [v1]
    case leExtendedCreateConnection = 0x2043
    /// HCI_LE_Read_Buffer_Size [v2]
    case leReadBufferSizeV2 = 0x2060
}

/// The status of a command or the reason of a disconnection (Core Vol 1 Part F). Unknown codes survive.
public struct HCIStatus: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static var success: HCIStatus { HCIStatus(rawValue: 0x00) }
    public static var unknownCommand: HCIStatus { HCIStatus(rawValue: 0x01) }
    /// Of a connection that was asked for and given up: the attempt was cancelled.
    public static var unknownConnection: HCIStatus { HCIStatus(rawValue: 0x02) }
    /// The controller has a link with this peer already.
    public static var connectionAlreadyExists: HCIStatus { HCIStatus(rawValue: 0x0B) }
    public static var commandDisallowed: HCIStatus { HCIStatus(rawValue: 0x0C) }
    public static var unsupportedParameter: HCIStatus { HCIStatus(rawValue: 0x11) }
    public static var invalidParameter: HCIStatus { HCIStatus(rawValue: 0x12) }
    public static var unspecified: HCIStatus { HCIStatus(rawValue: 0x1F) }
    public static var remoteUserTerminated: HCIStatus { HCIStatus(rawValue: 0x13) }
    /// Nothing was ever heard on the link.
    public static var connectionFailedToBeEstablished: HCIStatus { HCIStatus(rawValue: 0x3E) }
}
