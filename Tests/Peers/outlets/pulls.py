"""What an outlet that fetches needs: a file on a server with an entity tag, and a folder where it is laid."""
import hashlib
import time
from pathlib import Path

from list_server import Answer, Authority, Server
from outlet_rig import AuditWriter, Relay, until


class Published:
    """A file with an entity tag, as static servers give them out."""

    def __init__(self, octets: bytes, tag: str | None = None) -> None:
        self.octets, self.given, self.unchanged = octets, 0, 0
        self.tag = f'"{hashlib.sha256(octets).hexdigest()[:16]}"' if tag is None else tag

    def __call__(self, answer: Answer) -> None:
        if self.tag and answer.headers.get("If-None-Match") == self.tag:
            self.unchanged += 1
            answer.send_response(304)
            answer.send_header("ETag", self.tag)
            answer.end_headers()
            return
        self.given += 1
        answer.begin(200, "application/octet-stream", len(self.octets), **({"ETag": self.tag} if self.tag else {}))
        answer.wfile.write(self.octets)


class Pulling:
    """An outlet that fetches one kind of file, its server, and the folder for what it fetches."""

    def __init__(self, kind: str, folder: Path, server: Server, authority: Authority) -> None:
        self.kind, self.folder, self.server, self.authority = kind, folder, server, authority
        self.pulled, self.log = folder / "pulled", AuditWriter(folder / "log")
        self.file = self.pulled / f"{kind}-1.cose"
        self.pulled.mkdir()
        server.pages.clear()
        server.asked.clear()

    def relay(self, path: str = "/newest.cose", **more) -> Relay:
        return Relay(self.kind, self.folder, self.log.folder, **{
            "url": self.server.url(path), "authorities": self.authority.file, "folder": self.pulled, "interval": 1, "timeout": 60, **more})

    def laid(self, octets: bytes) -> None:
        until(lambda: self.file.exists() and self.file.read_bytes() == octets, "the file")

    def refuses(self, content, code: str) -> None:
        """What the server says is named, leaves the file from before as it is, and is not asked for again at once."""
        self.file.write_bytes(b"the one before")
        if content is not None:
            self.server.pages["/newest.cose"] = content
        # A time-out is waited for only where there is no other end.
        with self.relay(**({"timeout": 5} if code == "timed-out" else {})) as relay:
            relay.trouble(code)
            assert self.file.read_bytes() == b"the one before" and [file.name for file in self.pulled.iterdir()] == [self.file.name]
            asked = len(self.server.asked)
            time.sleep(1)
            assert len(self.server.asked) == asked, "it is left in peace for a minute"
