"""One HTTP answer on standard input and output, for QEMU's guestfwd: `serve.py FOLDER`. The only server an emulated board can reach."""
import sys
from pathlib import Path

folder = Path(sys.argv[1])
while True:
    request = sys.stdin.buffer.readline().split()
    if len(request) < 2:
        break
    while sys.stdin.buffer.readline().strip():
        pass
    file = folder / Path(request[1].decode(errors="replace")).name
    out = sys.stdout.buffer
    if not file.is_file():
        out.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    else:
        out.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n" % file.stat().st_size)
        if request[0] != b"HEAD":
            with open(file, "rb") as octets:
                while part := octets.read(1 << 16):
                    out.write(part)
    out.flush()
