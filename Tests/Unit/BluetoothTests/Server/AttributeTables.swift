import Testing

@testable import Bluetooth

private let tail = Database.tail

/// Requests to the sparse table and their answers, at MTU 23 on one link; nothing stands for silence.
/// Names follow the qualification groups GATT/SR/GAD (discovery), GAR (reading), GAW (writing), UNS (unsupported).
let sparseRows: [(name: String, request: String, response: String)] = [
    // Find Information
    ("find information", "04 01 00 FF FF", "05 01 01 00 00 28 03 00 03 28 04 00 00 2A 10 00 00 28 11 00 03 28"),
    ("one UUID size a response", "04 12 00 FF FF", "05 02 12 00 B1 " + tail),
    ("a long UUID ends short ones", "04 20 00 FF FF", "05 01 20 00 03 28"),
    ("across gaps", "04 23 00 33 00", "05 01 23 00 02 29 30 00 00 28 31 00 03 28 32 00 19 2A 33 00 02 29"),
    ("in a gap", "04 05 00 0F 00", "01 04 05 00 0A"),
    ("start 0", "04 00 00 FF FF", "01 04 00 00 01"),
    ("start behind end", "04 05 00 04 00", "01 04 05 00 01"),
    ("the last handle", "04 FF FF FF FF", "05 01 FF FF 00 28"),
    ("up to the last", "04 34 00 FE FF", "01 04 34 00 0A"),
    ("short", "04 01 00 FF", "01 04 00 00 04"),
    ("long", "04 01 00 FF FF 00", "01 04 00 00 04"),
    // Find By Type Value
    ("GAD/BV-02 primary by UUID", "06 01 00 FF FF 00 28 0F 18", "07 30 00 33 00"),
    ("primary by long UUID", "06 01 00 FF FF 00 28 B0 " + tail, "07 10 00 23 00"),
    ("first service", "06 01 00 FF FF 00 28 00 18", "07 01 00 04 00"),
    ("service at FFFF", "06 01 00 FF FF 00 28 34 12", "07 FF FF FF FF"),
    ("short UUID in its long form", "06 01 00 FF FF 00 28 FB 34 9B 5F 80 00 00 80 00 10 00 00 0F 18 00 00", "07 30 00 33 00"),
    ("no such service", "06 01 00 FF FF 00 28 AA AA", "01 06 01 00 0A"),
    ("no value", "06 01 00 FF FF 00 28", "01 06 01 00 0A"),
    ("half a value", "06 01 00 FF FF 00 28 0F", "01 06 01 00 0A"),
    ("not a service", "06 01 00 FF FF 00 2A 47 61 74 65", "07 04 00 04 00"),
    ("find by value start 0", "06 00 00 FF FF 00 28 0F 18", "01 06 00 00 01"),
    ("find by value start behind end", "06 09 00 08 00 00 28 0F 18", "01 06 09 00 01"),
    ("find by value short", "06 01 00 FF FF 00", "01 06 00 00 04"),
    // Read By Type
    ("GAD/BV-04 characteristics", "08 01 00 FF FF 03 28", "09 07 03 00 02 04 00 00 2A"),
    ("long characteristic fills the MTU", "08 10 00 FF FF 03 28", "09 15 11 00 0A 12 00 B1 " + tail),
    ("value handle behind a gap", "08 12 00 23 00 03 28", "09 15 20 00 30 22 00 B2 " + tail),
    ("equal lengths only", "08 21 00 FF FF 03 28", "09 07 31 00 12 32 00 19 2A"),
    ("GAR/BV-03 by UUID", "08 01 00 FF FF 00 2A", "09 06 04 00 47 61 74 65"),
    ("by long UUID", "08 01 00 FF FF B1 " + tail, "09 05 12 00 01 02 03"),
    ("by the long form of a short UUID", "08 01 00 FF FF FB 34 9B 5F 80 00 00 80 00 10 00 00 00 2A 00 00", "09 06 04 00 47 61 74 65"),
    ("GAR/BI-06 first match not readable", "08 01 00 FF FF B2 " + tail, "01 08 22 00 02"),
    ("configurations", "08 01 00 FF FF 02 29", "09 04 23 00 00 00 33 00 00 00"),
    ("GAR/BI-07 none", "08 01 00 FF FF 05 28", "01 08 01 00 0A"),
    ("read by type start 0", "08 00 00 FF FF 03 28", "01 08 00 00 01"),
    ("read by type start behind end", "08 05 00 04 00 03 28", "01 08 05 00 01"),
    ("type of no octets", "08 01 00 FF FF", "01 08 00 00 04"),
    ("type of one", "08 01 00 FF FF 03", "01 08 00 00 04"),
    ("type of three", "08 01 00 FF FF 03 28 00", "01 08 00 00 04"),
    ("type of fifteen", "08 01 00 FF FF " + tail, "01 08 00 00 04"),
    ("type of seventeen", "08 01 00 FF FF 00 00 " + tail, "01 08 00 00 04"),
    // Read By Group Type
    ("GAD/BV-01 primaries", "10 01 00 FF FF 00 28", "11 06 01 00 04 00 00 18"),
    ("long primary", "10 02 00 FF FF 00 28", "11 14 10 00 23 00 B0 " + tail),
    ("the rest", "10 11 00 FF FF 00 28", "11 06 30 00 33 00 0F 18 FF FF FF FF 34 12"),
    ("only FFFF", "10 31 00 FF FF 00 28", "11 06 FF FF FF FF 34 12"),
    ("range ends inside the group", "10 01 00 02 00 00 28", "11 06 01 00 04 00 00 18"),
    ("no secondaries", "10 01 00 FF FF 01 28", "01 10 01 00 0A"),
    ("characteristics are no group", "10 01 00 FF FF 03 28", "01 10 01 00 10"),
    ("long type is no group", "10 01 00 FF FF B0 " + tail, "01 10 01 00 10"),
    ("group start 0", "10 00 00 FF FF 00 28", "01 10 00 00 01"),
    ("group start behind end", "10 02 00 01 00 00 28", "01 10 02 00 01"),
    ("group short", "10 01 00 FF FF 00", "01 10 00 00 04"),
    ("group long", "10 01 00 FF FF 00 28 00", "01 10 00 00 04"),
    // Read, Read Blob
    ("GAR/BV-01 read", "0A 04 00", "0B 47 61 74 65"),
    ("GAR/BI-02 gap", "0A 02 00", "01 0A 02 00 01"),
    ("handle 0", "0A 00 00", "01 0A 00 00 01"),
    ("read the last handle", "0A FF FF", "0B 34 12"),
    ("GAR/BI-01 not readable", "0A 22 00", "01 0A 22 00 02"),
    ("read a configuration", "0A 23 00", "0B 00 00"),
    ("read a declaration", "0A 11 00", "0B 0A 12 00 B1 " + tail),
    ("read short", "0A 04", "01 0A 00 00 04"),
    ("read long", "0A 04 00 00", "01 0A 00 00 04"),
    ("GAR/BV-04 blob", "0C 04 00 01 00", "0D 61 74 65"),
    ("blob at 0", "0C 04 00 00 00", "0D 47 61 74 65"),
    ("blob at the end", "0C 04 00 04 00", "0D"),
    ("GAR/BI-13 blob behind the end", "0C 04 00 05 00", "01 0C 04 00 07"),
    ("blob at FFFF", "0C 04 00 FF FF", "01 0C 04 00 07"),
    ("GAR/BI-12 blob not readable", "0C 22 00 00 00", "01 0C 22 00 02"),
    ("GAR/BI-14 blob in a gap", "0C 05 00 00 00", "01 0C 05 00 01"),
    ("blob short", "0C 04 00 00", "01 0C 00 00 04"),
    ("blob long", "0C 04 00 00 00 00", "01 0C 00 00 04"),
    // Read Multiple
    ("GAR/BV-05 multiple", "0E 04 00 32 00", "0F 47 61 74 65 64"),
    ("one twice", "0E 32 00 32 00 32 00", "0F 64 64 64"),
    ("GAR/BI-18 multiple, one not readable", "0E 04 00 22 00", "01 0E 22 00 02"),
    ("GAR/BI-19 multiple, one missing", "0E 04 00 02 00 22 00", "01 0E 02 00 01"),
    ("multiple of none", "0E", "01 0E 00 00 04"),
    ("multiple of one", "0E 04 00", "01 0E 00 00 04"),
    ("multiple of one and a half", "0E 04 00 32", "01 0E 00 00 04"),
    ("multiple cut at the MTU", "0E 04 00 11 00 04 00", "0F 47 61 74 65 0A 12 00 B1 AF AE AD AC AB AA A9 A8 A7 A6 A5 A4 A3 A2"),
    ("variable", "20 04 00 32 00", "21 04 00 47 61 74 65 01 00 64"),
    ("variable, one missing", "20 04 00 05 00", "01 20 05 00 01"),
    ("variable, one not readable", "20 22 00 04 00", "01 20 22 00 02"),
    ("variable of none", "20", "01 20 00 00 04"),
    ("variable of one", "20 04 00", "01 20 00 00 04"),
    ("variable cut at the MTU", "20 04 00 11 00", "21 04 00 47 61 74 65 13 00 0A 12 00 B1 AF AE AD AC AB AA A9 A8 A7 A6"),
    // Write
    ("GAW/BV-03 write", "12 12 00 01 02 03", "13"),
    ("write nothing", "12 12 00", "13"),
    ("write it back", "12 12 00 01 02 03", "13"),
    ("GAW/BI-02 write in a gap", "12 02 00 01", "01 12 02 00 01"),
    ("GAW/BI-03 write what cannot be", "12 22 00 01", "01 12 22 00 03"),
    ("write a service", "12 01 00 01", "01 12 01 00 03"),
    ("write a characteristic", "12 03 00 01", "01 12 03 00 03"),
    ("write a constant", "12 04 00 01", "01 12 04 00 03"),
    ("write the service at FFFF", "12 FF FF 01", "01 12 FF FF 03"),
    ("write handle 0", "12 00 00 01", "01 12 00 00 01"),
    ("write short", "12 12", "01 12 00 00 04"),
    ("write opcode alone", "12", "01 12 00 00 04"),
    // Client Characteristic Configuration
    ("subscribe to notifications", "12 23 00 01 00", "13"),
    ("it reads back", "0A 23 00", "0B 01 00"),
    ("its neighbour is untouched", "0A 33 00", "0B 00 00"),
    ("subscribe to both", "12 23 00 03 00", "13"),
    ("reserved bit 2", "12 23 00 04 00", "01 12 23 00 FD"),
    ("reserved bit 8", "12 23 00 00 01", "01 12 23 00 FD"),
    ("still both", "0A 23 00", "0B 03 00"),
    ("indications where there are none", "12 33 00 02 00", "01 12 33 00 FD"),
    // The octets given are written, the rest stays (Core Vol 3 Part F 3.4.5.1).
    ("configuration of no octets", "12 23 00", "13"),
    ("changes nothing", "0A 23 00", "0B 03 00"),
    ("configuration of one", "12 23 00 01", "13"),
    ("is its low octet", "0A 23 00", "0B 01 00"),
    ("configuration of one with a reserved bit", "12 23 00 04", "01 12 23 00 FD"),
    ("nothing of it is written", "0A 23 00", "0B 01 00"),
    ("configuration of three", "12 23 00 01 00 00", "01 12 23 00 0D"),
    ("unsubscribe", "12 23 00 00 00", "13"),
    ("prepared configuration", "16 23 00 00 00 01 00", "17 23 00 00 00 01 00"),
    ("executed", "18 01", "19"),
    ("prepared reads back", "0A 23 00", "0B 01 00"),
    ("command on a configuration", "52 23 00 00 00", ""),
    ("is not taken", "0A 23 00", "0B 01 00"),
    // Prepared writes
    ("GAW/BV-05 prepare", "16 12 00 00 00 AA BB", "17 12 00 00 00 AA BB"),
    ("prepare more", "16 12 00 02 00 CC", "17 12 00 02 00 CC"),
    ("nothing is written yet", "0A 12 00", "0B 01 02 03"),
    ("execute", "18 01", "19"),
    ("long write is there", "0A 12 00", "0B AA BB CC"),
    ("prepare in the middle", "16 12 00 01 00 99", "17 12 00 01 00 99"),
    ("execute in the middle", "18 01", "19"),
    ("the rest stays", "0A 12 00", "0B AA 99 CC"),
    ("prepare to cancel", "16 12 00 00 00 00", "17 12 00 00 00 00"),
    ("GAW/BV-07 cancel", "18 00", "19"),
    ("nothing left to execute", "18 01", "19"),
    ("canceled is not written", "0A 12 00", "0B AA 99 CC"),
    ("prepare behind the end", "16 12 00 05 00 01", "17 12 00 05 00 01"),
    ("GAW/BI-09 gap in the value", "18 01", "01 18 12 00 07"),
    ("the queue is empty after an error", "18 01", "19"),
    (
        "prepare up to the length", "16 12 00 03 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12",
        "17 12 00 03 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12"
    ),
    ("GAW/BI-33 too long", "18 01", "01 18 12 00 0D"),
    ("offset FFFF", "16 12 00 FF FF 01", "17 12 00 FF FF 01"),
    ("offset FFFF executed", "18 01", "01 18 12 00 07"),
    ("GAW/BI-07 prepare in a gap", "16 02 00 00 00 01", "01 16 02 00 01"),
    ("GAW/BI-08 prepare what cannot be written", "16 22 00 00 00 01", "01 16 22 00 03"),
    ("prepare a declaration", "16 11 00 00 00 01", "01 16 11 00 03"),
    ("prepare nothing", "16 12 00 00 00", "17 12 00 00 00"),
    ("flags 2 empty the queue too", "18 02", "01 18 00 00 04"),
    ("flags FF", "18 FF", "01 18 00 00 04"),
    ("nothing was executed", "18 01", "19"),
    ("and nothing written", "0A 12 00", "0B AA 99 CC"),
    ("prepare short", "16 12 00 00", "01 16 00 00 04"),
    ("execute short", "18", "01 18 00 00 04"),
    ("execute long", "18 01 00", "01 18 00 00 04"),
    // Two handles
    ("one handle", "16 12 00 00 00 55", "17 12 00 00 00 55"),
    ("another", "16 33 00 00 00 01 00", "17 33 00 00 00 01 00"),
    ("the first again", "16 12 00 01 00 66", "17 12 00 01 00 66"),
    ("all in order", "18 01", "19"),
    ("first handle", "0A 12 00", "0B 55 66"),
    ("second handle", "0A 33 00", "0B 01 00"),
    ("good first", "16 12 00 00 00 77", "17 12 00 00 00 77"),
    ("then bad", "16 33 00 00 00 02 00", "17 33 00 00 00 02 00"),
    ("the failing handle is named", "18 01", "01 18 33 00 FD"),
    ("the good one is not written", "0A 12 00", "0B 55 66"),
    ("nor later", "18 01", "19"),
    ("half a configuration", "16 33 00 00 00 00", "17 33 00 00 00 00"),
    ("and its other half", "16 33 00 01 00 00", "17 33 00 01 00 00"),
    ("are whole", "18 01", "19"),
    ("both written", "0A 33 00", "0B 00 00"),
    ("a third octet of it", "16 33 00 02 00 00", "17 33 00 02 00 00"),
    ("is too long", "18 01", "01 18 33 00 0D"),
    ("the low octet back", "16 33 00 00 00 01", "17 33 00 00 00 01"),
    ("alone", "18 01", "19"),
    ("it is there", "0A 33 00", "0B 01 00"),
    // Commands and silence
    ("GAW/BV-01 write command to what takes none", "52 12 00 01", ""),
    ("write command to a gap", "52 02 00 01", ""),
    ("write command short", "52 12", ""),
    ("signed write", "D2 12 00 01 00 00 00 00 00 00 00 00 00 00 00 00", ""),
    ("signed write short", "D2 12 00 01", ""),
    ("UNS/BI-01 unknown request", "3F", "01 3F 00 00 06"),
    ("UNS/BI-02 unknown command", "7F 01 02", ""),
    ("MTU short", "02 17", "01 02 00 00 04"),
    ("MTU long", "02 17 00 00", "01 02 00 00 04"),
    ("confirmation of nothing", "1E", ""),
    ("error response", "01 0A 04 00 01", ""),
    ("MTU response", "03 17 00", ""),
    ("read response", "0B 01", ""),
    ("notification", "1B 04 00 01", ""),
    ("indication", "1D 04 00 01", ""),
    ("multiple notifications", "23 04 00 01 00 01", ""),
    ("longer than the MTU", "12 12 00 " + String(repeating: "00 ", count: 21), "01 12 00 00 04"),
    ("command longer than the MTU", "52 12 00 " + String(repeating: "00 ", count: 21), ""),
    ("response longer than the MTU", "0B 12 00 " + String(repeating: "00 ", count: 21), ""),
]

