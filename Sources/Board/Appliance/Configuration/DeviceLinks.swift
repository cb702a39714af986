import Devices

/// The devices of a gate: named by options first, then by the site file, the board's profile, or nobody.
package struct DeviceLinks {
    package private(set) var hci = HCIMoniker.userChannel(index: 0)
    package private(set) var lights = LightsMoniker.log
    package private(set) var screen = ScreenMoniker.terminal
    package private(set) var camera: CameraMoniker?
    /// The lock and its inputs. No site file names them: nobody moves a lock to another line from afar.
    package private(set) var door: DoorMoniker?
    package private(set) var sound: SounderMoniker?
    /// Of the screen's words; English where none is named.
    package private(set) var languages: [String] = []
    /// The folder of the sheets.
    package let wordFolder: String
    /// Path of the audit log, where the profile names one.
    package let audit: String?
    package let profile: BoardProfile?
    package let site: LoadedSite
    /// The camera is named by an option or the site file.
    package let isCameraAdded: Bool

    /// What options name.
    package struct Named {
        package var hci: HCIMoniker?
        package var lights: LightsMoniker?
        package var screen: ScreenMoniker?
        package var camera: CameraMoniker?
        package var door: DoorMoniker?
        package var sound: SounderMoniker?
        package var languages: [String] = []
        package var wordFolder = "/usr/share/gatehouse/words"

        package init() {}
    }

    package init(_ named: Named, _ site: LoadedSite, _ profile: BoardProfile?) {
        let settings = site.settings
        self.site = site
        self.profile = profile
        audit = profile?.audit
        isCameraAdded = (named.camera ?? settings?.camera) != nil
        if let value = named.hci ?? settings?.hci ?? profile?.hci { hci = value }
        if let value = named.lights ?? settings?.lights ?? profile?.lights { lights = value }
        if let value = named.screen ?? settings?.screen ?? profile?.screen { screen = value }
        camera = named.camera ?? settings?.camera ?? profile?.camera
        door = named.door ?? profile?.door
        sound = named.sound ?? profile?.sound
        languages = named.languages.isEmpty ? settings?.languages ?? profile?.languages ?? [] : named.languages
        wordFolder = named.wordFolder
    }

    /// What the lamps or the sounder would take of the door's lines, in words; nil where they take none. A site file may move the lamps: on
    /// the lock's line, lit by a low level, they would open it by being dark.
    package var takenFromDoor: String? {
        if let found = lampOnDoor {
            return "--lights: the \(found.lamp.name) lamp is on line \(found.line.text) of \(found.chip), the door's \(found.part)"
        }
        return buzzerOnDoor.map { "--sound: the buzzer is on line \($0.line.text) of \($0.chip), the door's \($0.part)" }
    }

    private var lampOnDoor: (lamp: Lamp, line: GPIOLine, chip: String, part: String)? {
        guard case .gpio(let door) = door, case .gpio(let wiring) = lights else { return nil }
        for lamp in Lamp.allCases {
            guard let line = wiring.lines[lamp], let part = door.part(on: line, of: wiring.chip) else { continue }
            return (lamp, line, wiring.chip, part)
        }
        return nil
    }

    private var buzzerOnDoor: (line: GPIOLine, chip: String, part: String)? {
        guard case .gpio(let door) = door, case .gpio(let chip, let wired) = sound else { return nil }
        return door.part(on: wired.line, of: chip).map { (wired.line, chip, $0) }
    }

    /// The door's chip, where it is not there and a lamp or the sounder may be on a line of it by another name: then neither is taken
    /// before the door's lines are.
    package var doorToWaitFor: String? {
        guard case .gpio(let door) = door else { return nil }
        if case .gpio(let wiring) = lights, wiring.lines.values.contains(where: { door.isUncertain($0, of: wiring.chip) }) {
            return door.chip
        }
        if case .gpio(let chip, let wired) = sound, door.isUncertain(wired.line, of: chip) { return door.chip }
        return nil
    }

    /// Why lamps and sounder are left alone, for commands that do not wait.
    package var refusedForDoor: String? {
        if let taken = takenFromDoor { return taken }
        return doorToWaitFor.map { "the door's chip \($0) is not there, and a lamp or the buzzer may be on a line of it" }
    }

    /// Looks again: chips come a moment after the gate has started, or come back by another name, and only then is it known what their
    /// lines are. Whoever looks first, lamps or door: a lamp takes no line of the door's.
    package func makeLights() throws(LightsError) -> any Lights {
        if let chip = doorToWaitFor { throw .noSuchChip(chip) }
        if let taken = lampOnDoor { throw .lineTaken(taken.lamp, taken.line, chip: taken.chip) }
        return try lights.makeLights()
    }

    /// The same for what sounds.
    package func makeSounder(_ moniker: SounderMoniker) throws(SounderError) -> any Sounder {
        if let chip = doorToWaitFor { throw .noSuchChip(chip) }
        if let taken = buzzerOnDoor { throw .lineTaken(taken.line, chip: taken.chip) }
        return try moniker.makeSounder()
    }

    /// What the screen says, in each language in turn. Where one's sheet is missing the others speak; without any a framebuffer shows the
    /// pictograms and the codes alone, and a terminal speaks English.
    ///
    /// - Parameter report: takes one line for the person at the terminal.
    package func words(report: (String) -> Void) -> [WordSheet] {
        let found = foundWords()
        found.findings.forEach(report)
        return found.sheets
    }

    /// The sheets, and a sentence for each that is missing.
    package func foundWords() -> (sheets: [WordSheet], findings: [String]) {
        let found = WordFolder(wordFolder).found(languages.isEmpty ? ["en"] : languages)
        let isPicture = if case .framebuffer = screen { true } else { false }
        // A terminal needs no sheet for English, and nobody asked for another language.
        if !isPicture, languages.isEmpty { return (found.sheets.filter { $0.language == "en" }, []) }
        var findings = found.errors.map { "the screen lacks words: \(wordFolder): \($0)" }
        if !findings.isEmpty {
            let spoken = found.sheets.map(\.language).joined(separator: ", ")
            let without = isPicture ? "the screen has no words: pictograms and codes alone" : "the screen speaks English"
            findings.append(spoken.isEmpty ? without : "the screen speaks \(spoken)")
        }
        return (found.sheets, findings)
    }
}
