import Bluetooth
import Envelopes
import Trust

/// What errors and faults mean, for the operator.

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
        case .scanningRefused(let status): "the controller refuses to scan (status 0x\(String(status.rawValue, radix: 16)))"
        case .initiatingRefused(let status): "the controller refuses to connect (status 0x\(String(status.rawValue, radix: 16)))"
        case .connectionLost: "the controller did not say how an attempt to connect ended"
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
        case .rolledBack(let sequence, let highest):
            "the bundle has the sequence number \(sequence), and this gate has had \(highest) already"
        case .sequenceTaken(let sequence): "this gate has had another bundle with the sequence number \(sequence)"
        case .belowImage(let sequence, let lowest):
            "the bundle has the sequence number \(sequence), and this system image starts with none below \(lowest)"
        case .afterLoss(let sequence, let above):
            "the data partition was made anew, and what this gate knew is gone: bundle \(sequence) is not believed, one above \(above) is"
        case .madeInFuture(let created, let clock): "the bundle was made \(Sentence.ahead(created, clock))"
        case .idDamaged:
            "the gate's id, which was drawn once, cannot be read (gate-id, gate-id.copy): remove both to have another one drawn, which orders have to name from then on"
        case .noRandomness: "there are no random numbers to be had"
        case .disk(.lockedByAnother): "another program is installing at this moment"
        case .disk(let refusal): refusal.description
        case .unreadable(let name): "not permitted: \(name) in it belongs to another user, and this one may not read it"
        }
    }

    /// Whether it is the file that was given which is refused, and not the folder it was to go to.
    package var isOfFile: Bool {
        switch self {
        case .bundle, .rolledBack, .sequenceTaken, .belowImage, .afterLoss, .madeInFuture: true
        case .notInstalled, .idDamaged, .noRandomness, .disk, .unreadable: false
        }
    }
}

extension OrderRegisterError {
    /// The same.
    package var isOfFile: Bool { if case .disk = self { false } else { true } }
}

extension SiteError {
    /// The same.
    package var isOfFile: Bool {
        switch self {
        case .order(let error): error.isOfFile
        case .settings: true
        case .lost, .trialNotCounted, .resetAndFetched: false
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
package enum Sentence {
    /// `1 issuer`, `2 issuers`.
    package static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// RFC 3339, or the plain number where there is none.
    package static func time(_ seconds: Seconds) -> String { Timestamp.text(seconds) ?? "\(seconds) seconds since 1970" }

    /// After "made".
    package static func ahead(_ created: Seconds, _ clock: Seconds) -> String {
        "at \(time(created)), and this board's clock says \(time(clock)): set the clock, if it is the one that is wrong, or make a new one"
    }
}
