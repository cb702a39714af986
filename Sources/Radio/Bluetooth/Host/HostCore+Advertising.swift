/// Advertising: when it begins, and what comes of its commands.
extension HostCore {
    /// Begins the whole sequence, where advertising is wanted and possible.
    mutating func restartAdvertising(_ now: Instant) {
        guard phase == .ready, advertiser.isWanted, !connection.isUp, !initiation.isUnderWay else { return }
        advertiser.begin(&commands, now)
    }

    /// False, and nothing changed, where nothing is on the air, or the data does not fit.
    mutating func replaceAdvertisingData(_ data: borrowing Span<UInt8>) -> Bool {
        guard phase == .ready, advertiser.isOn, advertiser.isWanted, !connection.isUp else { return false }
        // A sequence that waits says more than the data.
        guard !advertiser.cannotReplace || commands.isQuiet, advertiser.replace(data) else { return false }
        advertiser.queueReplacement(&commands)
        return true
    }

    /// What is advertised is the former data still. Where that is the controller's way, it is turned off for the next.
    mutating func replacementAnswered(_ status: HCIStatus) {
        guard status != .success, !advertiser.cannotReplace else { return }
        advertiser.cannotReplace = true
        if phase == .ready, advertiser.isOn, advertiser.isWanted, !connection.isUp, commands.isQuiet {
            advertiser.queueReplacement(&commands)
        }
    }

    mutating func stopAdvertising() {
        advertiser.wantNothing()
        commands.removeAdvertising()
        if phase == .ready, advertiser.mayBeOn { commands.append(.setAdvertisingEnable(false)) }
    }

    mutating func advertisingAnswered(_ on: Bool, _ status: HCIStatus, _ now: Instant) -> HostEvent? {
        if !on {
            // Command Disallowed means it was off already: a connection came first.
            advertiser.ended()
        } else if status != .success {
            advertiser.isOn = false
            advertiser.mayBeOn = !connection.isUp
            return advertisingRefused(status, now)
        } else {
            advertiser.refusals = 0
            advertiser.mayBeOn = true
            if advertiser.hasLinkedMeanwhile {
                // The link may be this advertisement's, which ended with it, or the former's, and then this one goes on beside
                // the link: it is turned off, and begun anew where it is wanted.
                commands.removeAdvertising()
                if advertiser.isWanted, !connection.isUp { restartAdvertising(now) } else { commands.append(.setAdvertisingEnable(false)) }
            } else {
                advertiser.isOn = advertiser.isWanted
            }
        }
        return nil
    }

    mutating func advertisingRefused(_ status: HCIStatus, _ now: Instant) -> HostEvent? {
        guard advertiser.isWanted, !connection.isUp else { return nil }
        // It was asked although it does not list the command.
        if status == .unknownCommand, commands.set == .legacy, !controller.hasLegacyAdvertising { return fault(.noPeripheral, now) }
        advertiser.refusals += 1
        guard advertiser.refusals < 4 else { return fault(.advertisingRefused(status), now) }
        commands.removeAdvertising()
        // What the controller does is no longer known: the next try ends it first.
        advertiser.mayBeOn = true
        advertiser.retryAt = now.adding(milliseconds: 500)
        return nil
    }

    /// The set ends with the link it brought, which was told before. Without a link it has ended by itself: it is begun
    /// again after a pause, so that a controller that ends it at once is not asked without end.
    mutating func advertisingSetTerminated(_ event: borrowing Span<UInt8>, _ now: Instant) -> HostEvent? {
        guard event.count == 6, let status = event.octet(at: 1), let set = event.octet(at: 2) else { return drop(.eventMalformed) }
        guard phase == .ready, commands.set == .extended, set == Advertiser.advertisingSet, advertiser.isOn, !connection.isUp else {
            return nil
        }
        advertiser.ended()
        return advertisingRefused(HCIStatus(rawValue: status), now)
    }
}
