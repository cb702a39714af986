import Cryptography
import Tuvali

/// From one code that nobody used to the next. A wallet that scanned the old code seconds ago looks for its key: that stays
/// on the air for a while after the new code is shown, and whoever scans the new one waits as long at most.
extension Gatekeeper {
    /// The code of the next visit, while the key of this one is still advertised.
    mutating func showUpcoming(_ moment: Moment) {
        handoverAt = nil
        guard uri != nil else { return }
        // Without randomness the old code stays until its key ends, and that is told then.
        do throws(CryptographyError) { try upcoming.renew() } catch { return }
        isUpcomingShown = true
        uri = ConnectionURI(name, key: upcoming.publicKey)
        advertisement += 1
    }

    /// The key of the visit that begins: the one whose code is shown already, or a fresh one.
    mutating func takeKey() -> Bool {
        if isUpcomingShown {
            swap(&agreement, &upcoming)
            upcoming.forget()
            return true
        }
        do throws(CryptographyError) { try agreement.renew() } catch { return false }
        return true
    }

    /// Shows the code of the visit that begins, if it is not shown already.
    mutating func showCode(_ moment: Moment) {
        handoverAt = moment.instant.adding(milliseconds: session.timing.advertisement)
        if isUpcomingShown {
            isUpcomingShown = false
        } else {
            uri = ConnectionURI(name, key: agreement.publicKey)
            advertisement += 1
        }
    }

    mutating func forgetUpcoming() {
        handoverAt = nil
        isUpcomingShown = false
        upcoming.forget()
    }
}
