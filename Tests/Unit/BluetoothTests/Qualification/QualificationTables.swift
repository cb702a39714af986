import Testing

@testable import Bluetooth

private let tail = Database.tail

/// One qualification case on one database: requests and their answers on a link of their own; nothing stands for silence.
struct Case: CustomTestStringConvertible {
    let id: String
    let steps: [(request: String, response: String)]

    init(_ id: String, _ steps: (String, String)...) {
        self.id = id
        self.steps = steps.map { ($0.0, $0.1) }
    }

    var testDescription: String { id }
}

/// Of the islands (`Database.islands`), at MTU 23 unless a row changes it. Groups as in the test suite of GATT.
let islandCases: [Case] = [
    Case("GATT/SR/GAC/BV-01-C exchange MTU", ("02 64 00", "03 05 02"), ("0A 04 02", "0B " + count(0x00, 40))),
    // Discovery
    Case(
        "GATT/SR/GAD/BV-01-C all primary services",
        ("10 01 00 FF FF 00 28", "11 06 01 00 03 00 00 18 00 02 12 03 10 AA"),
        ("10 13 03 FF FF 00 28", "11 14 00 40 00 40 C2 \(tail)"),
        ("10 01 40 FF FF 00 28", "11 06 00 80 0C 80 10 AA"),
        ("10 0D 80 FF FF 00 28", "01 10 0D 80 0A")),
    Case(
        "GATT/SR/GAD/BV-02-C primary services by UUID",
        ("06 01 00 FF FF 00 28 10 AA", "07 00 02 12 03 00 80 0C 80"),
        ("06 0D 80 FF FF 00 28 10 AA", "01 06 0D 80 0A"),
        ("06 01 00 FF FF 00 28 C2 \(tail)", "07 00 40 00 40"),
        ("06 01 00 FF FF 00 28 77 77", "01 06 01 00 0A"),
        ("06 01 00 FF FF 00 28 C0 \(tail)", "01 06 01 00 0A"),
        ("06 01 00 FF FF 01 28 C0 \(tail)", "07 00 01 02 01")),
    Case(
        "GATT/SR/GAD/BV-03-C included services, the 128-bit one read from itself",
        ("08 00 02 12 03 02 28", "09 06 01 02 00 01 02 01"),
        ("0A 00 01", "0B C0 \(tail)"),
        ("08 02 02 12 03 02 28", "09 08 02 02 01 00 03 00 00 18"),
        ("08 03 02 12 03 02 28", "01 08 03 02 0A")),
    Case(
        "GATT/SR/GAD/BV-04-C all characteristics of a service",
        ("08 00 02 12 03 03 28", "09 07 03 02 0A 04 02 11 AA"),
        ("08 04 02 12 03 03 28", "09 15 00 03 30 10 03 C1 \(tail)"),
        ("08 01 03 12 03 03 28", "01 08 01 03 0A")),
    Case(
        "GATT/SR/GAD/BV-05-C characteristics by UUID, as many a response as fit",
        ("08 00 80 0C 80 03 28", "09 07 01 80 0A 02 80 14 AA 03 80 0A 04 80 15 AA 05 80 0A 06 80 16 AA"),
        ("08 06 80 0C 80 03 28", "09 07 07 80 0A 08 80 17 AA 09 80 86 0A 80 18 AA"),
        ("08 0A 80 0C 80 03 28", "01 08 0A 80 0A")),
    Case("a service without characteristics", ("08 00 40 00 40 03 28", "01 08 00 40 0A"), ("04 01 40 FF 7F", "01 04 01 40 0A")),
    Case(
        "secondary services are a group", ("10 01 00 FF FF 01 28", "11 14 00 01 02 01 C0 \(tail)"),
        ("10 03 01 FF FF 01 28", "01 10 03 01 0A")),
    Case(
        "a characteristic's group ends with its last descriptor (Part G 2.5.3)",
        ("06 01 00 FF FF 03 28 0A 04 02 11 AA", "07 03 02 06 02"),
        ("06 01 00 FF FF 03 28 86 0A 80 18 AA", "07 09 80 0C 80"),
        ("06 01 00 FF FF 03 28 02 03 00 00 2A", "07 02 00 03 00")),
    Case(
        "GATT/SR/GAD/BV-06-C all descriptors",
        ("04 05 02 06 02", "05 01 05 02 01 29 06 02 12 AA"),
        ("04 11 03 12 03", "05 01 11 03 01 29 12 03 02 29"),
        ("04 0B 80 0C 80", "05 01 0B 80 00 29 0C 80 19 AA"),
        ("04 13 03 FF 3F", "01 04 13 03 0A")),
    // Reading
    Case("GATT/SR/GAR/BV-01-C read", ("0A 03 00", "0B 47 61 74 65")),
    Case("GATT/SR/GAR/BI-01-C read not permitted", ("0A 10 03", "01 0A 10 03 02")),
    Case(
        "GATT/SR/GAR/BI-02-C invalid handle", ("0A 04 00", "01 0A 04 00 01"), ("0A 00 00", "01 0A 00 00 01"),
        ("0A FF FF", "01 0A FF FF 01")),
    Case("GATT/SR/GAR/BI-03-C authorization", ("0A 02 80", "01 0A 02 80 08")),
    Case("GATT/SR/GAR/BI-04-C authentication", ("0A 04 80", "01 0A 04 80 05")),
    Case("GATT/SR/GAR/BI-05-C key size", ("0A 06 80", "01 0A 06 80 0C")),
    Case("read, encryption", ("0A 08 80", "01 0A 08 80 0F")),
    Case(
        "GATT/SR/GAR/BV-03-C read by UUID", ("08 01 00 FF FF 00 2A", "09 06 03 00 47 61 74 65"),
        ("08 01 00 FF FF 29 2A", "09 05 02 01 49 6F 6E"),
        ("08 01 00 FF FF FB 34 9B 5F 80 00 00 80 00 10 00 00 29 2A 00 00", "09 05 02 01 49 6F 6E")),
    Case("GATT/SR/GAR/BI-06-C by UUID, read not permitted", ("08 01 00 FF FF C1 \(tail)", "01 08 10 03 02")),
    Case("GATT/SR/GAR/BI-07-C by UUID, not found", ("08 01 00 FF FF 77 77", "01 08 01 00 0A")),
    Case("GATT/SR/GAR/BI-08-C by UUID, invalid range", ("08 02 00 01 00 00 28", "01 08 02 00 01")),
    Case("GATT/SR/GAR/BI-09-C by UUID, authorization", ("08 01 00 FF FF 14 AA", "01 08 02 80 08")),
    Case("GATT/SR/GAR/BI-10-C by UUID, authentication", ("08 01 00 FF FF 15 AA", "01 08 04 80 05")),
    Case("GATT/SR/GAR/BI-11-C by UUID, key size", ("08 01 00 FF FF 16 AA", "01 08 06 80 0C")),
    Case("by UUID, encryption", ("08 01 00 FF FF 17 AA", "01 08 08 80 0F")),
    Case(
        "GATT/SR/GAR/BV-04-C long value", ("0A 04 02", "0B " + count(0x00, 22)), ("0C 04 02 16 00", "0D " + count(0x16, 18)),
        ("0C 04 02 28 00", "0D")),
    Case("GATT/SR/GAR/BI-12-C long, read not permitted", ("0C 10 03 00 00", "01 0C 10 03 02")),
    Case("GATT/SR/GAR/BI-13-C long, invalid offset", ("0C 04 02 29 00", "01 0C 04 02 07"), ("0C 03 00 05 00", "01 0C 03 00 07")),
    Case("GATT/SR/GAR/BI-14-C long, invalid handle", ("0C 04 00 00 00", "01 0C 04 00 01")),
    Case("GATT/SR/GAR/BI-15-C long, authorization", ("0C 02 80 00 00", "01 0C 02 80 08")),
    Case("GATT/SR/GAR/BI-16-C long, authentication", ("0C 04 80 00 00", "01 0C 04 80 05")),
    Case("GATT/SR/GAR/BI-17-C long, key size", ("0C 06 80 00 00", "01 0C 06 80 0C")),
    Case("GATT/SR/GAR/BV-05-C multiple", ("0E 03 00 02 01", "0F 47 61 74 65 49 6F 6E")),
    Case("GATT/SR/GAR/BI-18-C multiple, read not permitted", ("0E 03 00 10 03", "01 0E 10 03 02")),
    Case("GATT/SR/GAR/BI-19-C multiple, invalid handle", ("0E 03 00 04 00", "01 0E 04 00 01")),
    Case("GATT/SR/GAR/BI-20-C multiple, authorization", ("0E 03 00 02 80", "01 0E 02 80 08")),
    Case("GATT/SR/GAR/BI-21-C multiple, authentication", ("0E 03 00 04 80", "01 0E 04 80 05")),
    Case("GATT/SR/GAR/BI-22-C multiple, key size", ("0E 03 00 06 80", "01 0E 06 80 0C")),
    Case(
        "GATT/SR/GAR/BV-06-C descriptors", ("0A 05 02", "0B 4E 61 6D 65"), ("0A 12 03", "0B 00 00"), ("0A 0B 80", "0B 01 00"),
        ("0A 0C 80", "01 0A 0C 80 02")),
    Case("GATT/SR/GAR/BV-07-C long descriptor", ("0A 06 02", "0B " + count(0x80, 22)), ("0C 06 02 16 00", "0D 96 97 98")),
    Case("GATT/SR/GAR/BV-08-C behind a long descriptor", ("0C 06 02 16 00", "0D 96 97 98"), ("0C 06 02 19 00", "0D")),
    Case("GATT/SR/GAR/BV-09-C variable", ("20 03 00 02 01", "21 04 00 47 61 74 65 03 00 49 6F 6E")),
    Case("GATT/SR/GAR/BI-36-C variable, read not permitted", ("20 03 00 10 03", "01 20 10 03 02")),
    Case("GATT/SR/GAR/BI-38-C variable, invalid handle", ("20 03 00 04 00", "01 20 04 00 01")),
    Case("GATT/SR/GAR/BI-40-C variable, authorization", ("20 03 00 02 80", "01 20 02 80 08")),
    Case("GATT/SR/GAR/BI-42-C variable, authentication", ("20 03 00 04 80", "01 20 04 80 05")),
    Case("GATT/SR/GAR/BI-44-C variable, key size", ("20 03 00 06 80", "01 20 06 80 0C")),
    Case(
        "variable is cut within a value, never within a length (Part F 3.4.4.12)",
        ("20 03 00 06 02", "21 04 00 47 61 74 65 19 00 " + count(0x80, 14)),
        ("20 03 00 02 01 02 01 02 01 03 00", "21 04 00 47 61 74 65 03 00 49 6F 6E 03 00 49 6F 6E 03 00 49 6F 6E")),
    // Writing
    Case("GATT/SR/GAW/BV-01-C write command", ("52 0A 80 AB", ""), ("0A 0A 80", "0B AB")),
    Case("GATT/SR/GAW/BV-03-C write", ("12 04 02 01 02 03", "13"), ("0A 04 02", "0B 01 02 03")),
    Case("GATT/SR/GAW/BI-02-C invalid handle", ("12 04 00 01", "01 12 04 00 01"), ("12 00 00 01", "01 12 00 00 01")),
    Case("GATT/SR/GAW/BI-03-C write not permitted", ("12 03 00 01", "01 12 03 00 03"), ("12 00 40 01", "01 12 00 40 03")),
    Case("GATT/SR/GAW/BI-04-C authorization", ("12 02 80 01", "01 12 02 80 08")),
    Case("GATT/SR/GAW/BI-05-C authentication", ("12 04 80 01", "01 12 04 80 05")),
    Case("GATT/SR/GAW/BI-06-C key size", ("12 06 80 01", "01 12 06 80 0C")),
    Case("write, encryption", ("12 08 80 01", "01 12 08 80 0F")),
    Case(
        "GATT/SR/GAW/BV-05-C long write",
        ("16 04 02 00 00 \(count(0xD0, 18))", "17 04 02 00 00 \(count(0xD0, 18))"),
        ("16 04 02 12 00 \(count(0xE2, 7))", "17 04 02 12 00 \(count(0xE2, 7))"),
        ("18 01", "19"), ("0A 04 02", "0B \(count(0xD0, 18)) \(count(0xE2, 4))"), ("0C 04 02 16 00", "0D E6 E7 E8")),
    Case("GATT/SR/GAW/BI-07-C long, invalid handle", ("16 04 00 00 00 01", "01 16 04 00 01"), ("18 00", "19")),
    Case("GATT/SR/GAW/BI-08-C long, write not permitted", ("16 03 00 00 00 01", "01 16 03 00 03"), ("18 00", "19")),
    Case("GATT/SR/GAW/BI-09-C long, invalid offset", ("16 04 02 29 00 01", "17 04 02 29 00 01"), ("18 01", "01 18 04 02 07")),
    Case("GATT/SR/GAW/BI-11-C long, authorization", ("16 02 80 00 00 01", "01 16 02 80 08"), ("18 00", "19")),
    Case("GATT/SR/GAW/BI-12-C long, authentication", ("16 04 80 00 00 01", "01 16 04 80 05"), ("18 00", "19")),
    Case("GATT/SR/GAW/BI-13-C long, key size", ("16 06 80 00 00 01", "01 16 06 80 0C"), ("18 00", "19")),
    Case("long, encryption", ("16 08 80 00 00 01", "01 16 08 80 0F"), ("18 00", "19")),
    Case(
        "GATT/SR/GAW/BV-06-C reliable writes",
        ("16 04 02 00 00 01 02 03", "17 04 02 00 00 01 02 03"), ("16 0A 80 00 00 04 05", "17 0A 80 00 00 04 05"),
        ("0A 0A 80", "0B"), ("18 01", "19"), ("0A 04 02", "0B 01 02 03"), ("0A 0A 80", "0B 04 05")),
    Case(
        "GATT/SR/GAW/BV-10-C nested long reliable writes",
        ("16 04 02 00 00 01 02 03", "17 04 02 00 00 01 02 03"), ("16 06 02 00 00 11 12 13", "17 06 02 00 00 11 12 13"),
        ("16 04 02 03 00 04 05 06", "17 04 02 03 00 04 05 06"), ("16 06 02 03 00 14 15 16", "17 06 02 03 00 14 15 16"),
        ("18 01", "19"), ("0A 04 02", "0B 01 02 03 04 05 06"), ("0A 06 02", "0B 11 12 13 14 15 16")),
    Case("GATT/SR/GAW/BV-11-C nothing prepared", ("18 01", "19"), ("18 00", "19")),
    Case(
        "GATT/SR/GAW/BV-07-C cancel", ("16 04 02 00 00 01 02 03", "17 04 02 00 00 01 02 03"), ("18 00", "19"), ("18 01", "19"),
        ("0A 04 02", "0B " + count(0x00, 22))),
    Case("GATT/SR/GAW/BV-08-C write a descriptor", ("12 06 02 AA BB", "13"), ("0A 06 02", "0B AA BB")),
    Case(
        "GATT/SR/GAW/BV-09-C long write of a descriptor",
        ("16 06 02 00 00 \(count(0x30, 18))", "17 06 02 00 00 \(count(0x30, 18))"), ("16 06 02 12 00 42", "17 06 02 12 00 42"),
        ("18 01", "19"), ("0A 06 02", "0B " + count(0x30, 19))),
    Case("GATT/SR/GAW/BI-32-C value too long", ("12 0A 80 01 02 03 04 05", "01 12 0A 80 0D"), ("12 0A 80 01 02 03 04", "13")),
    Case(
        "GATT/SR/GAW/BI-33-C long value too long",
        ("16 0A 80 00 00 01 02 03", "17 0A 80 00 00 01 02 03"), ("16 0A 80 03 00 04 05", "17 0A 80 03 00 04 05"),
        ("18 01", "01 18 0A 80 0D"), ("0A 0A 80", "0B")),
    Case("a command's value too long is ignored", ("52 0A 80 01 02 03 04 05", ""), ("0A 0A 80", "0B")),
    Case(
        "a configuration is set behind another descriptor", ("12 12 03 03 00", "13"), ("0A 12 03", "0B 03 00"),
        ("12 12 03 04 00", "01 12 12 03 FD"), ("12 12 03 01 00 00", "01 12 12 03 0D")),
    // Unsupported
    Case("GATT/SR/UNS/BI-01-C unsupported request", ("3F", "01 3F 00 00 06"), ("22 01", "01 22 00 00 06"), ("0A 03 00", "0B 47 61 74 65")),
    Case("GATT/SR/UNS/BI-02-C unsupported command", ("7F 01 02", ""), ("D0", ""), ("0A 03 00", "0B 47 61 74 65")),
]

