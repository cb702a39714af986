import Devices
import Testing

@testable import Appliance

private func taken(door: String, lights: String = "log:", sound: String? = nil) throws -> String? {
    var named = DeviceLinks.Named()
    named.door = try DoorMoniker(door)
    named.lights = try LightsMoniker(lights)
    named.sound = try sound.map { text throws(MonikerError) in try SounderMoniker(text) }
    return DeviceLinks(named, LoadedSite(), nil).takenFromDoor
}

/// A lamp that is lit by a low line is dark by a high one: on the lock's line it would open the door at the start.
@Test func noLampAndNoBuzzerIsOnALineOfTheDoor() throws {
    let door = "gpio:gpiochip0/lock=5,contact=DOOR:low"
    #expect(
        try taken(door: door, lights: "gpio:gpiochip0/accept=4,reject=5,active-low")
            == "--lights: the reject lamp is on line 5 of gpiochip0, the door's lock")
    // A chip by its name and by its path.
    #expect(try taken(door: door, lights: "gpio:/dev/gpiochip0/accept=5,reject=6") != nil)
    #expect(
        try taken(door: door, sound: "gpio:gpiochip0/buzzer=DOOR") == "--sound: the buzzer is on line DOOR of gpiochip0, the door's contact"
    )
    #expect(try taken(door: door, lights: "gpio:gpiochip0/accept=4,reject=6", sound: "gpio:gpiochip0/buzzer=13") == nil)
    #expect(try taken(door: door, lights: "gpio:gpiochip1/accept=5,reject=6") == nil)
    #expect(try taken(door: "log:", lights: "gpio:gpiochip0/accept=5,reject=6") == nil)
}
