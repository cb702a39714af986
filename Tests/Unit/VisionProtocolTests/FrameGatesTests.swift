import Testing
import VisionProtocol

@Suite("What a worker is told of the gates")
struct FrameGatesTests {
    private static let gates = FrameGates(
        eyeDistance: 60, sharpness: 10.5, darkest: 40, brightest: 220, yaw: 20, pitch: 19, roll: 25, secondArea: 0.1)

    @Test("is read as it was written, octet for octet the same numbers")
    func roundTrip() {
        #expect(Self.gates.option == "60.0,10.5,40.0,220.0,20.0,19.0,25.0,0.1")
        #expect(FrameGates(option: Self.gates.option) == Self.gates)
        var odd = Self.gates
        odd.sharpness = 1.17549435e-38
        odd.eyeDistance = 123.45679
        #expect(FrameGates(option: odd.option) == odd)
        #expect(FrameGates(option: "60,10.5,40,220,20,19,25,.1") == Self.gates)
    }

    @Test(
        "is nothing unless it is eight finite numbers",
        arguments: [
            "", ",", "60", "1,2,3,4,5,6,7", "1,2,3,4,5,6,7,8,9", "1,2,3,4,5,6,7,", ",1,2,3,4,5,6,7,8", "1,2,3,4,5,6,7,8,", "1,,3,4,5,6,7,8",
            "1,2,3,4,5,6,7,nan", "1,2,3,4,5,6,7,inf", "1,2,3,4,5,6,7,1e99", "1,2,3,4,5,6,7,x", "1, 2,3,4,5,6,7,8", "1;2;3;4;5;6;7;8",
        ])
    func refusals(_ option: String) { #expect(FrameGates(option: option) == nil) }

    @Test("asks for smaller faces where a second one may be no half of the first, and never for none")
    func searched() {
        let cases: [(Float, Float)] = [(0.8, 60), (0.5, 60), (0.125, 30), (0.02, 12), (0, 1)]
        for (secondArea, searched) in cases {
            var gates = Self.gates
            gates.secondArea = secondArea
            #expect(abs(gates.searchedEyeDistance - searched) < 0.01, "\(secondArea)")
        }
    }

    @Test("refuses a frame for the first flaw, and for a second visitor before it")
    func worth() {
        var frame = FrameAssessment(status: 0)
        frame.faces = 1
        frame.eyeDistance = 61
        frame.brightness = 100
        frame.sharpness = 20
        #expect(frame.flaw(by: Self.gates) == nil && frame.isWorthComparing(by: Self.gates))
        frame.faces = 2
        frame.secondArea = 0.1
        #expect(frame.isWorthComparing(by: Self.gates))
        frame.secondArea = 0.11
        #expect(!frame.isWorthComparing(by: Self.gates))
        frame.faces = 1
        frame.roll = 26
        #expect(frame.flaw(by: Self.gates) == .leaning && !frame.isWorthComparing(by: Self.gates))
    }
}