/// Of the table that ends with the last handle (`Database.last`).
let lastCases: [Case] = [
    Case("GATT/SR/GAC/BV-01-C exchange MTU", ("02 00 02", "03 05 02"), ("0A FF FF", "0B 45 4E 44")),
    Case(
        "GATT/SR/GAD/BV-01-C all primary services",
        ("10 01 00 FF FF 00 28", "11 06 01 00 03 00 00 18 F8 FF FF FF 20 AA"), ("10 F9 FF FF FF 00 28", "01 10 F9 FF 0A")),
    Case(
        "GATT/SR/GAD/BV-02-C primary services by UUID", ("06 01 00 FF FF 00 28 20 AA", "07 F8 FF FF FF"),
        ("06 FF FF FF FF 00 28 20 AA", "01 06 FF FF 0A")),
    Case("GATT/SR/GAD/BV-03-C no included services", ("08 F8 FF FF FF 02 28", "01 08 F8 FF 0A")),
    Case(
        "GATT/SR/GAD/BV-04-C all characteristics", ("08 F8 FF FF FF 03 28", "09 07 F9 FF 02 FA FF 21 AA FE FF 0A FF FF 22 AA"),
        ("08 FF FF FF FF 03 28", "01 08 FF FF 0A")),
    Case(
        "GATT/SR/GAD/BV-06-C all descriptors", ("04 FB FF FD FF", "05 01 FB FF 04 29 FC FF 05 29 FD FF 04 29"),
        ("04 FF FF FF FF", "05 01 FF FF 22 AA")),
    Case(
        "the last characteristic's group", ("06 01 00 FF FF 03 28 0A FF FF 22 AA", "07 FE FF FF FF"),
        ("06 01 00 FF FF 03 28 02 FA FF 21 AA", "07 F9 FF FD FF")),
    Case("GATT/SR/GAR/BV-01-C read", ("0A FF FF", "0B 45 4E 44")),
    Case("GATT/SR/GAR/BI-02-C invalid handle", ("0A F7 FF", "01 0A F7 FF 01")),
    Case(
        "GATT/SR/GAR/BV-03-C read by UUID", ("08 01 00 FF FF 22 AA", "09 05 FF FF 45 4E 44"),
        ("08 FF FF FF FF 22 AA", "09 05 FF FF 45 4E 44")),
    Case("GATT/SR/GAR/BI-08-C invalid range", ("08 FF FF FE FF 22 AA", "01 08 FF FF 01")),
    Case("GATT/SR/GAR/BV-04-C long value", ("0C FF FF 01 00", "0D 4E 44"), ("0C FF FF 03 00", "0D"), ("0C FF FF FF FF", "01 0C FF FF 07")),
    Case("GATT/SR/GAR/BV-05-C multiple", ("0E FF FF FA FF", "0F 45 4E 44 2A")),
    Case("GATT/SR/GAR/BV-09-C variable", ("20 FF FF FA FF", "21 03 00 45 4E 44 01 00 2A")),
    Case("GATT/SR/GPA/BV-12-C presentation formats", ("0A FB FF", "0B 04 00 AD 27 01 01 00"), ("0A FD FF", "0B 19 FE 2F 27 01 02 00")),
    Case("GATT/SR/GPA/BV-11-C aggregate format", ("0A FC FF", "0B FB FF FD FF")),
    Case("GATT/SR/GAW/BV-03-C write", ("12 FF FF 01", "13"), ("0A FF FF", "0B 01")),
    Case(
        "GATT/SR/GAW/BV-05-C long write", ("16 FF FF 00 00 01", "17 FF FF 00 00 01"), ("16 FF FF 01 00 02", "17 FF FF 01 00 02"),
        ("18 01", "19"), ("0A FF FF", "0B 01 02")),
    Case("GATT/SR/GAW/BI-09-C long, invalid offset", ("16 FF FF 00 02 01", "17 FF FF 00 02 01"), ("18 01", "01 18 FF FF 07")),
]

