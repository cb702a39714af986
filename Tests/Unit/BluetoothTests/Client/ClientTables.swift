import Testing

@testable import Bluetooth

/// What the client asks and takes, octet by octet, under the ids of the qualification tests. GATT/CL.
@Suite struct ClientTables {
    static let uuid = Phone.serviceOctets
    static let service = ("06 01 00 FF FF 00 28 \(uuid)", "07 10 00 30 00")

    @Test("GATT/CL/GAC/BV-01-C exchange MTU: the smaller of both, never below 23, once the response is there")
    func exchangeMTU() {
        for (answer, mtu) in [("03 03 02", 515), ("03 B9 00", 185), ("03 17 00", 23), ("03 00 00", 23), ("03 FF FF", 517)] {
            let phone = Phone.asCentral()
            #expect(phone.ask(.exchangeMTU, ("02 05 02", answer)) == .mtu(UInt16(mtu)))
            #expect(phone.mtu == mtu)
        }
        let phone = Phone.asCentral()
        #expect(phone.ask(.exchangeMTU) == "02 05 02")
        #expect(phone.mtu == 23)
        // A server that does not know it: 23 stays.
        _ = phone.att("01 02 00 00 06")
        #expect(phone.outcome == .refused(.requestNotSupported))
        #expect(phone.mtu == 23)
        #expect(phone.ask(.findService(Phone.service), Self.service) == .done)
    }

    @Test("the phone asks our server for its MTU, too: there is one for both")
    func oneMTU() {
        let phone = Phone.asCentral()
        #expect(phone.ask(.exchangeMTU, ("02 05 02", "03 03 02")) == .mtu(515))
        #expect(phone.att("02 03 02") == "03 05 02")
        #expect(phone.mtu == 515)
        #expect(phone.events.last == .mtuExchanged(515))
    }

    @Test("GATT/CL/GAD/BV-02-C a service by its UUID, in 23 octets; of several the first")
    func findService() {
        let phone = Phone.asCentral()
        #expect(phone.ask(.findService(Phone.service), ("06 01 00 FF FF 00 28 \(Self.uuid)", "07 10 00 30 00 40 00 50 00")) == .done)
        #expect(phone.ask(.findService(UUID(0x180F)), ("06 01 00 FF FF 00 28 0F 18", "07 01 00 FF FF")) == .done)
        #expect(phone.ask(.findService(UUID(0x180F)), ("06 01 00 FF FF 00 28 0F 18", "01 06 01 00 0A")) == .notFound)
        #expect(phone.ask(.findService(UUID(0x180F)), ("06 01 00 FF FF 00 28 0F 18", "01 06 01 00 0E")) == .refused(.unlikely))
        // Nothing is looked for in a service that was not found.
        #expect(phone.ask(.findCharacteristics(Phone.list)) == "unknown")
        #expect(phone.ask(.findConfigurations) == "unknown")
        #expect(phone.ask(.subscribe(0)) == "unknown")
        #expect(phone.ask(.read(0)) == "unknown")
    }

