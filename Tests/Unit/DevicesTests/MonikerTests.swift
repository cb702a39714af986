import Testing

@testable import Devices

@Test func controllerMonikers() throws {
    #expect(try HCIMoniker("hci:0") == .userChannel(index: 0))
    #expect(try HCIMoniker("serial:/dev/ttyAMA0,3000000") == .serial(path: "/dev/ttyAMA0", baud: 3_000_000))
    #expect(try HCIMoniker("serial:/dev/ttyUSB0") == .serial(path: "/dev/ttyUSB0", baud: 115_200))
    #expect(try HCIMoniker("unix:/run/air.sock") == .unix(path: "/run/air.sock"))
    #expect(try HCIMoniker("tcp:127.0.0.1:6402") == .tcp(host: "127.0.0.1", port: 6402))
    #expect(try HCIMoniker("tcp:[::1]:6402") == .tcp(host: "::1", port: 6402))
}

@Test(arguments: [
    ("", MonikerError.noScheme("")), (":", .noScheme(":")), ("hci0", .noScheme("hci0")), ("HCI:0", .badScheme("HCI")),
    ("usb:0", .unknownScheme("usb", known: HCIMoniker.schemes)), ("log:", .unknownScheme("log", known: HCIMoniker.schemes)),
    ("hci:", .badNumber("")), ("hci:-1", .badNumber("-1")),
    ("hci:+1", .badNumber("+1")), ("hci:65535", .badNumber("65535")), ("hci:99999999999999999999", .badNumber("99999999999999999999")),
    ("serial:", .missing("path")), ("serial:,9600", .missing("path")), ("serial:/dev/x,", .badNumber("")),
    ("serial:/dev/x,1234", .badSpeed("1234")), ("serial:/dev/x,4000001", .badNumber("4000001")), ("unix:", .missing("path")),
    ("tcp:127.0.0.1", .missing("port")), ("tcp::1", .missing("host")), ("tcp:a:0", .badNumber("0")), ("tcp:a:65536", .badNumber("65536")),
    ("unix:/a\nb", .unexpected("unix:/a\nb")),
])
func badControllerMonikers(text: String, error: MonikerError) {
    #expect(throws: error) { try HCIMoniker(text) }
}

@Test func lightsMonikers() throws {
    #expect(try LightsMoniker("log:") == .log)
    #expect(try LightsMoniker("terminal:") == .terminal)
    guard case .gpio(let wiring) = try LightsMoniker("gpio:gpiochip0/accept=17,reject=27,ready=LED_READY,active-low") else {
        Issue.record("not gpio")
        return
    }
    #expect(wiring.chip == "gpiochip0")
    #expect(wiring.lines == [.accept: .offset(17), .reject: .offset(27), .ready: .name("LED_READY")])
    #expect(wiring.isActiveLow)
    guard case .gpio(let path) = try LightsMoniker("gpio:/dev/gpiochip4/accept=1,reject=2") else { return }
    #expect(path.chip == "/dev/gpiochip4")
    #expect(!path.isActiveLow)
}

@Test(arguments: [
    ("gpio:", MonikerError.missing("lines")), ("gpio:gpiochip0", .missing("lines")), ("gpio:/accept=1,reject=2", .missing("chip")),
    ("gpio:c/", .unknownLamp("")), ("gpio:c/accept=1", .missing("reject")), ("gpio:c/reject=1", .missing("accept")),
    ("gpio:c/accept=1,reject=1", .repeated("1")), ("gpio:c/accept=1,accept=2", .repeated("accept")),
    ("gpio:c/accept=,reject=2", .missing("accept")), ("gpio:c/accept=1,reject=2,door=3", .unknownLamp("door=3")),
    ("gpio:c/accept=1,reject=99999", .badNumber("99999")), ("gpio:c/accept=1,reject=2,active-low,active-low", .repeated("active-low")),
    ("log:x", .unexpected("x")), ("fb:/dev/fb0", .unknownScheme("fb", known: LightsMoniker.schemes)),
])
func badLightsMonikers(text: String, error: MonikerError) {
    #expect(throws: error) { try LightsMoniker(text) }
}

@Test func screenMonikers() throws {
    #expect(try ScreenMoniker("fb:/dev/fb0") == .framebuffer(path: "/dev/fb0"))
    #expect(try ScreenMoniker("terminal:") == .terminal)
    #expect(try ScreenMoniker("none:") == .none)
    #expect(throws: MonikerError.missing("path")) { try ScreenMoniker("fb:") }
    #expect(throws: MonikerError.unknownScheme("hci", known: ScreenMoniker.schemes)) { try ScreenMoniker("hci:0") }
}
