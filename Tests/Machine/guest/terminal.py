"""Starts a program on a terminal of its own, large enough for a code, as itself: `terminal.py COMMAND...`. A child beside it passes on what is drawn,
each row as a line, for whoever reads lines."""
import fcntl
import os
import pty
import re
import struct
import sys
import termios

ROW = re.compile(rb"\x1b\[\d+;1H|\x1b8")  # another row begins
SAVED = re.compile(rb"\x1b7")
UNFINISHED = re.compile(rb"\x1b(\[[0-9;?]*)?$")


def pass_on(terminal: int) -> None:
    waiting = b""
    while True:
        try:
            waiting += os.read(terminal, 65536)
        except OSError:
            return  # the program has ended
        end = found.start() if (found := UNFINISHED.search(waiting)) else len(waiting)
        drawn, waiting = waiting[:end], waiting[end:]
        os.write(1, SAVED.sub(b"", ROW.sub(b"\n", drawn)))


def main() -> None:
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 80, 200, 0, 0))
    if os.fork() == 0:
        os.close(end)
        pass_on(terminal)
        os._exit(0)
    os.close(terminal)
    os.dup2(end, 1)
    os.close(end)
    os.execvp(sys.argv[1], sys.argv[1:])


main()
