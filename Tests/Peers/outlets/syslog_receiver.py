"""rsyslog as a receiver over TLS, and one that misbehaves."""
import re
import signal
import socket
import ssl
import subprocess
import threading
from pathlib import Path

from list_server import Authority
from outlet_rig import PATIENCE, Holder, until
from ports import free_port

CONFIGURATION = """
global(workDirectory="{folder}" maxMessageSize="8k" defaultNetstreamDriver="ossl" defaultNetstreamDriverCAFile="{authority}"
  defaultNetstreamDriverCertFile="{certificate}" defaultNetstreamDriverKeyFile="{key}")
module(load="imtcp" StreamDriver.Name="ossl" StreamDriver.Mode="1" StreamDriver.AuthMode="x509/name" PermittedPeer=["{peer}"])
template(name="raw" type="string" string="%rawmsg%\\n")
template(name="parts" type="string" string="%pri%|%timestamp:::date-rfc3339%|%hostname%|%app-name%|%msgid%|%structured-data%\\n")
ruleset(name="gates") {{
  action(type="omfile" file="{folder}/messages" template="raw")
  action(type="omfile" file="{folder}/parts" template="parts")
}}
input(type="imtcp" address="127.0.0.1" port="{port}" ruleset="gates")
"""
SEQUENCE = re.compile(r'\[gatehouse@32473 seq="(\d+)"')


class Rsyslog:
    """Debian's rsyslog with rsyslog-openssl. It may be killed, stopped and started again."""

    def __init__(self, folder: Path, authority: Authority, peer: str = "east-1", name: str = "localhost") -> None:
        self.folder, self.port = folder, free_port()
        folder.mkdir(exist_ok=True)
        holder = Holder(authority, name, folder)
        (folder / "rsyslog.conf").write_text(CONFIGURATION.format(
            folder=folder, authority=authority.file, certificate=holder.certificate, key=holder.key, peer=peer, port=self.port))
        self.process: subprocess.Popen | None = None

    def start(self) -> "Rsyslog":
        with open(self.folder / "errors", "ab") as errors:
            self.process = subprocess.Popen(["rsyslogd", "-n", "-f", str(self.folder / "rsyslog.conf"), "-i", str(self.folder / "pid")],
                                            stdout=errors, stderr=errors)
        until(self._listens, f"rsyslog ({(self.folder / 'errors').read_text()})")
        return self

    def _listens(self) -> bool:
        assert self.process.poll() is None, (self.folder / "errors").read_text()
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def kill(self, by: int = signal.SIGKILL) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(by)
            self.process.wait(PATIENCE)
            self.process = None
            (self.folder / "pid").unlink(missing_ok=True)

    def stand_still(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def messages(self) -> list[str]:
        file = self.folder / "messages"
        return file.read_text().splitlines() if file.exists() else []

    def parts(self) -> list[str]:
        return (self.folder / "parts").read_text().splitlines()

    def numbers(self) -> list[int]:
        # The last line may be written at this moment.
        return [int(found.group(1)) for line in self.messages() if (found := SEQUENCE.search(line)) and line.endswith("}")]

    def __enter__(self) -> "Rsyslog":
        return self.start()

    def __exit__(self, *_) -> None:
        self.kill()


class Stranger:
    """A server whose certificate holds, and that does what `body` does with each connection."""

    def __init__(self, authority: Authority, body) -> None:
        self.context, self.body, self.taken = authority.context("localhost"), body, 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.ended = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while not self.ended.is_set():
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.taken += 1
            threading.Thread(target=self.one, args=(connection,), daemon=True).start()

    def one(self, connection: socket.socket) -> None:
        try:
            with self.context.wrap_socket(connection, server_side=True) as wrapped:
                self.body(wrapped, self.ended)
        except (OSError, ssl.SSLError):
            pass

    def __enter__(self) -> "Stranger":
        return self

    def __exit__(self, *_) -> None:
        self.ended.set()
        self.socket.close()


def endless(connection: ssl.SSLSocket, ended: threading.Event) -> None:
    while not ended.is_set():
        connection.sendall(b"a" * 4096)


def deaf(connection: ssl.SSLSocket, ended: threading.Event) -> None:
    """Takes the connection and reads nothing."""
    ended.wait(PATIENCE)
