"""`trust fetch-list` against a server of its own: what it takes, what it refuses, and that it leaves the folder as it was then."""
import hashlib
import json
import os
import subprocess
from pathlib import Path

import pytest

import issuer
from gate import command, is_reference
from linked_issuer import LinkedIssuer, write_trust
from list_server import MIB, Authority, Server, endless, of_type, sent_on, silent, too_large, too_slow, truncated
from status_lists import list_credential, token_cwt, token_jwt

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
PROXIES = {"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"}
ISSUER, STRANGER = issuer.Issuer("EdDSA", "https://issuer.example"), issuer.Issuer("EdDSA", "https://stranger.example")


class Desk:
    """An operator's computer, and a server that only this computer's authority vouches for."""

    def __init__(self, folder: Path, server: Server, authority: Authority) -> None:
        self.folder, self.server, self.authority = folder, server, authority
        self.trust = issuer.write_trust(folder / "trust", ISSUER)

    def fetch(self, path: str, *options, environment: dict = {}, url: str | None = None, wrapper: tuple = ()) -> subprocess.CompletedProcess:
        program, *words = command()
        program = os.path.abspath(program) if "/" in program else program
        clean = {name: value for name, value in os.environ.items() if name not in PROXIES}
        url = url or self.server.url(path)
        return subprocess.run([*wrapper, program, *words, "trust", "fetch-list", url, "--cacert", str(self.authority.file), *map(str, options)],
                              capture_output=True, text=True, timeout=120, cwd=self.folder, env={**clean, **environment})

    def taken(self, path: str, *options, **more) -> str:
        result = self.fetch(path, *options, **more)
        assert (result.returncode, result.stderr) == (0, ""), result
        return result.stdout

    def refused(self, path: str, *options, words: str, status: int = 1, **more) -> str:
        """And nothing of the folder changes."""
        before = self.files()
        result = self.fetch(path, *(options or ("--folder", self.trust)), **more)
        assert (result.returncode, result.stdout) == (status, ""), result
        assert any(line.startswith("refused: " if status == 1 else "Error: ") for line in result.stderr.splitlines()), result
        assert words in result.stderr, result
        assert self.files() == before
        return result.stderr

    def files(self) -> dict:
        return {file: file.read_bytes() for file in self.trust.rglob("*") if file.is_file()}

    def rows(self) -> list:
        return json.loads((self.trust / "lists.json").read_text())["lists"]


@pytest.fixture
def desk(tmp_path, served):
    server, authority = served
    server.pages.clear()
    server.asked.clear()
    return Desk(tmp_path, server, authority)


def publish(desk: Desk, path: str = "/status/1", by=ISSUER, name: str | None = None, **options) -> bytes:
    """A list under its own address."""
    octets = token_jwt(by, name or desk.server.url(path), {7: 1}, **options).encode()
    desk.server.pages[path] = of_type(octets, "application/statuslist+jwt")
    return octets


# MARK: what is taken

def test_a_list_comes_into_the_folder_with_its_time(desk):
    octets, url = publish(desk, ttl=3600), desk.server.url("/status/1")
    said = desk.taken("/status/1", "--folder", "trust", "--for", ISSUER.name)
    row, = desk.rows()
    assert row["url"] == url and (desk.trust / row["file"]).read_bytes() == octets and row["file"].startswith("lists/localhost-")
    for words in (url, "statuslist+jwt, 65536 entries", f"{len(octets)} octets, SHA-256 {hashlib.sha256(octets).hexdigest()}", "made 20", "ends 20",
                  "to be fetched again after 3600 s", "verified: the signature of an issuer", row["fetched"], row["file"]):
        assert words in said, words
    # What it asks for, and that it says it is nobody's browser.
    path, headers = desk.server.asked[0]
    assert path == "/status/1" and headers["Accept"].startswith("application/statuslist+jwt,") and "Cookie" not in headers
    # The bundle takes it as it lies there.
    built = subprocess.run([*command(), "trust", "build", desk.trust, "--sequence", "1", "--valid-for", "30", "--out", desk.folder / "bundle"],
                           capture_output=True, text=True, timeout=120)
    assert (built.returncode, built.stderr) == (0, ""), built
    shown = subprocess.run([*command(), "trust", "inspect", desk.folder / "bundle"], capture_output=True, text=True, timeout=120).stdout
    assert f"list {url} {len(octets)} octets SHA-256 {hashlib.sha256(octets).hexdigest()} fetched {row['fetched']}" in shown