/// Of 16- and 128-bit UUIDs by turns (`Database.mixed`): equal lengths only, one UUID size a response.
let mixedCases: [Case] = [
    Case(
        "GATT/SR/GAD/BV-01-C all primary services",
        ("02 64 00", "03 05 02"),
        ("10 01 00 FF FF 00 28", "11 06 01 00 01 00 30 AA"), ("10 02 00 FF FF 00 28", "11 14 02 00 02 00 D0 \(tail)"),
        ("10 03 00 FF FF 00 28", "11 06 03 00 03 00 31 AA 04 00 0E 00 32 AA"), ("10 0F 00 FF FF 00 28", "01 10 0F 00 0A")),
    Case(
        "GATT/SR/GAD/BV-02-C primary services by UUID, in either form",
        ("06 01 00 FF FF 00 28 32 AA", "07 04 00 0E 00"),
        ("06 01 00 FF FF 00 28 FB 34 9B 5F 80 00 00 80 00 10 00 00 32 AA 00 00", "07 04 00 0E 00"),
        ("06 01 00 FF FF 00 28 D0 \(tail)", "07 02 00 02 00")),
    Case(
        "GATT/SR/GAD/BV-04-C all characteristics, a length a response",
        ("02 64 00", "03 05 02"),
        ("08 04 00 0E 00 03 28", "09 07 05 00 02 06 00 33 AA"),
        ("08 06 00 0E 00 03 28", "09 15 07 00 02 08 00 D1 \(tail) 09 00 02 0A 00 D1 \(tail)"),
        ("08 0A 00 0E 00 03 28", "09 07 0B 00 02 0C 00 33 AA"),
        ("08 0C 00 0E 00 03 28", "09 15 0D 00 02 0E 00 FB 34 9B 5F 80 00 00 80 00 10 00 00 33 AA 00 00"),
        ("08 0E 00 0E 00 03 28", "01 08 0E 00 0A")),
    Case(
        "GATT/SR/GAD/BV-06-C a UUID size a response",
        ("02 64 00", "03 05 02"),
        ("04 05 00 0E 00", "05 01 05 00 03 28 06 00 33 AA 07 00 03 28"), ("04 08 00 0E 00", "05 02 08 00 D1 \(tail)"),
        ("04 0B 00 0D 00", "05 01 0B 00 03 28 0C 00 33 AA 0D 00 03 28"),
        ("04 0E 00 0E 00", "05 02 0E 00 FB 34 9B 5F 80 00 00 80 00 10 00 00 33 AA 00 00")),
    Case(
        "GATT/SR/GAR/BV-03-C read by UUID, in either form, a length a response",
        ("08 01 00 FF FF 33 AA", "09 03 06 00 01"), ("08 07 00 FF FF 33 AA", "09 04 0C 00 02 03 0E 00 04 05"),
        ("08 07 00 FF FF FB 34 9B 5F 80 00 00 80 00 10 00 00 33 AA 00 00", "09 04 0C 00 02 03 0E 00 04 05"),
        ("08 01 00 FF FF D1 \(tail)", "09 02 08 00 0A 00")),
    Case("GATT/SR/GAR/BV-01-C read", ("0A 0E 00", "0B 04 05"), ("0A 08 00", "0B")),
    Case("GATT/SR/GAR/BV-05-C multiple", ("0E 06 00 08 00 0C 00", "0F 01 02 03")),
    Case("GATT/SR/GAR/BV-09-C variable", ("20 06 00 08 00 0C 00", "21 01 00 01 00 00 02 00 02 03")),
]