/// Requests to the large table, at MTU 23.
let largeRows: [(name: String, request: String, response: String)] = [
    ("needs authentication", "0A 09 00", "01 0A 09 00 05"),
    ("needs encryption", "0A 0B 00", "01 0A 0B 00 0F"),
    ("needs authorization", "0A 0D 00", "01 0A 0D 00 08"),
    ("needs a longer key", "0A 0F 00", "01 0A 0F 00 0C"),
    ("write needs authentication", "12 09 00 01", "01 12 09 00 05"),
    ("write needs encryption", "12 0B 00 01", "01 12 0B 00 0F"),
    ("write needs authorization", "12 0D 00 01", "01 12 0D 00 08"),
    ("write needs a longer key", "12 0F 00 01", "01 12 0F 00 0C"),
    ("prepare needs encryption", "16 0B 00 00 00 01", "01 16 0B 00 0F"),
    ("blob needs authorization", "0C 0D 00 00 00", "01 0C 0D 00 08"),
    ("multiple needs authentication", "0E 11 00 09 00", "01 0E 09 00 05"),
    ("by type needs authentication", "08 01 00 FF FF 04 AA", "01 08 09 00 05"),
    ("written but not read", "0A 07 00", "01 0A 07 00 02"),
    ("sixteen fit", "12 07 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10", "13"),
    ("seventeen do not", "12 07 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11", "01 12 07 00 0D"),
    ("a list ends with another length", "08 01 00 FF FF 08 AA", "09 04 11 00 AA BB 13 00 CC DD"),
    ("a list ends with a later error", "08 14 00 FF FF 08 AA", "09 03 15 00 EE"),
    ("an application's error on the first", "08 16 00 FF FF 08 AA", "01 08 17 00 80"),
    ("an application's read error", "0A 17 00", "01 0A 17 00 80"),
    ("in a blob", "0C 17 00 00 00", "01 0C 17 00 80"),
    ("in a multiple", "0E 11 00 17 00", "01 0E 17 00 80"),
    ("an application's write error 9F", "12 1F 00 01", "01 12 1F 00 9F"),
    ("when executed", "16 1F 00 00 00 01", "17 1F 00 00 00 01"),
    ("names its handle", "18 01", "01 18 1F 00 9F"),
    ("GAW/BV-01 write command", "52 19 00 AB", ""),
    ("write command refused by length", "52 03", ""),
    ("write only where commands are", "0A 19 00", "01 0A 19 00 02"),
    ("secondary service", "10 01 00 FF FF 01 28", "11 06 20 00 21 00 80 AA"),
    ("primary ends before the secondary", "10 01 00 FF FF 00 28", "11 06 01 00 1F 00 00 AA"),
    ("GAD/BV-03 includes", "08 01 00 FF FF 02 28", "09 08 21 00 01 00 1F 00 00 AA"),
    ("descriptors", "04 1E 00 1F 00", "05 01 1E 00 02 29 1F 00 01 29"),
    ("secondary by value", "06 01 00 FF FF 01 28 80 AA", "07 20 00 21 00"),
    ("notifications where only indications are", "12 1E 00 01 00", "01 12 1E 00 FD"),
    ("FindByTypeValue skips what is not readable", "06 01 00 FF FF 04 AA", "01 06 01 00 0A"),
]

