"""The three systems that take records, with one face: Mosquitto with a collector, rsyslog over TLS, and a receiver of webhooks.

`authority` has a `context` with a certificate that the outlet believes, for whoever plays the server.
"""
import json
import signal
import ssl
from pathlib import Path

from broker import Broker
from collector import Collector
from list_server import Authority
from outlet_rig import Holder
from syslog_receiver import Rsyslog
from webhook_receiver import Receiver, new_secret


class MQTTEnd:
    """`confirm: collector`, so that nothing is lost though the broker is killed."""

    kind = "mqtt"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.broker = Broker(folder / "broker").start()
        self.authority = self
        self.collector = Collector(self.broker).start()
        self.port = self.broker.port
        (folder / "password").write_text("right\n")
        (folder / "password").chmod(0o600)

    def settings(self, port: int, **more) -> dict:
        return {"host": "localhost", "port": port, "authorities": self.broker.authority.path, "passwordFile": self.folder / "password",
                "confirm": "collector", **more}

    def context(self, _: str) -> ssl.SSLContext:
        """With the broker's certificate, for whoever plays it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.broker.certificate)
        return context

    def lines(self) -> list[bytes]:
        return list(self.collector.records)

    def end(self, by: int) -> None:
        self.broker.end(by)

    def start(self) -> None:
        self.broker.start()

    def close(self) -> None:
        self.collector.stop()
        self.broker.end()


class SyslogEnd:
    kind = "syslog"

    def __init__(self, folder: Path) -> None:
        self.authority = Authority(folder)
        self.holder = Holder(self.authority, "east-1", folder)
        self.receiver = Rsyslog(folder / "rsyslog", self.authority).start()
        self.port = self.receiver.port

    def settings(self, port: int, **more) -> dict:
        return {"host": "localhost", "port": port, "authorities": self.authority.file, "certificate": self.holder.certificate,
                "key": self.holder.key, "settle": 5, **more}

    def lines(self) -> list[bytes]:
        # The last one may be written at this moment, and one that a kill cut in two is none.
        return [line.split("] ", 1)[1].encode() for line in self.receiver.messages() if line.endswith("}") and "] {" in line]

    def end(self, by: int) -> None:
        self.receiver.kill(by)

    def start(self) -> None:
        self.receiver.start()

    def close(self) -> None:
        self.receiver.kill()


class WebhookEnd:
    kind = "webhook"

    def __init__(self, folder: Path) -> None:
        self.folder, self.authority, self.secret = folder, Authority(folder), new_secret()
        (folder / "secret").write_text(self.secret + "\n")
        (folder / "secret").chmod(0o600)
        # Each that there was: what comes while one ends is in its list, and was answered.
        self.receivers, self.port = [], 0
        self.start()

    def settings(self, port: int, **more) -> dict:
        return {"url": f"https://localhost:{port}/gates", "authorities": self.authority.file, "secretFile": self.folder / "secret",
                "timeout": 5, **more}

    def lines(self) -> list[bytes]:
        # Octet for octet within the post, whose last member it is.
        return [post.body.split(b'"data":', 1)[1][:-1] for receiver in self.receivers for post in list(receiver.posts)]

    def end(self, by: int) -> None:
        self.receivers[-1].__exit__()

    def start(self) -> None:
        self.receivers.append(Receiver(self.authority, self.port))
        self.receivers[-1].__enter__()
        self.port = self.receivers[-1].port

    def close(self) -> None:
        if not self.receivers[-1].ended.is_set():
            self.end(signal.SIGKILL)


FAR_ENDS = {end.kind: end for end in (MQTTEnd, SyslogEnd, WebhookEnd)}


def number(line: bytes) -> int:
    return json.loads(line)["seq"]