/// Server cases of the GATT test suite that are not run here, and why.
let casesNotRun: [(id: String, reason: String)] = [
    ("GATT/SR/GAD/BV-07-C, BV-08-C", "service discovery protocol: BR/EDR only"),
    ("GATT/SR/GAR/BI-34-C, BI-35-C", "attributes of one transport only: there is no BR/EDR"),
    ("GATT/SR/GAR/BI-45-C", "its verdict is not public; requests without waiting are in `ValueTests`"),
    ("GATT/SR/GAR/BV-11-C, BV-12-C, GAW/BV-12-C to BV-14-C, GPM/BV-01-C to BV-06-C, BV-13-C", "enhanced bearers: not offered"),
    ("GATT/SR/GAW/BV-02-C, BI-01-C, BI-36-C to BI-38-C, BI-40-C", "signed writes: no signing key without a bond; all are discarded"),
    ("GATT/SR/GAW/BI-39-C", "its verdict is not public; both writes that could be meant are above, by behaviour"),
    ("GATT/SR/GAW/BI-41-C, GAS/BV-03-C to BV-08-C", "client features and robust caching: not offered to clients without a bond"),
    ("GATT/SR/GAS/BV-02-C", "Database Hash: not offered"),
    ("GATT/SR/GAN/BV-02-C", "multiple notifications: only to clients that set a feature, which is not offered"),
    ("GATT/SR/GAN/BV-03-C, GAI/BV-02-C", "after bonding: pairing is refused"),
    ("GATT/SR/GAT/BV-01-C", "run by `PushingTests.thirtySecondsWithoutConfirmationEndTheLink`"),
    ("L2CAP/LE/CPU/BV-01-C", "run by `SignallingTests.parametersAreAskedForOnceAndByTheRules`"),
    ("L2CAP/LE/CPU/BV-02-C, BI-01-C", "of a central: what a peripheral answers is BI-02"),
    ("SM/PER, every case of a pairing that succeeds", "pairing is refused; the first request of each is below"),
]

