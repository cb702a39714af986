import Devices
import Door

/// What a gate takes of its board before all that takes time: the lock of a gate that died is closed from here on, in an emergency until
/// the loop turns, and its lamps are dark, whatever becomes of this one.
struct BoardPanels {
    let door: DoorPanel?
    let lights: LightsPanel
    let sound: SoundPanel?

    /// The lock first: a lamp that is named to hang on one of its lines is refused by the kernel.
    init(_ configuration: ApplianceConfiguration) throws(ConfigurationError) {
        let links = configuration.links
        door = try Self.makeDoor(links, configuration.site.door)
        lights = try opened("--lights") { () throws(LightsError) in
            try LightsPanel(report: say) { () throws(LightsError) in try links.makeLights() }
        }
        sound = try Self.makeSound(links)
    }

    private static func makeDoor(_ links: DeviceLinks, _ settings: DoorSettings) throws(ConfigurationError) -> DoorPanel? {
        guard let moniker = links.door else { return nil }
        return try opened("--door") { () throws(DoorLinesError) in
            try DoorPanel(settings, report: say) { () throws(DoorLinesError) in try moniker.makeDoor() }
        }
    }

    private static func makeSound(_ links: DeviceLinks) throws(ConfigurationError) -> SoundPanel? {
        guard let moniker = links.sound else { return nil }
        return try opened("--sound") { () throws(SounderError) in
            try SoundPanel(report: say) { () throws(SounderError) in try links.makeSounder(moniker) }
        }
    }
}