def test_again_in_the_place_of_the_first(desk):
    publish(desk)
    desk.taken("/status/1", "--folder", "trust")
    desk.taken("/status/1", "--folder", "trust")
    row, = desk.rows()
    # As it would stand there a day later, with what somebody wrote beside it.
    text = '{ "gatehouse-lists": 1,\n  "lists": [ { "fetched": "2026-01-01T00:00:00Z", "file": "own name", "url": "%s" } ] }\n' % row["url"]
    (desk.trust / "lists.json").write_text(text)
    newer = publish(desk)
    desk.taken("/status/1", "--folder", "trust")
    found, = desk.rows()
    assert (desk.trust / "own name").read_bytes() == newer and found["file"] == "own name" and found["fetched"] > "2026-01-01T00:00:00Z"
    assert (desk.trust / "lists.json").read_text() == text.replace("2026-01-01T00:00:00Z", found["fetched"])
    # Another list has a file of its own, whatever its address looks like.
    publish(desk, "/status-1")
    (desk.trust / "lists.json").write_text(text.replace("own name", "lists/" + desk.server.url("/status-1")[8:].replace(":", "-").replace("/", "-")))
    desk.taken("/status-1", "--folder", "trust")
    assert len({row["file"] for row in desk.rows()}) == len(desk.rows()) == 2 and desk.rows()[1]["file"].endswith("-2")


def test_an_old_list_does_not_take_the_place_of_a_newer_one(desk):
    """Its signature holds as well as ever: a server, or what is between, may have kept it."""
    publish(desk, issued=-1)
    desk.taken("/status/1", "--folder", "trust")
    publish(desk, issued=-2)
    desk.refused("/status/1", words="before the one in")
    publish(desk, issued=-1)
    desk.taken("/status/1", "--folder", "trust")
    # What lies there and is no list says nothing about time.
    (desk.trust / desk.rows()[0]["file"]).write_bytes(b"no list")
    publish(desk, issued=-2)
    desk.taken("/status/1", "--folder", "trust")


def test_every_form(desk):
    linked = LinkedIssuer("eddsa-rdfc-2022 EdDSA")
    folder = write_trust(desk.folder / "forms", linked)
    issuer.write_trust(folder, issuer.Issuer("ES256", "https://other.example"))
    cose = issuer.Issuer("ES256", "https://cose.example")
    (folder / "cose.json").write_text(json.dumps(issuer.trust_entry(cose, forms=["cwt"])))
    url = desk.server.url("/w3c")
    desk.server.pages["/w3c"] = json.dumps(list_credential(linked, url, [7], ttl=60_000)).encode()
    said = desk.taken("/w3c", "--folder", folder)
    assert "BitstringStatusListCredential, 131072 entries" in said and "for revocation" in said and "after 60 s" in said and linked.name in said
    for path, octets in (("/cwt", token_cwt(cose, desk.server.url("/cwt"), {7: 1}, bits=2)),):
        for content in (octets, octets.hex().encode()):
            desk.server.pages[path] = content
            said = desk.taken(path, "--folder", folder)
            assert "statuslist+cwt, 65536 entries" in said and "issuer not said" in said and "verified" in said


def test_a_file_and_its_row(desk):
    octets, url = publish(desk, by=STRANGER), desk.server.url("/status/1")
    said = desk.taken("/status/1", "--out", "list")
    assert (desk.folder / "list").read_bytes() == octets and "! not verified: " in said and not (desk.trust / "lists.json").exists()
    row = json.loads(said.splitlines()[-1])
    assert set(row) == {"url", "file", "fetched"} and (row["url"], row["file"]) == (url, "list")
    # The row is one that `build` takes.
    publish(desk)
    row = json.loads(desk.taken("/status/1", "--out", "trust/list", "--folder", "trust").splitlines()[-1])
    assert not (desk.trust / "lists.json").exists()
    (desk.trust / "lists.json").write_text(json.dumps({"gatehouse-lists": 1, "lists": [{**row, "file": "list"}]}))
    built = subprocess.run([*command(), "trust", "build", desk.trust, "--sequence", "1", "--valid-for", "30", "--out", desk.folder / "bundle"],
                           capture_output=True, text=True, timeout=120)
    assert built.returncode == 0, built


