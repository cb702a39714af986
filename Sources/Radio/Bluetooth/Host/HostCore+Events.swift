/// Events of the controller (Core Vol 4 Part E section 7.7).
extension HostCore {
    /// An event without its packet indicator: code, length, parameters.
    @inline(__always)
    mutating func receiveEvent(_ packet: borrowing Span<UInt8>, _ now: Instant) -> HostEvent? {
        guard let code = packet.octet(at: 0), let length = packet.octet(at: 1) else { return drop(.eventTruncated) }
        guard packet.count == 2 + Int(length) else { return drop(.packetLength) }
        let event = packet.extracting(2..<packet.count)
        // Whatever comes before the completion of Reset belongs to the time before it.
        if phase == .bringingUp, bringUp.current == .reset, code != EventCode.commandComplete, code != EventCode.commandStatus {
            return nil
        }
        switch code {
        case EventCode.commandComplete: return commandComplete(event, now)
        case EventCode.commandStatus: return commandStatus(event, now)
        case EventCode.numberOfCompletedPackets:
            let dropped = completedPackets(event)
            if connection.drainUntil != nil { disconnectIfDrained(now) }
            return dropped
        case EventCode.disconnectionComplete: return disconnectionComplete(event, now)
        case EventCode.leMeta: return receiveLEEvent(event, now)
        case EventCode.hardwareError:
            counters.count(.hardwareError)
            return fault(.hardwareError(event.octet(at: 0) ?? 0), now)
        case EventCode.dataBufferOverflow:
            // The controller lost data we sent: the link cannot be trusted to answer any more.
            counters.count(.dataBufferOverflow)
            disconnect(now)
            return nil
        case EventCode.encryptionChange, EventCode.encryptionKeyRefresh: return nil
        default: return drop(.eventUnknown)
        }
    }

    private mutating func receiveLEEvent(_ event: borrowing Span<UInt8>, _ now: Instant) -> HostEvent? {
        guard let code = event.octet(at: 0) else { return drop(.eventTruncated) }
        switch code {
        case LEEventCode.connectionComplete:
            guard event.count == 19 else { return drop(.eventMalformed) }
            return connectionComplete(event, parametersAt: 12, now)
        case LEEventCode.enhancedConnectionComplete:
            // Version 1 has 31 octets; the addresses between are the local and peer resolvable ones.
            guard event.count == 31 else { return drop(.eventMalformed) }
            return connectionComplete(event, parametersAt: 24, now)
        case LEEventCode.advertisingReport: return advertisingReport(event, .legacy, now)
        case LEEventCode.extendedAdvertisingReport: return advertisingReport(event, .extended, now)
        case LEEventCode.connectionUpdate:
            guard event.count == 10, let status = event.octet(at: 1), let handle = event.littleEndian16(at: 2),
                let interval = event.littleEndian16(at: 4), let latency = event.littleEndian16(at: 6),
                let supervision = event.littleEndian16(at: 8)
            else { return drop(.eventMalformed) }
            guard connection.isUp, handle == connection.handle else { return nil }
            connection.isUpdating = false
            if status == 0 {
                (connection.interval, connection.latency, connection.supervision) = (interval, latency, supervision)
                // Phones change them several times in a row, and slow down once discovery is over.
                if connection.hasSpoken { connection.judgeParameters(after: Connection.parameterRequestMilliseconds, now) }
            }
            return nil
        case LEEventCode.longTermKeyRequest:
            guard event.count == 13, let handle = event.littleEndian16(at: 1) else { return drop(.eventMalformed) }
            counters.count(.keyRequest)
            // No key exists: nothing is ever bonded.
            if connection.isUp, handle == connection.handle { commands.append(.longTermKeyNegativeReply(handle: handle)) }
            return nil
        case LEEventCode.advertisingSetTerminated: return advertisingSetTerminated(event, now)
        case LEEventCode.dataLengthChange, LEEventCode.phyUpdate, LEEventCode.channelSelection: return nil
        default: return drop(.eventUnknown)
        }
    }

    // MARK: the link

