"""Webhooks against a server whose verifier is PyPI's `standardwebhooks`: what it takes, and what the relay makes of what it says."""
import base64
import email.utils
import hashlib
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from list_server import Authority
from outlet_rig import GATE, AuditWriter, Relay, until
from ports import free_port
from webhook_receiver import Receiver, busy, dribbling, endless, hanging_up, new_secret, no_http, sent_on, silent


class Setting:
    def __init__(self, tmp_path) -> None:
        self.folder, self.authority, self.secret = tmp_path, Authority(tmp_path), new_secret()
        self.log = AuditWriter(tmp_path / "log")
        self.secret_file = tmp_path / "secret"
        self.keep(self.secret_file, self.secret)

    def keep(self, file, secret: str) -> None:
        file.write_text(secret + "\n")
        file.chmod(0o600)

    def settings(self, port: int, **more) -> dict:
        return {"url": f"https://localhost:{port}/gates?x=1", "authorities": self.authority.file, "secretFile": self.secret_file,
                "detail": "all", "timeout": 60, **more}

    def relay(self, port: int, **more) -> Relay:
        return Relay("webhook", self.folder, self.log.folder, **self.settings(port, **more))


@pytest.fixture
def setting(tmp_path):
    return Setting(tmp_path)


@pytest.fixture
def receiver(setting):
    with Receiver(setting.authority) as receiver:
        yield receiver


def beside_each_other(tmp_path, cases: dict, body) -> None:
    """Each case with a relay and a receiver of its own: all of them wait through the same five seconds."""
    def one(name) -> None:
        folder = tmp_path / str(name).replace(" ", "-")
        folder.mkdir()
        setting = Setting(folder)
        with Receiver(setting.authority) as receiver:
            body(setting, receiver, *cases[name])
    with ThreadPoolExecutor(len(cases)) as pool:
        for name, done in {name: pool.submit(one, name) for name in cases}.items():
            try:
                done.result()
            except AssertionError as error:
                raise AssertionError(f"{name}: {error}") from error


def test_what_a_verifier_takes_and_what_it_refuses(setting, receiver):
    setting.log.start()
    setting.log.visits(99)
    with setting.relay(receiver.port) as relay:
        until(lambda: relay.cursor() == 100, lambda: f"the cursor ({relay.status()}, {relay.said()})")
        assert receiver.numbers() == list(range(1, 101))
    lines = (setting.log.folder / "audit.jsonl").read_text().splitlines()
    for post, line in zip(receiver.posts, lines):
        content = post.verify(setting.secret)
        assert content["data"] == json.loads(line) and line.encode() in post.body
        assert content["type"] == "gatehouse." + content["data"]["event"] and content["gate"] == GATE
    post = receiver.posts[9]
    assert post.headers["webhook-id"] == f"{GATE}-10-{hashlib.sha256(lines[9].encode()).hexdigest()[:16]}" and post.headers["content-type"] == "application/json"
    # Five changes, each refused: the body, the id, the time, another key, a signature cut short.
    changed = type(post)(post.headers, post.body.replace(b"rejected", b"accepted"))
    assert changed.body != post.body and changed.is_refused(setting.secret)
    assert post.is_refused(setting.secret, **{"webhook-id": post.headers["webhook-id"].replace("-10-", "-11-")})
    assert post.is_refused(setting.secret, **{"webhook-timestamp": str(int(post.headers["webhook-timestamp"]) - 400)})
    assert post.is_refused(new_secret())
    assert post.is_refused(setting.secret, **{"webhook-signature": post.headers["webhook-signature"][:-4]})
    assert not post.is_refused(setting.secret)


def test_while_a_key_changes_both_are_good(setting, receiver):
    old, setting.secret = setting.secret, new_secret()
    setting.keep(setting.folder / "old", old)
    setting.keep(setting.secret_file, setting.secret)
    setting.log.start()
    with setting.relay(receiver.port, oldSecretFile=setting.folder / "old"):
        post = until(lambda: receiver.posts, "a post")[0]
    assert not post.is_refused(old) and not post.is_refused(setting.secret) and post.is_refused(new_secret())


def test_only_verdicts_leave_by_default(setting, receiver):
    setting.log.start()
    setting.log.visits(1)
    with setting.relay(receiver.port, detail="verdicts"):
        until(lambda: len(receiver.posts) >= 2, "two posts")
    data = receiver.posts[1].verify(setting.secret)["data"]
    assert data["outcome"] == "accepted" and not {"issuer", "decidedMs", "prev"} & set(data)


def test_a_refused_record_holds_the_rest(tmp_path):
    """It comes again after five seconds, before anything else, with the same id and a new time."""
    beside_each_other(tmp_path, {status: (status,) for status in (400, 401, 404, 429, 500, 503, 301)}, refused_once)


