#define _GNU_SOURCE
#include "line.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static speed_t speed(uint32_t rate) {
    switch (rate) {
    case 19200: return B19200;
    case 38400: return B38400;
    case 57600: return B57600;
    case 115200: return B115200;
    case 230400: return B230400;
    default: return B9600;
    }
}

static int set(int line, uint32_t rate, int when) {
    struct termios state;
    if (tcgetattr(line, &state) < 0) return errno;
    cfmakeraw(&state);
    state.c_cflag = (state.c_cflag & ~(tcflag_t)(CSTOPB | PARENB | CRTSCTS | HUPCL)) | CLOCAL | CREAD | CS8;
    state.c_cc[VMIN] = 0;
    state.c_cc[VTIME] = 0;
    cfsetispeed(&state, speed(rate));
    cfsetospeed(&state, speed(rate));
    return tcsetattr(line, when, &state) < 0 ? errno : 0;
}

int line_set(int line, uint32_t rate) {
    return set(line, rate, TCSADRAIN);
}

int line_open(const char *path, uint32_t rate, int *turns) {
    int line = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), code = 0;
    if (line < 0) return -errno;
    if (ioctl(line, TIOCEXCL) < 0) code = errno;
    if (!code) code = set(line, rate, TCSAFLUSH);
    if (code) {
        close(line);
        return -code;
    }
    // ENOTTY of a driver that knows nothing of it, ENOSYS or EINVAL of one that cannot.
    struct serial_rs485 turn = {0};
    // Polarity and delays that the board's device tree gave the driver stay.
    if (ioctl(line, TIOCGRS485, &turn) != 0) turn = (struct serial_rs485){0};
    if (!(turn.flags & (SER_RS485_RTS_ON_SEND | SER_RS485_RTS_AFTER_SEND))) turn.flags |= SER_RS485_RTS_ON_SEND;
    turn.flags |= SER_RS485_ENABLED;
    *turns = ioctl(line, TIOCSRS485, &turn) == 0;
    return line;
}

int line_write(int line, const uint8_t *octets, int count) {
    int sent = 0;
    while (sent < count) {
        const ssize_t step = write(line, octets + sent, (size_t)(count - sent));
        if (step < 0 && errno == EINTR) continue;
        if (step <= 0) return sent > 0 ? sent : -1;
        sent += (int)step;
    }
    return sent;
}