    /// Both forms of LE Connection Complete share status, handle, role, peer; the link's parameters come later.
    private mutating func connectionComplete(
        _ event: borrowing Span<UInt8>, parametersAt offset: Int, _ now: Instant
    ) -> HostEvent? {
        guard let status = event.octet(at: 1), let handle = event.littleEndian16(at: 2), let role = event.octet(at: 4),
            let addressType = event.octet(at: 5), let peer = DeviceAddress(event, at: 6),
            let interval = event.littleEndian16(at: offset), let latency = event.littleEndian16(at: offset + 2),
            let supervision = event.littleEndian16(at: offset + 4)
        else { return drop(.eventMalformed) }
        // Nothing is advertised before bring-up is done: such a link belongs to the time before.
        guard phase == .ready else { return drop(.connectionEarly) }
        guard status == 0 else {
            if initiation.isOnAir { return initiatingFailed(HCIStatus(rawValue: status), now) }
            // Advertising ended without a connection.
            advertiser.ended()
            restartAdvertising(now)
            return drop(.connectionFailed)
        }
        guard handle <= 0x0EFF else { return drop(.connectionHandleInvalid) }
        // The link that is up stays the wallet's, whatever role is told of it now.
        if connection.isUp, handle == connection.handle { return drop(.connectionDuplicate) }
        guard let ownRole = Role(rawValue: role), ownRole == .peripheral || initiation.isOnAir else {
            commands.refuseLink(handle)
            return drop(.connectionRole)
        }
        guard !connection.isUp else {
            // An attempt that a phone's own connection has overtaken is over by this.
            if ownRole == .central { initiation.end(&commands) }
            commands.refuseLink(handle)
            return drop(.connectionDuplicate)
        }
        // One link at a time: what is left of an advertising sequence is void, and the application starts the next.
        advertiser.linked()
        commands.removeAdvertising()
        endActivities(for: ownRole)
        server.resetClient()
        client.reset()
        channel.reset()
        connection.open(handle: handle, as: ownRole, at: now)
        early.linkOpened()
        (connection.peer, connection.peerAddressType) = (peer, addressType)
        (connection.interval, connection.latency, connection.supervision) = (interval, latency, supervision)
        requestFasterLink(handle)
        return .connected
    }

    /// Longer packets and the 2M PHY, where the controller has them: harmless where the phone does not.
    private mutating func requestFasterLink(_ handle: UInt16) {
        if controller.hasDataLengthExtension, controller.supports(octet: 33, bit: 6), !commands.isDataLengthBroken {
            commands.append(.setDataLength(handle: handle))
        }
        if controller.has2MPHY, controller.supports(octet: 35, bit: 6), !commands.isPHYBroken {
            commands.append(.setPHY(handle: handle))
        }
    }

    private mutating func disconnectionComplete(_ event: borrowing Span<UInt8>, _ now: Instant) -> HostEvent? {
        guard event.count == 4, let status = event.octet(at: 0), let handle = event.littleEndian16(at: 1),
            let reason = event.octet(at: 3)
        else { return drop(.eventMalformed) }
        guard connection.isUp, handle == connection.handle else {
            if status == 0 { untoldLinkEnded(handle, now) }
            return drop(.disconnectionUnknownHandle)
        }
        guard status == 0 else { return nil }
        return linkLost(HCIStatus(rawValue: reason), now)
    }

    /// All of the link's packets in the controller are gone with it.
    mutating func linkLost(_ reason: HCIStatus, _ now: Instant) -> HostEvent? {
        credits = min(credits + connection.outstanding, controller.dataPackets)
        early.linkEnded(connection.handle, at: now)
        dropLink()
        restartActivity(now)
        return .disconnected(reason)
    }

    // MARK: credits

    /// HCI_Number_Of_Completed_Packets: a count, then handle and number of each.
    @inline(__always)
    private mutating func completedPackets(_ event: borrowing Span<UInt8>) -> HostEvent? {
        guard let count = event.octet(at: 0), event.count == 1 + 4 * Int(count) else { return drop(.completedPacketsMalformed) }
        for index in 0..<Int(count) {
            guard let handle = event.littleEndian16(at: 1 + 4 * index), let packets = event.littleEndian16(at: 3 + 4 * index) else { break }
            guard connection.isUp, handle == connection.handle else {
                counters.count(.completedPacketsUnknownHandle)
                continue
            }
            if Int(packets) > connection.outstanding { counters.count(.completedPacketsExcess) }
            let returned = min(Int(packets), connection.outstanding)
            connection.outstanding -= returned
            credits = min(credits + returned, controller.dataPackets)
        }
        return nil
    }
}