def refused_once(setting, receiver, status):
    left, cursors = [status], []
    relay = setting.relay(receiver.port)

    def answer(post) -> int:
        # Looked at while the relay waits for the answer: where it is then does not depend on who is faster.
        if post.number == 2 and not left:
            cursors.append(relay.cursor())
        return left.pop() if post.number == 2 and left else 200
    receiver.answer = answer
    setting.log.start()
    setting.log.visits(3)
    with relay:
        relay.says(f"({status})")
        until(lambda: relay.cursor() == 4, "the cursor")
    assert cursors == [1]
    assert receiver.numbers() == [1, 2, 2, 3, 4]
    first, second = receiver.posts[1:3]
    assert second.at - first.at >= 5 and first.headers["webhook-id"] == second.headers["webhook-id"]
    assert int(second.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"]) >= 5 and second.verify(setting.secret)


def test_gone_is_the_end(setting, receiver):
    receiver.answer = lambda post: 410 if post.number == 2 else 200
    setting.log.start()
    setting.log.visits(3)
    with setting.relay(receiver.port) as relay:
        relay.trouble("gone", state="stopped")
        time.sleep(7)
        assert receiver.numbers() == [1, 2] and relay.process.poll() is None
        relay.end()
        assert relay.cursor() == 1
        # A person looked at it.
        receiver.answer = lambda post: 200
        relay.start()
        until(lambda: relay.cursor() == 4, "the cursor")


def test_receivers_that_misbehave(tmp_path):
    beside_each_other(tmp_path, {
        "endless": (lambda receiving: endless(receiving, 400), "refused"), "silent": (silent, "timed-out"), "dribbles": (dribbling, "timed-out"),
        "hangs up": (hanging_up, "closed"), "no HTTP": (no_http, "protocol-broken")}, misbehaving_once)


def misbehaving_once(setting, receiver, way, code):
    left, cursors = [way], []
    # A time-out is waited for only where there is no other end.
    relay = setting.relay(receiver.port, **({"timeout": 2} if code == "timed-out" else {}))

    def answer(post):
        cursors.append(relay.cursor())
        return left.pop() if left else 200
    receiver.answer = answer
    setting.log.start()
    with relay:
        relay.says(code)
        until(lambda: relay.cursor() == 1, "the cursor")
    # Whatever it did the first time: nothing counted before it said 200.
    assert len(cursors) >= 2 and not any(cursors)


def test_a_long_answer_is_an_answer(setting, receiver):
    """Its status decides; the rest of a body that nobody reads is not waited for."""
    receiver.answer = lambda post: endless
    setting.log.start()
    setting.log.visits(2)
    with setting.relay(receiver.port) as relay:
        until(lambda: relay.cursor() == 3, lambda: f"the cursor ({relay.status()}, {relay.said()})")
        assert receiver.numbers() == [1, 2, 3]


def test_a_busy_receiver_says_when(tmp_path):
    """Not after our five seconds, but after those it asks for."""
    beside_each_other(tmp_path, {"seconds": ("9",), "date": (email.utils.formatdate(time.time() + 9, usegmt=True),)}, busy_once)


def busy_once(setting, receiver, after):
    left = [busy(after)]
    receiver.answer = lambda post: left.pop() if left else 200
    setting.log.start()
    with setting.relay(receiver.port) as relay:
        until(lambda: relay.cursor() == 1, "the cursor")
    first, second = receiver.posts
    # A date has no parts of a second; and ours would be six at most.
    assert second.at - first.at >= 7


def test_no_redirect_is_followed(setting, receiver):
    with Receiver(setting.authority) as other:
        receiver.answer = lambda post: sent_on(f"https://localhost:{other.port}/")
        setting.log.start()
        with setting.relay(receiver.port) as relay:
            relay.trouble("refused")
            time.sleep(1)
            assert not other.posts and not other.got and relay.cursor() == 0


def test_a_receiver_that_is_another(setting, receiver, tmp_path):
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other", "Other authority")
    setting.log.start()
    for change in ({"authorities": other.file}, {"url": f"https://127.0.0.1:{receiver.port}/"}):
        with setting.relay(receiver.port, **change) as relay:
            relay.trouble("certificate")
            assert relay.cursor() == 0 and not receiver.posts
    # What the environment says is nobody's word.
    os.environ |= {"SSL_CERT_FILE": str(setting.authority.file), "CURL_CA_BUNDLE": str(setting.authority.file),
                   "https_proxy": "http://127.0.0.1:9"}
    try:
        with setting.relay(receiver.port, authorities=other.file) as relay:
            relay.trouble("certificate")
        with setting.relay(receiver.port) as relay:
            until(lambda: relay.cursor() == 1, "the cursor, past a proxy")
    finally:
        for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "https_proxy"):
            del os.environ[name]