    @Test("GATT/CL/GAD/BV-04-C the characteristics of a service, of both lengths, one PDU or many")
    func findCharacteristics() {
        let phone = Phone.asCentral()
        _ = phone.ask(.exchangeMTU, ("02 05 02", "03 03 02"))
        _ = phone.ask(.findService(Phone.service), Self.service)
        // All in one, then the end.
        #expect(
            phone.ask(
                .findCharacteristics(Phone.list),
                ("08 10 00 30 00 03 28", "09 07 11 00 14 12 00 01 AA 13 00 04 14 00 02 AA 15 00 10 16 00 03 AA"),
                ("08 16 00 30 00 03 28", "01 08 16 00 0A")) == .done)
        // The last value is the service's last handle: nothing more is asked.
        let long = CharacteristicList(Phone.service)
        #expect(phone.ask(.findCharacteristics(long), ("08 10 00 30 00 03 28", "09 15 2F 00 04 30 00 \(Self.uuid)")) == .done)
        // Others between, and one that is there twice: the first.
        #expect(
            phone.ask(
                .findCharacteristics(CharacteristicList(UUID(0xAA02))),
                ("08 10 00 30 00 03 28", "09 07 11 00 14 12 00 01 AA 13 00 04 14 00 02 AA"),
                ("08 14 00 30 00 03 28", "09 07 15 00 04 16 00 02 AA"), ("08 16 00 30 00 03 28", "01 08 16 00 0A")) == .done)
        #expect(phone.write(0, [7]) == .taken)
        #expect(phone.frames(4) == [octets("52 14 00 07")])
        // One is missing.
        #expect(
            phone.ask(
                .findCharacteristics(Phone.list), ("08 10 00 30 00 03 28", "09 07 11 00 14 12 00 01 AA"),
                ("08 12 00 30 00 03 28", "01 08 12 00 0A")) == .notFound)
        #expect(phone.write(1, [7]) == .unknown)
        #expect(phone.write(-1, [7]) == .unknown)
        #expect(phone.write(4, [7]) == .unknown)
        // None at all, and an error that is none of these.
        #expect(phone.ask(.findCharacteristics(Phone.list), ("08 10 00 30 00 03 28", "01 08 10 00 0A")) == .notFound)
        #expect(
            phone.ask(.findCharacteristics(Phone.list), ("08 10 00 30 00 03 28", "01 08 10 00 05")) == .refused(.insufficientAuthentication)
        )
    }

    @Test("GATT/CL/GAD/BV-06-C configurations, behind other descriptors, of both formats; where there are none")
    func findConfigurations() {
        let phone = Phone.asCentral()
        phone.discover()
        // They are known, and nothing is left to ask.
        #expect(phone.ask(.findConfigurations) == "unknown")
        let list: (String, String) = ("08 10 00 30 00 03 28", "09 07 11 00 10 12 00 01 AA 20 00 20 21 00 02 AA")
        let others = ("08 20 00 30 00 03 28", "09 07 2F 00 10 30 00 03 AA")
        let wide = Phone.asCentral()
        _ = wide.ask(.exchangeMTU, ("02 05 02", "03 03 02"))
        _ = wide.ask(.findService(Phone.service), Self.service)
        // The next declaration is asked for behind the last one, whatever handle its value has.
        #expect(wide.ask(.findCharacteristics(Phone.list), list, (others.0.replacing("20 00", with: "21 00"), others.1)) == .done)
        #expect(
            wide.ask(
                .findConfigurations, ("04 13 00 1F 00", "05 01 13 00 01 29 14 00 04 29"), ("04 15 00 1F 00", "05 02 15 00 \(Self.uuid)"),
                ("04 16 00 1F 00", "05 01 16 00 02 29 17 00 01 29"), ("04 22 00 2E 00", "01 04 22 00 0A")) == .notFound)
        // The first has one; of the second, which indicates, there is none; the third has no room for one.
        #expect(wide.ask(.subscribe(0), ("12 16 00 01 00", "13")) == .done)
        #expect(wide.ask(.subscribe(1)) == "unknown")
        #expect(wide.ask(.subscribe(2)) == "unknown")
    }

    @Test("GATT/CL/GAN/BV-01-C and GAI/BV-01-C subscribing: notifications where there are some, else indications")
    func subscribe() {
        let phone = Phone.asCentral()
        phone.discover()
        #expect(phone.ask(.subscribe(0), ("12 13 00 01 00", "13")) == .done)
        #expect(phone.ask(.subscribe(2), ("12 18 00 01 00", "01 12 18 00 0F")) == .refused(.insufficientEncryption))
        #expect(phone.ask(.subscribe(2), ("12 18 00 01 00", "01 12 18 00 FD")) == .refused(.improperConfiguration))
        #expect(phone.ask(.subscribe(1)) == "unknown")
        let other = Phone.asCentral()
        _ = other.ask(.findService(Phone.service), Self.service)
        _ = other.ask(
            .findCharacteristics(CharacteristicList(UUID(0xAA01))), ("08 10 00 30 00 03 28", "09 07 11 00 20 12 00 01 AA"),
            ("08 12 00 30 00 03 28", "01 08 12 00 0A"))
        _ = other.ask(.findConfigurations, ("04 13 00 30 00", "05 01 13 00 02 29"))
        #expect(other.ask(.subscribe(0), ("12 13 00 02 00", "13")) == .done)
    }

    @Test("GATT/CL/GAR/BV-01-C a value is read as far as it fits one PDU")
    func read() {
        let phone = Phone.asCentral()
        phone.discover()
        #expect(phone.ask(.read(1), ("0A 15 00", "0B 01 02 03")) == .done)
        #expect(phone.ask(.read(1), ("0A 15 00", "0B")) == .done)
        #expect(phone.ask(.read(0), ("0A 12 00", "01 0A 12 00 02")) == .refused(.readNotPermitted))
        #expect(phone.application.answers.map(\.index) == [1, 1])
        #expect(phone.application.answers.map(\.value) == [[1, 2, 3], []])
    }

    @Test("GATT/CL/GAW/BV-01-C a value is written by a command, whole or not at all")
    func write() {
        let phone = Phone.asCentral()
        #expect(phone.write(1, [1]) == .unknown)
        phone.discover()
        #expect(phone.write(1, [1, 2, 3]) == .taken)
        #expect(phone.write(1, []) == .taken)
        #expect(phone.write(1, [UInt8](repeating: 7, count: 20)) == .taken)
        #expect(phone.write(1, [UInt8](repeating: 7, count: 21)) == .tooLong)
        #expect(
            phone.frames(4) == [octets("52 15 00 01 02 03"), octets("52 15 00"), octets("52 15 00") + [UInt8](repeating: 7, count: 20)])
        _ = phone.ask(.exchangeMTU, ("02 05 02", "03 05 02"))
        #expect(phone.write(1, [UInt8](repeating: 7, count: 512)) == .taken)
        #expect(phone.write(1, [UInt8](repeating: 7, count: 513)) == .tooLong)
        #expect(phone.frames(4).map(\.count) == [515])
        // The lane holds one.
        #expect(phone.hand(1, [1]) == .taken)
        #expect(phone.hand(1, [2]) == .busy)
        #expect(phone.host.isDrained == false)
        phone.run()
        #expect(phone.host.isDrained == true)
        phone.disconnect()
        #expect(phone.write(1, [1]) == .notConnected)
    }

    @Test("GATT/CL/GAN/BV-01-C notifications reach the application by their index")
    func notifications() {
        let phone = Phone.asCentral()
        #expect(phone.att("1B 12 00 01") == "")
        #expect(phone.counters[.notificationUnknown] == 1)
        phone.discover()
        #expect(phone.att("1B 12 00 01 02") == "")
        #expect(phone.att("1B 17 00") == "")
        #expect(phone.att("1B 99 00 01") == "")
        #expect(phone.att("1B 00 00 01") == "")
        #expect(phone.att("1B 12") == "")
        #expect(phone.att("23 12 00 01 00 01") == "")
        #expect(phone.application.notifications.map(\.index) == [0, 2])
        #expect(phone.application.notifications.map(\.value) == [[1, 2], []])
        #expect(phone.counters[.notificationUnknown] == 4)
        #expect(phone.counters[.attributeIgnored] == 1)
        #expect(phone.counters.total == 5)
    }

    @Test("GATT/CL/GAI/BV-01-C indications are confirmed, whatever they are of")
    func indications() {
        let phone = Phone.asCentral()
        phone.discover()
        #expect(phone.att("1D 17 00 05") == "1E")
        #expect(phone.att("1D 99 00 05") == "1E")
        #expect(phone.application.notifications.map(\.index) == [2])
        // A second one before the first is confirmed breaks the protocol.
        phone.fragment(0x2000, octets("04 00 04 00 1D 17 00 06"))
        phone.fragment(0x2000, octets("04 00 04 00 1D 17 00 07"))
        phone.run()
        #expect(phone.frames(4) == [[0x1E]])
        #expect(phone.counters[.attributeBusy] == 1)
        #expect(phone.application.notifications.map(\.value) == [[5], [6]])
    }

    @Test("even opcodes are the server's and odd ones the client's, both at once")
    func parity() {
        let phone = Phone.asCentral()
        phone.discover()
        #expect(phone.ask(.read(1)) == "0A 15 00")
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        #expect(phone.att("1D 12 00 01") == "1E")
        #expect(phone.att("1E") == "")
        #expect(phone.counters[.attributeUnexpectedConfirmation] == 1)
        #expect(phone.att("52 12 00 01") == "")
        #expect(phone.att("0B 2A") == "")
        #expect(phone.outcome == .done)
        #expect(phone.application.answers.map(\.value) == [[0x2A]])
    }

    @Test("where a phone has connected there is no client")
    func peripheral() {
        let phone = Phone.connected(Database.sparse(), .centralRole)
        #expect(phone.ask(.exchangeMTU) == "notConnected")
        #expect(phone.write(0, [1]) == .notConnected)
        #expect(phone.att("1B 12 00 01") == "")
        #expect(phone.counters[.attributeIgnored] == 1)
        #expect(phone.att("25 00") == "01 25 00 00 06")
    }
}