/// So many octets that count up from `first`.
private func count(_ first: UInt8, _ number: Int) -> String { text((0..<number).map { first &+ UInt8(truncatingIfNeeded: $0) }) }

@Suite struct QualificationTables {
    /// Runs the rows on a phone and a link of their own.
    private func run(_ phone: Phone, _ rows: Case) {
        phone.application.values = [0x0204: (0..<40).map { $0 }, 0x0206: (0x80..<0x99).map { $0 }, 0xFFFF: [0x45, 0x4E, 0x44]]
        for (request, response) in rows.steps {
            #expect(phone.att(request) == text(octets(response)), "\(rows.id): \(request)")
        }
        #expect(phone.isConnected)
    }

    @Test("sparse handles, secondary and included services", arguments: islandCases) func islands(rows: Case) {
        run(.connected(Database.islands()), rows)
    }

    @Test("a service up to FFFF", arguments: lastCases) func last(rows: Case) { run(.connected(Database.last()), rows) }

    @Test("short and long UUIDs by turns", arguments: mixedCases) func mixed(rows: Case) {
        run(.connected(Database.mixed()), rows)
    }

    @Test("GATT/SR/GAN/BV-01-C notification, no bonding") func notification() {
        let phone = Phone.connected(Database.islands())
        #expect(phone.push(0x310, [1, 2, 3]) == .notSubscribed)
        #expect(phone.att("12 12 03 01 00") == "13")
        #expect(phone.push(0x310, [1, 2, 3]) == .notified)
        #expect(phone.frames(4) == [octets("1B 10 03 01 02 03")])
    }

