import Glibc

/// Opens a UART for H4: raw octets, 8 data bits, no parity, one stop bit, RTS/CTS.
enum SerialPort {
    /// - Returns: the descriptor, non-blocking, with nothing old in its queues.
    static func open(_ path: String, baud: UInt32) throws(LinkError) -> Int32 {
        guard let speed = speed(baud) else { throw .unsupportedSpeed(baud) }
        let port = Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard port >= 0 else {
            switch errno {
            case ENOENT, ENXIO, ENODEV: throw .notFound
            case EACCES, EPERM: throw .notPermitted
            case EBUSY: throw .controllerTaken
            case let code: throw .system(.open, errno: code)
            }
        }
        do {
            try configure(port, speed: speed, baud: baud)
        } catch {
            Glibc.close(port)
            throw error
        }
        return port
    }

    private static func configure(_ port: Int32, speed: speed_t, baud: UInt32) throws(LinkError) {
        // A second program on the same port would take half of our octets; getty and ModemManager do.
        guard ioctl(port, UInt(TIOCEXCL)) == 0 else {
            throw errno == ENOTTY ? .badAddress : .system(.ioctl, errno: errno)
        }
        var settings = termios()
        guard tcgetattr(port, &settings) == 0 else {
            throw errno == ENOTTY ? .badAddress : .system(.ioctl, errno: errno)
        }
        cfmakeraw(&settings)
        settings.c_cflag &= ~tcflag_t(CSIZE | PARENB | CSTOPB | HUPCL)
        settings.c_cflag |= tcflag_t(CS8 | CREAD | CLOCAL) | hardwareFlowControl
        // One octet wakes the reader. With 0 an idle port would look like a closed one.
        settings.c_cc.6 = 1  // VMIN
        settings.c_cc.5 = 0  // VTIME
        guard cfsetispeed(&settings, speed) == 0, cfsetospeed(&settings, speed) == 0, tcsetattr(port, TCSANOW, &settings) == 0 else {
            throw .system(.setSpeed, errno: errno)
        }
        // tcsetattr is content when it could do anything at all; ask what it did.
        var actual = termios()
        guard tcgetattr(port, &actual) == 0, cfgetospeed(&actual) == speed else { throw .unsupportedSpeed(baud) }
        tcflush(port, TCIOFLUSH)
    }

    /// `CRTSCTS`, which Swift imports with a sign on some platforms.
    private static let hardwareFlowControl: tcflag_t = 0o20000000000

    /// The termios constant for a standard speed.
    static func speed(_ baud: UInt32) -> speed_t? {
        let constant: Int32? =
            switch baud {
            case 9600: B9600
            case 19200: B19200
            case 38400: B38400
            case 57600: B57600
            case 115_200: B115200
            case 230_400: B230400
            case 460_800: B460800
            case 500_000: B500000
            case 576_000: B576000
            case 921_600: B921600
            case 1_000_000: B1000000
            case 1_152_000: B1152000
            case 1_500_000: B1500000
            case 2_000_000: B2000000
            case 2_500_000: B2500000
            case 3_000_000: B3000000
            case 3_500_000: B3500000
            case 4_000_000: B4000000
            default: nil
            }
        return constant.map { speed_t($0) }
    }
}
