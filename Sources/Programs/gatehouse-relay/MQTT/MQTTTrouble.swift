import CMosquitto
import Glibc
import Linux
import Relay

/// What the library's codes and the protocol's reasons mean.
enum MQTTTrouble {
    /// Of a call of the library that failed.
    static func of(_ code: Int32, errno: Int32, complaint: String?) -> OutletTrouble {
        let words = mosquitto_strerror(code).map { String(cString: $0) }
        // Of our certificate the other side says so by an alert, with TLS 1.3 only when it is read.
        if let complaint, refusals.contains(where: { complaint.contains($0) }) {
            return OutletTrouble(.credentials, complaint, pause: .minute)
        }
        switch code {
        case MOSQ_ERR_EAI.rawValue: return OutletTrouble(.noAddress)
        // So the library says that TLS failed after its handshake.
        case MOSQ_ERR_ERRNO.rawValue where errno == EPROTO: return OutletTrouble(.tls, complaint ?? words)
        case MOSQ_ERR_ERRNO.rawValue: return OutletTrouble(.notReachable, systemCause(errno))
        case MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_NO_CONN.rawValue, MOSQ_ERR_CONN_REFUSED.rawValue: return OutletTrouble(.closed, words)
        case MOSQ_ERR_KEEPALIVE.rawValue: return OutletTrouble(.timedOut, "no answer to a ping")
        case MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue:
            if complaint?.contains("certificate") == true { return OutletTrouble(.certificate, complaint, pause: .minute) }
            return OutletTrouble(.tls, complaint ?? words)
        case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue, MOSQ_ERR_MALFORMED_UTF8.rawValue,
            MOSQ_ERR_OVERSIZE_PACKET.rawValue:
            return OutletTrouble(.protocolBroken, words, pause: .minute)
        // Of the library's: more memory than this process may have is asked for by what the other side sends.
        case MOSQ_ERR_NOMEM.rawValue: return OutletTrouble(.protocolBroken, words, pause: .minute)
        default: return OutletTrouble(.system, words)
        }
    }

    /// libssl's words for alerts about a client's certificate.
    private static let refusals = [
        "alert bad certificate", "alert unsupported certificate", "alert certificate revoked", "alert certificate expired",
        "alert certificate unknown", "alert certificate required", "alert unknown ca", "alert access denied",
    ]

    /// Of CONNACK.
    static func rejection(_ reason: Int32) -> OutletTrouble {
        switch reason {
        case Int32(MQTT_RC_BAD_USERNAME_OR_PASSWORD.rawValue), Int32(MQTT_RC_NOT_AUTHORIZED.rawValue), Int32(MQTT_RC_BANNED.rawValue), 4, 5:
            OutletTrouble(.credentials, text(reason), pause: .minute)
        case Int32(MQTT_RC_CLIENTID_NOT_VALID.rawValue), 2: OutletTrouble(.credentials, "the name is not taken", pause: .minute)
        case Int32(MQTT_RC_RETAIN_NOT_SUPPORTED.rawValue): noRetaining
        case Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue), 1: OutletTrouble(.protocolBroken, "no MQTT 5", pause: .minute)
        case Int32(MQTT_RC_QUOTA_EXCEEDED.rawValue): OutletTrouble(.quota, text(reason), pause: .minute)
        default: OutletTrouble(.notReachable, text(reason))
        }
    }

    /// Of DISCONNECT, or the library's own code.
    static func end(_ reason: Int32) -> OutletTrouble {
        switch reason {
        case Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue):
            OutletTrouble(.credentials, "another client has this name", pause: .minute)
        case Int32(MQTT_RC_NOT_AUTHORIZED.rawValue): OutletTrouble(.notAuthorized, text(reason), pause: .minute)
        case Int32(MQTT_RC_QUOTA_EXCEEDED.rawValue): OutletTrouble(.quota, text(reason), pause: .minute)
        case Int32(MQTT_RC_RETAIN_NOT_SUPPORTED.rawValue): noRetaining
        default: OutletTrouble(.closed, text(reason))
        }
    }

    private static var noRetaining: OutletTrouble { OutletTrouble(.refused, "it keeps no retained messages", pause: .minute) }

    /// Of SUBACK from 0x80 on.
    static func refusal(ofSubscription reason: Int32) -> OutletTrouble {
        OutletTrouble(.notAuthorized, "subscription, \(text(reason))", pause: .minute)
    }

    /// Of PUBACK from 0x80 on: the record stays, and is tried again each minute.
    ///
    /// - Parameter ends: what was refused is the gate's state or health, and the broker ended the connection over it.
    static func refusal(_ reason: Int32, ends: Bool = false) -> OutletTrouble {
        let code: OutletTrouble.Code =
            switch reason {
            case Int32(MQTT_RC_NOT_AUTHORIZED.rawValue): .notAuthorized
            case Int32(MQTT_RC_QUOTA_EXCEEDED.rawValue): .quota
            default: .refused
            }
        let what = ends ? " to state, health or discovery, and the connection ended" : ""
        // What was refused so is left out of the next connection.
        return OutletTrouble(code, text(reason) + what, pause: ends ? .short : .minute, staysConnected: !ends)
    }

    /// Of what is no record, and is left out for a while.
    static func refusal(of topic: String, _ reason: Int32) -> OutletTrouble {
        let code = refusal(reason).code
        return OutletTrouble(code, "\(topic) is not taken, \(text(reason))")
    }

    private static func text(_ reason: Int32) -> String { "reason \(reason)" }
}