def test_sent_on_to_another_address(desk):
    octets = publish(desk, "/there", name=desk.server.url("/here"))
    desk.server.pages |= {"/here": sent_on("/on"), "/on": sent_on(desk.server.url("/there"), 308)}
    said = desk.taken("/here", "--folder", "trust")
    assert f"sent on to {desk.server.url('/there')}" in said
    row, = desk.rows()
    # Credentials call it by the first.
    assert row["url"] == desk.server.url("/here") and (desk.trust / row["file"]).read_bytes() == octets


def test_a_list_under_another_name(desk):
    name = "urn:example:list"
    publish(desk, name=name)
    assert f"! calls itself {name}" in desk.refused("/status/1", words="name-mismatch")
    entry = next(desk.trust.glob("*.json"))
    mapped = {**json.loads(entry.read_text()), "status": {"lists": [{"url": desk.server.url("/status/1"), "name": name}]}}
    entry.write_text(json.dumps(mapped))
    assert f"! calls itself {name}" in desk.taken("/status/1", "--folder", "trust")


# MARK: hostile servers

def hostile(desk: Desk) -> dict:
    good = token_jwt(ISSUER, desk.server.url("/good"), {7: 1}).encode()
    plain = "http" + desk.server.url("/good")[5:]
    return {
        "too large": (too_large, "more than 1 MiB"), "endless": (endless, "more than 1 MiB"),
        "one octet too many": (good + b" " * (MIB + 1 - len(good)), "more than 1 MiB"),
        "truncated": (truncated(good), "broke off before its end"), "cut": (good[:len(good) // 2], "no status list"),
        "to http": (sent_on(plain), "only https is followed"), "to a file": (sent_on("file:///etc/passwd"), "only https is followed"),
        "round in circles": (sent_on("/round in circles".replace(" ", "-")), "more than 3 times"),
        "to nowhere": (lambda answer: answer.begin(302, "text/plain", 0), "answered 302"),
        "a page": (of_type(b"<!DOCTYPE html>\x1b[2J<title>Sign in</title>", "text/html"), "no status list: 41 octets (text/html) that begin with <!DOCTYPE"),
        "a visitor's credential": (ISSUER.credential().encode(), "no status list"), "JSON": (b"{}", "no status list"),
        "nothing": (b"", "answered with nothing"), "no such page": (None, "answered 404"),
        "no content": (lambda answer: answer.begin(204, "text/plain", None), "answered 204"),
        "hangs up": (lambda answer: answer.connection.close(), ""),
    }


@pytest.mark.parametrize("name", (
    "too large", "endless", "one octet too many", "truncated", "cut", "to http", "to a file", "round in circles", "to nowhere", "a page",
    "a visitor's credential", "JSON", "nothing", "no such page", "no content", "hangs up"))
def test_hostile_servers(desk, name):
    content, words = hostile(desk)[name]
    path = "/" + name.replace(" ", "-").replace("'", "")
    if content is not None:
        desk.server.pages[path] = content
    said = desk.refused(path, words=words)
    assert "\x1b" not in said
    desk.refused(path, "--out", "list", words=words)
    assert not (desk.folder / "list").exists()


@pytest.mark.parametrize("way", (too_slow, silent), ids=("dribbles", "silent"))
def test_slow_servers(desk, way):
    desk.server.pages["/slow"] = way
    desk.refused("/slow", "--folder", "trust", "--timeout", 1, words="not there in time")


def test_as_large_as_a_list_may_be(desk):
    octets = publish(desk)
    desk.server.pages["/status/1"] = octets + b" " * (MIB - len(octets))
    desk.taken("/status/1", "--folder", "trust")
    assert (desk.trust / desk.rows()[0]["file"]).stat().st_size == MIB


# MARK: whom it believes

def test_lists_that_would_say_nothing(desk):
    for change, words in (({"by": STRANGER}, "list-unsigned"), ({"expires": -0.5}, "list-not-current"), ({"issued": 5}, "list-not-current"),
                          ({"by": STRANGER, "iss": STRANGER.name}, "issuer-mismatch")):
        publish(desk, **change)
        said = desk.refused("/status/1", words=f"says nothing ({words})")
        assert "statuslist+jwt" in said, "what came is told all the same"
    other = issuer.Issuer("EdDSA", "https://other.example")
    (desk.trust / "other.json").write_text(json.dumps(issuer.trust_entry(other)))
    publish(desk, by=other)
    desk.refused("/status/1", "--folder", "trust", "--for", ISSUER.name, words=f"is a list of {other.name}, not of {ISSUER.name}")
    desk.taken("/status/1", "--folder", "trust", "--for", ISSUER.name, "--for", other.name)


def test_the_server_has_to_prove_who_it_is(desk, tmp_path):
    publish(desk)
    stranger = Authority(tmp_path, "Other authority")
    words = "does not prove by a certificate"
    desk.refused("/status/1", "--folder", "trust", "--cacert", stranger.file, words=words)
    desk.refused("/status/1", url=desk.server.url("/status/1", "127.0.0.1"), words=words)
    # Neither the owner's configuration of curl nor variables of its own change that.
    (tmp_path / ".curlrc").write_text("insecure\n")
    desk.refused("/status/1", "--folder", "trust", "--cacert", stranger.file, words=words,
                 environment={"HOME": str(tmp_path), "CURL_HOME": str(tmp_path), "CURL_CA_BUNDLE": str(desk.authority.file),
                              "SSL_CERT_FILE": str(desk.authority.file)})
    desk.refused("/status/1", "--folder", "trust", "--cacert", "nowhere.pem", words="--cacert", status=2)
    with Server() as plain:
        plain.pages["/status/1"] = b"list"
        desk.refused("", url="https" + plain.url("/status/1")[4:], words="nothing fetched")


def test_a_proxy_is_said(desk):
    publish(desk)
    with Server() as proxy:
        named = {"https_proxy": proxy.url("/").replace("://", "://me:secret@")}
        said = desk.refused("/status/1", words="refused: ", environment=named)
        assert f"through the proxy {proxy.url('/')} (https_proxy)" in said and "secret" not in said
        assert [path for path, _ in proxy.asked] == [f"localhost:{desk.server.server_address[1]}"] and not desk.server.asked
        result = desk.fetch("/status/1", "--folder", "trust", environment={**named, "no_proxy": "localhost"})
        assert result.returncode == 0 and "but for localhost (no_proxy)" in result.stderr, result
        assert len(proxy.asked) == 1


# MARK: before anybody is asked

@pytest.mark.parametrize("url, words", (
    ("http://localhost/1", "only https"), ("file:///etc/passwd", "only https"), ("localhost/1", "only https"), ("https://", "not an address"),
    ("https://me:secret@localhost/1", "not an address"), ("https://localhost/1#a", "not an address"), ("https://localhost/\n", "not an address"),
    ("https://h\u00f6st.example/", "not an address")))
def test_addresses_that_are_none(desk, url, words):
    desk.refused("", url=url, words=words, status=2)


def test_options_that_do_not_go_together(desk):
    publish(desk)
    result = desk.fetch("/status/1")
    assert result.returncode == 2 and "--folder FOLDER, or --out FILE" in result.stderr
    desk.refused("/status/1", "--out", "list", "--for", ISSUER.name, words="--for", status=2)
    for seconds in ("0", "601"):
        desk.refused("/status/1", "--folder", "trust", "--timeout", seconds, words="--timeout", status=2)
    desk.refused("/status/1", "--folder", "nowhere", words="cannot be read")
    (desk.trust / "lists.json").write_text("{}")
    desk.refused("/status/1", words="gatehouse-lists")
    assert not desk.server.asked


@pytest.mark.parametrize("file", ("../outside", "lists/../../outside", "/outside", "", "a\\u0000b"))
def test_a_row_that_leads_out_of_the_folder(desk, file):
    publish(desk)
    (desk.trust / "lists.json").write_text('{"gatehouse-lists":1,"lists":[{"url":"%s","file":"%s"}]}' % (desk.server.url("/status/1"), file))
    desk.refused("/status/1", words="is no path of a file in the folder")
    assert not (desk.folder / "outside").exists()


def test_without_curl(desk):
    publish(desk)
    desk.refused("/status/1", words="there is no curl on this computer, which does the fetching: apt install curl", status=2,
                 environment={"PATH": "/nonexistent"})
    assert not desk.server.asked


def test_never_on_a_gate(desk):
    """As root of a name space of its own, where this system has a gate's unit."""
    folder = "/etc/systemd/system"
    script = f'mount -t tmpfs tmpfs {folder} && : >{folder}/gatehouse.service && exec "$@"'
    inside = ("unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh")
    if not os.path.isdir(folder) or subprocess.run([*inside, "true"], capture_output=True).returncode:
        pytest.skip("no mount name space, or no folder of units, on this machine")
    publish(desk)
    said = desk.refused("/status/1", wrapper=inside, words="a gate never goes online")
    assert "/etc/systemd/system/gatehouse.service" in said and not desk.server.asked
