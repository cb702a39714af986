import Testing

@testable import Devices

@Suite struct DoorMonikerTests {
    @Test("every part of a door has its line, polarity and bias")
    func whole() throws {
        let text =
            "gpio:/dev/gpiochip0/lock=5,second=OUT:low,contact=7:low:pull-up,tamper=8:pull-down,exit=9,"
            + "emergency=10:low,supervisor=11,list=12,code=13"
        guard case .gpio(let wiring) = try DoorMoniker(text) else { return #expect(Bool(false)) }
        #expect(wiring.chip == "/dev/gpiochip0")
        #expect(wiring.outputs.count == 2 && wiring.inputs.count == 7)
        #expect(wiring.outputs[.lock]?.line == .offset(5) && wiring.outputs[.lock]?.isActiveLow == false)
        #expect(wiring.outputs[.second]?.line == .name("OUT") && wiring.outputs[.second]?.isActiveLow == true)
        #expect(wiring.inputs[.contact]?.isActiveLow == true && wiring.inputs[.contact]?.bias == .pullUp)
        #expect(wiring.inputs[.tamper]?.isActiveLow == false && wiring.inputs[.tamper]?.bias == .pullDown)
        #expect(wiring.inputs[.emergency]?.isActiveLow == true && wiring.inputs[.emergency]?.bias == .asItIs)
        #expect(try DoorMoniker("log:") == .log)
        guard case .gpio(let least) = try DoorMoniker("gpio:chip/lock=0") else { return #expect(Bool(false)) }
        #expect(least.inputs.isEmpty)
    }

    @Test(
        "what is no door is refused, by the part at fault",
        arguments: [
            ("gpio:lock=5", .missing("lines")), ("gpio:/lock=5", .missing("chip")), ("gpio:chip/contact=5", .missing("lock")),
            ("gpio:chip/lock=", .missing("lock")), ("gpio:chip/lock=:low", .missing("lock")), ("gpio:chip/lock", .unexpected("lock")),
            ("gpio:chip/lock=5,bell=6", .unexpected("bell=6")), ("gpio:chip/lock=5,lock=6", .repeated("lock")),
            ("gpio:chip/lock=5,contact=5", .repeated("5")), ("gpio:chip/lock=A,second=A:low", .repeated("A")),
            ("gpio:chip/lock=70000", .badNumber("70000")), ("gpio:chip/lock=5:high", .unexpected("lock=5:high: high")),
            ("gpio:chip/lock=5:pull-up", .unexpected("lock=5:pull-up: pull-up")),
            ("gpio:chip/lock=5,exit=6:pull-up:low", .unexpected("exit=6:pull-up:low: low")),
            ("gpio:chip/lock=5,exit=6:", .unexpected("exit=6:: ")), ("gpio:chip/lock=5,", .unexpected("")),
            ("log:x", .unexpected("x")), ("terminal:", .unknownScheme("terminal", known: ["gpio", "log"])),
        ] as [(String, MonikerError)])
    func refused(text: String, error: MonikerError) {
        #expect(throws: error) { try DoorMoniker(text) }
    }

    @Test("a sounder is a buzzer's line, a PWM channel, or words")
    func sounders() throws {
        guard case .gpio(let chip, let wired) = try SounderMoniker("gpio:gpiochip0/buzzer=13:low") else { return #expect(Bool(false)) }
        #expect(chip == "gpiochip0" && wired.line == .offset(13) && wired.isActiveLow)
        #expect(try SounderMoniker("pwm:/sys/class/pwm/pwmchip0/pwm0") == .pwm(channel: "/sys/class/pwm/pwmchip0/pwm0"))
        #expect(try SounderMoniker("log:") == .log)
    }

    @Test(
        "what is no sounder is refused",
        arguments: [
            ("gpio:buzzer=13", .missing("buzzer")), ("gpio:/buzzer=13", .missing("chip")), ("gpio:chip/horn=13", .missing("buzzer")),
            ("gpio:chip/buzzer=13:pull-up", .unexpected("buzzer=13:pull-up: pull-up")), ("pwm:", .missing("path")),
            ("pwm:relative/pwm0", .unexpected("relative/pwm0")), ("pwm:/sys/pwm0/", .unexpected("/sys/pwm0/")),
            ("alsa:default", .unknownScheme("alsa", known: ["gpio", "pwm", "log"])),
        ] as [(String, MonikerError)])
    func refusedSounder(text: String, error: MonikerError) {
        #expect(throws: error) { try SounderMoniker(text) }
    }

    @Test("a chip that is not there is named")
    func noChip() throws {
        #expect(throws: DoorLinesError.noSuchChip("no-such-chip")) { try DoorMoniker("gpio:no-such-chip/lock=1,exit=2").makeDoor() }
        #expect(throws: SounderError.noSuchChip("no-such-chip")) { try SounderMoniker("gpio:no-such-chip/buzzer=1").makeSounder() }
    }
}