@Suite struct AttributeTables {
    @Test func everyRowOfTheSparseTable() {
        let phone = Phone.connected()
        phone.application.values = [0x12: [1, 2, 3], 0x32: [0x64]]
        for row in sparseRows { #expect(phone.att(row.request) == text(octets(row.response)), "\(row.name)") }
        #expect(phone.isConnected)
        #expect(phone.application.writes.allSatisfy { !$0.isCommand })
    }

    @Test func everyRowOfTheLargeTable() {
        let phone = Phone.connected(Database.large())
        phone.application.values = [0x11: [0xAA, 0xBB], 0x13: [0xCC, 0xDD], 0x15: [0xEE]]
        phone.application.readErrors = [0x17: ATTError(rawValue: 0x80)]
        phone.application.writeErrors = [0x1F: ATTError(rawValue: 0x9F)]
        for row in largeRows { #expect(phone.att(row.request) == text(octets(row.response)), "\(row.name)") }
        #expect(phone.application.writes.contains { $0.handle == 0x19 && $0.value == [0xAB] && $0.isCommand })
    }

    /// Nothing lies at the first handle of all: what is looked for from there on begins with the first there is.
    @Test func aTableThatBeginsLater() {
        var table = AttributeTable()
        do {
            try table.addService(UUID(0xAA00), at: 0x0010)
            try table.addCharacteristic(UUID(0xAA01), .read)
        } catch { Issue.record("\(error)") }
        let phone = Phone.connected(table)
        #expect(phone.att("04 01 00 FF FF") == "05 01 10 00 00 28 11 00 03 28 12 00 01 AA")
        #expect(phone.att("10 0F 00 FF FF 00 28") == "11 06 10 00 12 00 00 AA")
        #expect(phone.att("08 11 00 FF FF 03 28") == "09 07 11 00 02 12 00 01 AA")
        #expect(phone.att("04 01 00 0F 00") == "01 04 01 00 0A")
        for handle in [0x00, 0x01, 0x0F, 0x13] as [UInt8] {
            #expect(phone.att([0x0A, handle, 0]) == text([0x01, 0x0A, handle, 0, 0x01]))
        }
    }

    @Test(arguments: [0x80, 0x9F, 0xFC, 0xFD, 0xFF] as [UInt8])
    func applicationErrorsReachTheClient(code: UInt8) {
        let phone = Phone.connected()
        phone.application.writeErrors[0x12] = ATTError(rawValue: code)
        phone.application.readErrors[0x12] = ATTError(rawValue: code)
        #expect(phone.att([0x12, 0x12, 0, 1]) == text([0x01, 0x12, 0x12, 0, code]))
        #expect(phone.att([0x0A, 0x12, 0]) == text([0x01, 0x0A, 0x12, 0, code]))
    }

    @Test func everyOpcodeAloneHasItsAnswerOrSilence() {
        let phone = Phone.connected()
        let known: Set<UInt8> = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20]
        let silent: Set<UInt8> = [
            0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x1E, 0x21, 0x23,
        ]
        for opcode in UInt8.min ... .max {
            let answer = phone.att([opcode])
            if known.contains(opcode) {
                #expect(answer == text([0x01, opcode, 0, 0, 0x04]))
            } else if silent.contains(opcode) || opcode & 0x40 != 0 {
                #expect(answer == "")
            } else {
                #expect(answer == text([0x01, opcode, 0, 0, 0x06]))
            }
        }
        #expect(phone.att([]) == "")
        #expect(phone.counters[.attributeEmpty] == 1)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }
}