    @Test("GATT/SR/GAI/BV-01-C indication, no bonding") func indication() {
        let phone = Phone.connected(Database.islands())
        #expect(phone.att("12 12 03 02 00") == "13")
        #expect(phone.push(0x310, [1, 2, 3]) == .indicated)
        #expect(phone.frames(4) == [octets("1D 10 03 01 02 03")])
        #expect(phone.att("1E") == "")
        #expect(phone.events.last == .confirmed)
    }

    @Test("GATT/SR/GAS/BV-01-C Service Changed is found, configured and indicated") func serviceChanged() throws {
        var table = AttributeTable()
        try table.addGenericAccess(name: octets("47").span, appearance: 0)
        try table.addGenericAttribute()
        let phone = Phone.connected(table)
        #expect(phone.att("06 01 00 FF FF 00 28 01 18") == "07 06 00 09 00")
        #expect(phone.att("08 06 00 09 00 03 28") == "09 07 07 00 20 08 00 05 2A")
        #expect(phone.att("04 09 00 09 00") == "05 01 09 00 02 29")
        #expect(phone.att("12 09 00 02 00") == "13")
        #expect(phone.push(8, octets("01 00 FF FF")) == .indicated)
        #expect(phone.frames(4) == [octets("1D 08 00 01 00 FF FF")])
        #expect(phone.att("1E") == "")
    }

    @Test("no case is both run and excused, and none is run twice on one database") func everyCaseHasOnePlace() {
        for cases in [islandCases, lastCases, mixedCases] {
            let ids = cases.map(\.id)
            #expect(Set(ids).count == ids.count)
            for id in ids where id.hasPrefix("GATT/SR/") {
                let short = id.dropFirst("GATT/SR/".count).prefix { $0 != " " }.dropLast(2)
                #expect(!casesNotRun.contains { $0.id.hasPrefix("GATT/SR/\(short)") }, "\(id)")
            }
        }
    }
}
