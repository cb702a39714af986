import Bluetooth
import Credentials
import Sandbox

/// What errors and faults mean, for the operator. `LinkError` brings its own sentences.

extension MonikerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noScheme(let text): "\(text) does not begin with a scheme and a colon"
        case .unknownScheme(let scheme): "\(scheme): is none of the schemes this option knows"
        case .missing(let part): "the \(part) is missing"
        case .badNumber(let text): "\(text) is not a number it can be"
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
        case .missingMember("face"): "face is missing: write whether the visitor has to be the person in the credential, required, when-photo or off"
        case .missingMember(let name): "\(name) is missing"
        case .notAString(let name): "\(name) is not a string, or is empty"
        case .badMember("face"): "face has a value it cannot have: required, when-photo or off"
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

extension FramebufferScreen {
    static var consoleSentence: String {
        "the kernel's console writes on this screen, into the code: add fbcon=map:9 to the kernel's command line"
    }
}

extension AuditError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notPermitted: "not permitted: the user has to own the folder"
        case .notFound: "the folder does not exist"
        case .notRegularFile: "it is a link, a folder or a device, and has to be a file"
        case .lockedByAnother: "another gate writes this log: stop it first"
        case .diskFull: "the disk is full"
        case .logFull: "the log has reached its bound: export it (gatehouse audit export), or let the oldest records go"
        case .readOnly: "the file system is read-only"
        case .recordTooLong: "the record is too long"
        case .chainBroken: "the end of the log does not chain (gatehouse doctor)"
        case .noDigest: "SHA-256 is not to be had"
        case .closed: "the log is closed"
        case .system(let code): "the system refused (\(systemCause(code)))"
        }
    }
}

extension AuditNews: CustomStringConvertible {
    public var description: String {
        switch self {
        case .repaired(let octets): "audit log repaired: \(octets) octets of a torn line removed"
        case .setAside(let name): "the audit log was damaged: \(name) was set aside, and a new segment begun. Copy it and find out why"
        case .lost(let number): "the audit log's last segment, number \(number), was gone: a new one was begun, which says so"
        case .dropped(let first, let last, let isExported):
            "audit log: segments \(first) to \(last) went to make room; \(isExported ? "they are exported" : "NOBODY HAS A COPY of them")"
        case .filling(let percent):
            "the audit log is \(percent) % full: export it (gatehouse audit export)" + (percent >= 100 ? "" : " before nobody can enter, or the oldest records go")
        case .stuckRequest(let error): "somebody asks for the audit log to be sealed, and the request cannot be removed: \(error)"
        case .cannotSeal: "the audit log's segment cannot be sealed here (no Landlock in this kernel): it is when the gate is started anew"
        }
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

extension AuditReport.Fault {
    /// What is wrong with a line; `line 3 of audit.jsonl` goes before it.
    public var sentence: String {
        switch self {
        case .torn: "is torn: its writing was cut short"
        case .tooLong: "is longer than a record can be"
        case .malformed: "is malformed: no record"
        case .outOfSequence: "is out of sequence: records were removed, repeated or moved"
        case .broken: "is broken off: the record before it is not the one it names"
        case .otherDamage: "names a damaged segment with another digest than the one that is there"
        }
    }

    public var remedy: String {
        switch self {
        case .torn: "The gate repairs it when it starts"
        case .tooLong, .malformed, .outOfSequence, .broken, .otherDamage:
            "Somebody changed it, or the disk fails: copy the whole folder and find out which. A gate that cannot go on from its end sets it aside"
        }
    }
}

extension ControllerFault {
    public var sentence: String {
        switch self {
        case .hardwareError(let code): "the controller reports a hardware error (code \(code))"
        case .commandTimeout(let opcode): "the controller does not answer command 0x\(String(opcode.rawValue, radix: 16))"
        case .bringUpRefused(let step, let status):
            "the controller refuses \(BringUp.row(step).name) (status 0x\(String(status.rawValue, radix: 16)))"
        case .bringUpMalformed(let step): "the controller's answer to \(BringUp.row(step).name) is cut off"
        case .versionTooOld(let version): "the controller is older than Bluetooth 4.0 (HCI version \(version))"
        case .noPeripheral: "the controller cannot advertise as a Bluetooth LE peripheral"
        case .advertisingRefused(let status): "the controller refuses to advertise (status 0x\(String(status.rawValue, radix: 16)))"
        case .disconnectionLost: "the controller did not end a link it was asked to end"
        }
    }
}

extension RecoveryStep {
    public var sentence: String {
        switch self {
        case .reset: "it is reset"
        case .reopenLink: "its link is opened anew"
        case .restartController: "power it off and on, bind its driver anew, or restart the board; meanwhile its link is opened anew"
        }
    }
}

extension TrustInstallationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notInstalled: "no trust bundle is installed"
        case .bundle(let error): error.description
        case .rolledBack(let sequence, let highest): "the bundle has the sequence number \(sequence), and this gate has had \(highest) already"
        case .sequenceTaken(let sequence): "this gate has had another bundle with the sequence number \(sequence)"
        case .belowImage(let sequence, let lowest): "the bundle has the sequence number \(sequence), and this system image starts with none below \(lowest)"
        case .afterLoss(let sequence, let above): "the data partition was made anew, and what this gate knew is gone: bundle \(sequence) is not believed, one above \(above) is"
        case .madeInFuture(let created, let clock): "the bundle was made \(Sentence.ahead(created, clock))"
        case .idDamaged: "the gate's id, which was drawn once, cannot be read (gate-id, gate-id.copy): remove both to have another one drawn, which orders have to name from then on"
        case .noRandomness: "there are no random numbers to be had"
        case .fileTooLarge: "the file is larger than it can be"
        case .notPermitted: "not permitted: the user has to own the folder"
        case .notFound: "the folder does not exist"
        case .notRegularFile: "where a file belongs is a link, a folder or a device"
        case .lockedByAnother: "another program is installing at this moment"
        case .diskFull: "the disk is full"
        case .system(let code): "the system refused (\(systemCause(code)))"
        }
    }
}

extension OrderRegisterError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .order(let error): error.description
        case .numberUsed(let kind, let number, let highest):
            "The order has the number \(number), and this gate has taken number \(highest) of the kind \(kind.rawValue) already: make one with a higher number"
        case .olderThanMark(let created, let mark):
            "Which orders this gate has taken is lost, and this one was made at \(Sentence.time(created)), before \(Sentence.time(mark)): make a new one"
        case .numberTooFar(let kind, let number, let highest):
            "The order has the number \(number), more than \(Order.largestStep) above \(highest), the highest of the kind \(kind.rawValue) so far: make one with a lower number"
        case .madeInFuture(let created, let clock): "The order was made \(Sentence.ahead(created, clock))"
        case .behindFloor(let time, let floor):
            "The order would set the clock to \(Sentence.time(time)), and \(Sentence.time(floor)) has certainly passed: make a new one"
        case .clockAhead(let clock, let time):
            "The board's clock says \(Sentence.time(clock)), and the order would turn it back to \(Sentence.time(time)): where that is wanted, make one with \"turnBack\":true"
        case .disk(let error): error.description
        }
    }
}

/// Words that several sentences need.
enum Sentence {
    /// RFC 3339, or the plain number where there is none.
    static func time(_ seconds: Seconds) -> String { Timestamp.text(seconds) ?? "\(seconds) seconds since 1970" }

    /// After "made".
    static func ahead(_ created: Seconds, _ clock: Seconds) -> String {
        "at \(time(created)), and this board's clock says \(time(clock)): set the clock, if it is the one that is wrong, or make a new one"
    }
}
