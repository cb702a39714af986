"""A stand-in for an Eclipse hawkBit server: as much of its Direct Device Integration API as one gate with one order uses.

    hawkbit.py BUNDLE.swu [PORT]     # says on standard output what the gate tells it
"""
import contextlib
import hashlib
import http.server
import json
import sys
import threading
import time
from pathlib import Path

TENANT, GATE, TOKEN = "DEFAULT", "gate-1", "0123456789abcdef"


class Hawkbit(http.server.ThreadingHTTPServer):
    """`with Hawkbit() as server:`; `order` a bundle, and see `feedback`."""

    daemon_threads = True

    def __init__(self, port: int = 0, token: str = TOKEN) -> None:
        super().__init__(("127.0.0.1", port), Answers)
        self.token = token
        self.bundle: bytes | None = None
        self.action, self.version = 0, 0
        self.polls = 0
        self.attributes: dict = {}
        self.feedback: list[dict] = []
        self.refused = 0
        # An order that is to be given up, and what the gate said to that.
        self.cancelled = 0
        self.given_up: list[dict] = []
        # Seconds of rest after each 64 KiB of a download, and how much of it has gone out.
        self.rest, self.loaded = 0.0, 0
        self.changed = threading.Condition()

    def __enter__(self) -> "Hawkbit":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self.shutdown()
        self.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def order(self, bundle: bytes, version: int) -> None:
        self.bundle, self.version, self.action = bundle, version, self.action + 1

    def cancel(self) -> None:
        """The last order, carried out or not: hawkBit offers it no more and asks for an answer."""
        with self.changed:
            self.bundle, self.cancelled = None, self.action

    def told(self) -> list[tuple[str, str]]:
        """What the gate said of the order: (execution, finished) in order, repetitions once."""
        pairs = [(one["status"]["execution"], one["status"]["result"]["finished"]) for one in self.feedback]
        return [pair for index, pair in enumerate(pairs) if index == 0 or pair != pairs[index - 1]]

    def until(self, condition, patience: float = 30) -> bool:
        with self.changed:
            return self.changed.wait_for(condition, patience)


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_) -> None:
        pass

    def handle(self) -> None:
        # Who starts anew says no good-bye.
        with contextlib.suppress(ConnectionError):
            super().handle()

    def answer(self, content: bytes = b"", kind: str = "application/hal+json", status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        for start in range(0, len(content), 1 << 16):
            self.wfile.write(content[start:start + (1 << 16)])
            if kind == "application/octet-stream":
                self.server.loaded = start
                time.sleep(self.server.rest)

    def heard(self, body=None) -> bool:
        """Whether it is the gate; what it says is read in any case."""
        server = self.server
        octets = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with server.changed:
            known = self.headers.get("Authorization") == f"TargetToken {server.token}" or self.path.startswith("/download/")
            if not known:
                server.refused += 1
            elif body:
                body(json.loads(octets))
            server.changed.notify_all()
        if not known:
            self.answer(status=401)
        return known

    def do_GET(self) -> None:
        server, base = self.server, f"{self.server.url}/{TENANT}/controller/v1/{GATE}"
        path = self.path.split("?")[0]
        if not self.heard():
            return
        if path == f"/{TENANT}/controller/v1/{GATE}":
            with server.changed:
                server.polls += 1
                server.changed.notify_all()
            # Asked for once: a gate that is asked again says that first, and never comes to its order.
            links = {} if server.attributes else {"configData": {"href": f"{base}/configData"}}
            if server.cancelled:
                links["cancelAction"] = {"href": f"{base}/cancelAction/{server.cancelled}"}
            if server.bundle is not None:
                links["deploymentBase"] = {"href": f"{base}/deploymentBase/{server.action}?c=1"}
            self.answer(json.dumps({"config": {"polling": {"sleep": "00:00:01"}}, "_links": links}).encode())
        elif path == f"/{TENANT}/controller/v1/{GATE}/deploymentBase/{server.action}" and server.bundle is not None:
            link = {"href": f"{server.url}/download/bundle.swu"}
            artifact = {
                "filename": "bundle.swu", "size": len(server.bundle), "_links": {"download": link, "download-http": link},
                "hashes": {name: hashlib.new(name, server.bundle).hexdigest() for name in ("sha1", "md5", "sha256")},
            }
            chunk = {"part": "os", "name": "gatehouse", "version": str(server.version), "artifacts": [artifact]}
            deployment = {"download": "forced", "update": "forced", "chunks": [chunk]}
            self.answer(json.dumps({"id": str(server.action), "deployment": deployment}).encode())
        elif server.cancelled and path == f"/{TENANT}/controller/v1/{GATE}/cancelAction/{server.cancelled}":
            self.answer(json.dumps({"id": str(server.cancelled), "cancelAction": {"stopId": str(server.cancelled)}}).encode())
        elif path == "/download/bundle.swu" and server.bundle is not None:
            self.answer(server.bundle, "application/octet-stream")
        else:
            self.answer(status=404)

    def do_POST(self) -> None:
        def told(body) -> None:
            if "/cancelAction/" in self.path:
                self.server.given_up.append(body)
                self.server.cancelled = 0
                return
            self.server.feedback.append(body)
            if body["status"]["execution"] == "closed":
                self.server.bundle = None

        if self.heard(told):
            self.answer()

    def do_PUT(self) -> None:
        if self.heard(lambda body: self.server.attributes.update(body["data"])):
            self.answer()


def main() -> None:
    bundle = Path(sys.argv[1]).read_bytes()
    with Hawkbit(int(sys.argv[2]) if len(sys.argv) > 2 else 8080) as server:
        server.order(bundle, 0)
        print(f"URL={server.url}\nID={GATE}\nTARGET_TOKEN={TOKEN}", flush=True)
        seen = 0
        while server.until(lambda: len(server.feedback) > seen, 3600):
            for one in server.feedback[seen:]:
                print(json.dumps(one["status"]), flush=True)
            seen = len(server.feedback)


if __name__ == "__main__":
    main()