def test_restarts_of_both(setting):
    setting.log.start()
    setting.log.visits(299)
    port, numbers = free_port(), []
    relay = setting.relay(port)
    for round in range(4):
        with Receiver(setting.authority, port) as receiver:
            relay.start()
            wanted = 300 if round == 3 else min(299, 70 * (round + 1))
            until(lambda: receiver.posts and receiver.posts[-1].number >= wanted, lambda: f"record {wanted} ({relay.status()})")
            if round == 3:
                until(lambda: relay.cursor() == 300, "the cursor")
            relay.kill()
        numbers += receiver.numbers()
    assert list(dict.fromkeys(numbers)) == list(range(1, 301)), "in order, and none missing"
    # Sent twice is what the cursor, written five times a second, had not yet: not everything each time.
    assert len(numbers) < 4 * 300


def test_a_clock_in_doubt_signs_nothing(setting, receiver):
    setting.log.start(clock="unsure")
    with setting.relay(receiver.port, clock="gate") as relay:
        relay.trouble("clock")
        setting.log.visits(2)
        time.sleep(2)
        assert not receiver.posts and relay.cursor() == 0
    setting.log.start()
    with setting.relay(receiver.port, clock="gate") as relay:
        until(lambda: relay.cursor() == 4, "the cursor")
        # A gate that is started anew and doubts it is heard before the next post.
        time.sleep(6)
        setting.log.start(clock="unsure")
        setting.log.visits(3)
        relay.trouble("clock")
        assert receiver.numbers() == [1, 2, 3, 4] and relay.cursor() == 4


def test_three_days_are_enough(setting, receiver):
    """A record that was refused since long ago, by what the outlet keeps: the next refusal leaves it out, and says so."""
    receiver.answer = lambda post: 422 if post.number == 2 else 200
    setting.log.start()
    setting.log.visits(3)
    relay = setting.relay(receiver.port)
    with relay:
        relay.trouble("refused")
    kept, tried = relay.state / "refused", receiver.numbers().count(2)
    seen = json.loads(kept.read_text())
    identifier = receiver.posts[1].headers["webhook-id"]
    assert seen["id"] == identifier and seen["refusals"] == 1 and seen["seconds"] < 600
    kept.write_text(json.dumps({**seen, "seconds": 3 * 86_400 - 3600}))
    with relay:
        until(lambda: receiver.numbers().count(2) > tried, "another try")
        relay.trouble("refused")
        assert relay.cursor() == 1, "an hour is left"
    # Time goes on while nobody is asked, and is kept when the process ends; not by a clock that somebody sets.
    assert relay.end() == 0 and 3 * 86_400 - 3600 <= json.loads(kept.read_text())["seconds"] < 3 * 86_400
    kept.write_text(json.dumps({**seen, "seconds": 3 * 86_400}))
    with relay:
        until(lambda: relay.cursor() == 4, lambda: f"the cursor ({relay.said()})")
    left_out = [json.loads(line) for line in (relay.state / "skipped.jsonl").read_text().splitlines()]
    assert [(row["id"], row["status"]) for row in left_out] == [(identifier, 422)] and not kept.exists()


@pytest.mark.parametrize("change, words", [
    ({"url": "http://localhost/"}, "url is not"), ({"url": "https://me:secret@localhost/"}, "url is not"),
    ({"url": "https://"}, "url is not"),
    ({"url": "https://localhost:0/"}, "url is not"), ({"url": "https://localhost/#a"}, "url is not"), ({"url": None}, "url is missing"),
    ({"secretFile": None}, "secretFile is missing"), ({"secretFile": "/nonexistent"}, "cannot be read"), ({"timeout": 0}, "timeout is not"),
    ({"certificate": "/a"}, "certificate and key"), ({"certificate": "/a", "key": "/etc/passwd"}, "others may read it"), ({"redirects": True}, "redirects"),
])
def test_settings_that_are_refused(setting, change, words):
    relay = setting.relay(443)
    settings = {**json.loads(relay.settings.read_text()), **change}
    relay.set(**{name: value for name, value in settings.items() if value is not None})
    done = relay.check()
    assert done.returncode == 2 and words in done.stderr, done


@pytest.mark.parametrize("secret, mode, words", [
    ("whsec_" + base64.b64encode(bytes(23)).decode(), 0o600, "secretFile is not"), ("secret", 0o600, "secretFile is not"),
    ("whsec_" + base64.b64encode(bytes(32)).decode(), 0o644, "others may read it"),
])
def test_secrets_that_are_refused(setting, secret, mode, words):
    setting.keep(setting.secret_file, secret)
    setting.secret_file.chmod(mode)
    done = setting.relay(443).check()
    assert done.returncode == 2 and words in done.stderr, done
    setting.keep(setting.secret_file, "whsec_" + base64.b64encode(bytes(24)).decode())
    assert setting.relay(443).check().returncode == 0
