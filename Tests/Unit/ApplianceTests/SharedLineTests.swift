import Devices
import Testing

@testable import Appliance

private func links(door: String, lights: String = "log:", sound: String? = nil) throws -> DeviceLinks {
    var named = DeviceLinks.Named()
    named.door = try DoorMoniker(door)
    named.lights = try LightsMoniker(lights)
    named.sound = try sound.map { text throws(MonikerError) in try SounderMoniker(text) }
    return DeviceLinks(named, LoadedSite(), nil)
}

private func taken(door: String, lights: String = "log:", sound: String? = nil) throws -> String? {
    try links(door: door, lights: lights, sound: sound).takenFromDoor
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

/// What a line is may be known only when its chip comes: it is looked at each time a lamp or the buzzer is taken, whoever looks first.
@Test func neitherIsTakenLaterEither() throws {
    let door = "gpio:no-such-chip/lock=5"
    let lamps = try links(door: door, lights: "gpio:no-such-chip/accept=4,reject=5")
    #expect(throws: LightsError.lineTaken(.reject, .offset(5), chip: "no-such-chip")) { _ = try lamps.makeLights() }
    let buzzer = try links(door: door, sound: "gpio:no-such-chip/buzzer=5")
    let moniker = try #require(buzzer.sound)
    #expect(throws: SounderError.lineTaken(.offset(5), chip: "no-such-chip")) { _ = try buzzer.makeSounder(moniker) }
    let others = try links(door: door, lights: "gpio:no-such-chip/accept=4,reject=6")
    #expect(throws: LightsError.noSuchChip("no-such-chip")) { _ = try others.makeLights() }
}
