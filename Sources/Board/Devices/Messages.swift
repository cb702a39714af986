import Linux

/// What errors mean, for the operator.

extension MonikerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noScheme(let text): "\(text) does not begin with a scheme and a colon"
        case .badScheme(let scheme): "\(scheme): is no scheme, which has lower-case letters and digits"
        case .unknownScheme(let scheme, let known): "\(scheme): is none of \(known.map { $0 + ":" }.joined(separator: ", "))"
        case .missing(let part): "it names no \(part)"
        case .badNumber(let text): "\(text) is not a number it can be"
        case .badSpeed(let text): "\(text) is not a speed of a serial line, such as 115200, 921600, 1000000 or 3000000"
        case .unknownLamp(let text):
            "\"\(text)\" is no lamp with its line (LAMP=LINE, of \(Lamp.allCases.map(\.name.description).joined(separator: ", "))) nor active-low"
        case .unexpected(let text): "\(text) is not understood"
        case .repeated(let text): "\(text) is named twice"
        }
    }
}

extension BoardProfileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let code): "cannot be read (\(systemCause(code)))"
        case .tooLong: "is too long for a board profile"
        case .notJSON(let reason, let offset): "is not well-formed JSON: \(reason.rawValue) at octet \(offset)"
        case .notAnObject: "is not a JSON object"
        case .unknownMember(let name): "\(name) is not a member of a board profile"
        case .missingMember("face"):
            "face is missing: write whether the visitor has to be the person in the credential, required, when-photo or off"
        case .missingMember(let name): "\(name) is missing"
        case .notAString(let name): "\(name) is not a string, or is empty"
        case .badMember("face"): "face has a value it cannot have: required, when-photo or off"
        case .badMember("panelButton"): "panelButton is the line of resetButton: each button is one of its own"
        case .badMember("faceMatcher"): "faceMatcher has a value it cannot have: lower-case letters, digits and hyphens, at most 32"
        case .badMember("codes"): "codes has a value it cannot have: off, always, motion or button"
        case .badMember("languages"): "languages has a value it cannot have: one to four tags, such as en or fr,ar"
        case .badMember("power"): "power has a value it cannot have: mains or battery"
        case .badMember("name"): "name has a value it cannot have: lower-case letters, digits and hyphens, at most 64, no hyphen first"
        case .badMember(let name): "\(name) has a value it cannot have: a path from / on, without one at its end"
        case .badMoniker(let member, let error): "\(member): \(error)"
        }
    }
}

extension LightsError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSuchChip(let chip): "there is no GPIO chip \(chip) (gpiodetect lists them)"
        case .noSuchLine(let lamp, let line, let chip):
            "\(chip) has no line \(line.text), on which the \(lamp.name) lamp should hang (gpioinfo lists the lines)"
        case .lineTaken(let lamp, let line, let chip):
            "line \(line.text) of \(chip), the \(lamp.name) lamp's, is held by another program or driver (gpioinfo names it)"
        case .lineRepeated(let lamp, let line, let chip):
            "line \(line.text) of \(chip), the \(lamp.name) lamp's, is another lamp's already"
        case .notPermitted(let chip): "\(chip): not permitted: the user has to be in the group of the GPIO device"
        case .chipGone: "their GPIO chip is gone: plug it in"
        case .system(let code): "the lines cannot be had (\(systemCause(code)))"
        }
    }
}

extension DoorLinesError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSuchChip(let chip): "there is no GPIO chip \(chip) (gpiodetect lists them)"
        case .noSuchLine(let name, let line, let chip):
            "\(chip) has no line \(line.text), on which the door's \(name) should hang (gpioinfo lists the lines)"
        case .lineTaken(let name, let line, let chip):
            "line \(line.text) of \(chip), the door's \(name), is held by another program or driver (gpioinfo names it)"
        case .lineRepeated(let name, let line, let chip):
            "line \(line.text) of \(chip), the door's \(name), is another one of the door's already"
        case .notPermitted(let chip): "\(chip): not permitted: the user has to be in the group of the GPIO device"
        case .chipGone: "their GPIO chip is gone: plug it in"
        case .system(let code): "the lines cannot be had (\(systemCause(code)))"
        }
    }
}

extension SounderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSuchChip(let chip): "there is no GPIO chip \(chip) (gpiodetect lists them)"
        case .noSuchLine(let line, let chip): "\(chip) has no line \(line.text), on which the buzzer should hang (gpioinfo lists the lines)"
        case .lineTaken(let line, let chip):
            "line \(line.text) of \(chip), the buzzer's, is held by another program or driver (gpioinfo names it)"
        case .noSuchChannel(let channel): "there is no PWM channel \(channel) (ls /sys/class/pwm)"
        case .channelNotPermitted(let folder): "\(folder): not permitted: the user's group has to be able to write its files"
        case .channelReadOnly(let folder): "\(folder): nothing is written there: the unit needs ReadWritePaths= for the channel"
        case .notPermitted(let name): "\(name): not permitted: the user has to be in the group of the device"
        case .gone: "it is gone: plug it in"
        case .system(let code): "it cannot be had (\(systemCause(code)))"
        }
    }
}

extension ScreenError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notFound: "there is no such framebuffer (ls /dev/fb*); most boards have none without a monitor"
        case .gone: "the framebuffer is gone, or has become another"
        case .notPermitted: "not permitted: the user has to be in the group of the framebuffer (video)"
        case .unsupported: "it is no framebuffer of 16, 24 or 32 bits"
        case .tooSmall: "the code does not fit"
        case .code: "the address cannot be made into a code"
        case .system(let code): "it cannot be used (\(systemCause(code)))"
        }
    }
}

extension WordSheetError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let code): "it cannot be read (\(systemCause(code)))"
        case .tooLong: "it has more than \(WordSheet.capacity >> 20) MiB"
        case .malformed(let place): "it is no sheet of words, or damaged (octet \(place))"
        }
    }
}

extension WordFolderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "there is no sheet of words (LANGUAGE.sheet)"
        case .badTag(let tag): "\(tag) is no language's tag"
        case .sheet(let tag, let error): "\(tag).sheet: \(error)"
        case .otherLanguage(let tag, let other): "\(tag).sheet has the words of \(other)"
        }
    }
}

extension FramebufferScreen {
    static var consoleSentence: String {
        "the kernel's console writes on this screen, into the code: add fbcon=map:9 to the kernel's command line"
    }
}

extension TraceError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notPermitted: "not permitted: the user has to own the folder"
        case .notFound: "the folder does not exist"
        case .notTrace: "what is there is no trace, and is left alone: name another file"
        case .diskFull: "the disk is full"
        case .full: "it has reached \(Trace.capacity >> 20) MiB"
        case .system(let code): "the system refused (\(systemCause(code)))"
        }
    }
}
