"""What root does as the site file says: only lines that look as they must, whoever wrote them."""
import base64
import os

import pytest

from lab import PROGRAMS

SCRIPT = f"{PROGRAMS}/settings"
CONF, SERVERS = "gatehouse-hawkbit.conf", "gatehouse-ntp.conf"
OUTLETS = ("metrics", "mqtt", "site", "syslog", "trust", "webhook")
# Of the relay only whether it takes its settings is asked here; what that says is its own tests' (Tests/Peers/relay).
RELAY = """#!/bin/sh
echo "$*" >> /run/relay
! grep -q refused "$3" || { echo "gatehouse-relay $1: $3: gate cannot be that"; printf 'x\\033]0;y'; exit 2; } >&2
"""


@pytest.fixture
def board(board):
    (board.place / "run/gatehouse-settings").mkdir()
    (board.place / "run/gatehouse-settings/id").write_text("gate-17\n")
    relay = board.place / "upper/usr/bin/gatehouse-relay"
    relay.parent.mkdir(parents=True, exist_ok=True)
    relay.write_text(RELAY)
    relay.chmod(0o755)
    return board


def applied(board, shown: str, conf: str = CONF) -> str | None:
    """What the file has that is written where this is shown, if there is one then."""
    (board.place / "run/gatehouse-settings.shown").write_text(shown)
    code, said = board.run(f"/{SCRIPT}", "apply")
    assert code == 0, said
    file = board.place / "run" / conf
    assert not file.with_suffix(".conf.new").exists()
    return file.read_text() if file.exists() else None


def test_the_update_server_and_the_gates_id(board):
    assert applied(board, "update url=https://u.example\nupdate targetToken=abc\nupdate poll=60\n") == "URL=https://u.example\nTARGET_TOKEN=abc\nPOLL=60\nID=gate-17\n"
    assert board.asked() == ["--no-block restart gatehouse-hawkbit.service", "--no-block stop gatehouse-ntp.service"]
    assert (board.place / "run" / CONF).stat().st_mode & 0o777 == 0o600


def test_an_id_of_its_own_stays(board):
    assert applied(board, "update url=https://u.example\nupdate id=front\n") == "URL=https://u.example\nID=front\n"


def test_without_a_server_the_one_before_goes(board):
    applied(board, "update url=https://u.example\n")
    assert applied(board, "") is None
    assert "--no-block stop gatehouse-hawkbit.service" in board.asked()


@pytest.mark.parametrize("line", [
    "update url=$(reboot)", 'update url=https://u.example"; x', "update url=", "update other=1", "url=https://u.example", "update url=" + "a" * 600, "xupdate url=a"])
def test_other_lines_have_no_effect(board, line):
    assert applied(board, line + "\n") is None


def test_the_servers_that_set_the_clock(board):
    shown = "timeSync true\ntimeServers time.example\ntimeServers 2001:db8::1\n"
    assert applied(board, shown, SERVERS) == "server time.example iburst\nserver 2001:db8::1 iburst\n"
    assert board.asked()[-1] == "--no-block restart gatehouse-ntp.service"
    # chronyd is not root.
    assert (board.place / "run" / SERVERS).stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("shown", ["", "timeServers time.example\n", "timeSync false\ntimeServers time.example\n"])
def test_a_clock_that_no_network_is_to_set_any_more(board, shown):
    applied(board, "timeSync true\ntimeServers time.example\n", SERVERS)
    assert applied(board, shown, SERVERS) is None
    assert board.asked()[-1] == "--no-block stop gatehouse-ntp.service" and board.console() == []


AUTHORITY = "MIIB" + "A" * 66 + "=="


def test_servers_that_prove_who_they_are(board):
    shown = f"timeSync true\ntimeServers nts:time.example\ntimeServers nts:2001:db8::1\ntimeServers plain.example\ntimeAuthorities {AUTHORITY}\ntimeAuthorities {AUTHORITY}\n"
    assert applied(board, shown, SERVERS) == "server time.example iburst nts\nserver 2001:db8::1 iburst nts\nserver plain.example iburst\n"
    certificates = board.place / "run/gatehouse-ntp.pem"
    assert certificates.read_text() == f"-----BEGIN CERTIFICATE-----\n{AUTHORITY[:64]}\n{AUTHORITY[64:]}\n-----END CERTIFICATE-----\n" * 2
    assert certificates.stat().st_mode & 0o777 == 0o644 and not certificates.with_suffix(".pem.new").exists()


def test_without_authorities_nobody_is_asked_without_proof_instead(board):
    assert applied(board, "timeSync true\ntimeServers nts:time.example\n", SERVERS) is None
    assert board.asked()[-1] == "--no-block stop gatehouse-ntp.service"
    assert applied(board, "timeSync true\ntimeServers nts:time.example\ntimeServers plain.example\n", SERVERS) == "server plain.example iburst\n"


@pytest.mark.parametrize("line", ["timeAuthorities AAAA\\nserver x", "timeAuthorities A$(reboot)", "timeAuthorities -----BEGIN", "timeAuthorities ", "timeAuthorities A==="])
def test_other_lines_are_no_certificate(board, line):
    assert applied(board, f"timeSync true\ntimeServers nts:time.example\n{line}\n", SERVERS) is None
    assert not (board.place / "run/gatehouse-ntp.pem").exists()


def test_authorities_go_with_the_servers(board):
    applied(board, f"timeSync true\ntimeServers nts:time.example\ntimeAuthorities {AUTHORITY}\n", SERVERS)
    assert (board.place / "run/gatehouse-ntp.pem").exists()
    applied(board, "timeSync false\n", SERVERS)
    assert not (board.place / "run/gatehouse-ntp.pem").exists()


@pytest.mark.parametrize("conf, shown", [(SERVERS, ""), (SERVERS, "timeSync false\ntimeServers time.example\n"), (SERVERS, "timeSync true\n"), (CONF, ""), (CONF, "timeSync true\n")])
def test_what_an_apply_that_was_killed_left_behind_has_no_effect(board, conf, shown):
    (board.place / "run" / f"{conf}.new").write_text("server left.example iburst\nURL=https://left.example\n")
    assert applied(board, shown, conf) is None
    assert not any("restart" in line for line in board.asked())


def test_near_it_what_is_asked_for_now_is_done(board):
    (board.place / "run" / f"{SERVERS}.new").write_text("server left.example iburst\n")
    assert applied(board, "timeSync true\ntimeServers time.example\n", SERVERS) == "server time.example iburst\n"


def test_a_network_without_a_server_is_told_and_nobody_is_asked(board):
    assert applied(board, "timeSync true\n", SERVERS) is None
    assert board.asked()[-1] == "--no-block stop gatehouse-ntp.service"
    assert board.console() == ["gatehouse-settings: the site file wants the clock set by a network, and names no server (timeServers): it is not"]


@pytest.mark.parametrize("server", [
    "time.example iburst", "time.example\tkey 1", "-time.example", ".example", "$(reboot)", "`reboot`", "a;b", "a/b", "a%eth0", "a_b", "[::1]", "a\r", "a#b", "é.example",
    "", "a" * 254])
def test_a_server_is_a_name_or_an_address(board, server):
    assert applied(board, f"timeSync true\ntimeServers {server}\n", SERVERS) is None
    assert applied(board, f"timeSync true\ntimeServers {server}\ntimeServers time.example\n", SERVERS) == "server time.example iburst\n"


def test_no_more_than_eight_servers(board):
    names = [f"{number}.example" for number in range(10)]
    written = applied(board, "timeSync true\n" + "".join(f"timeServers {name}\n" for name in names), SERVERS)
    assert written == "".join(f"server {name} iburst\n" for name in names[:8])


# MARK: outlets

@pytest.fixture
def folder(board):
    """As the start of the board makes it: its group is that of the outlets."""
    folder = board.place / "run/gatehouse-outlets"
    folder.mkdir()
    os.chown(folder, 0, 902)
    folder.chmod(0o2750)
    return folder


def of_files(**files: str) -> str:
    return "".join(f"outlets {name.replace('_', '.')}={base64.b64encode(text.encode()).decode()}\n" for name, text in files.items())


def asked_of(board) -> dict[str, str]:
    """What systemd was asked of each outlet, last."""
    found = {}
    for line in board.asked():
        words = line.split()
        if words[-1].startswith("gatehouse-relay@"):
            found[words[-1].removeprefix("gatehouse-relay@").removesuffix(".service")] = words[-2]
    return found


def test_an_outlet_gets_its_files_and_starts_and_the_others_end(board, folder):
    applied(board, of_files(mqtt_json='{"gate":"east-1"}', ca_pem="-----BEGIN\n", password="ü" * 10_000))
    assert {file.name: file.read_text() for file in folder.iterdir()} == {"mqtt.json": '{"gate":"east-1"}', "ca.pem": "-----BEGIN\n", "password": "ü" * 10_000}
    facts = (folder / "password").stat()
    assert (facts.st_uid, facts.st_gid, facts.st_mode & 0o777) == (0, 902, 0o640)
    assert asked_of(board) == {kind: "restart" if kind == "mqtt" else "stop" for kind in OUTLETS} and board.console() == []
    assert (board.place / "run/relay").read_text() == "mqtt --settings /run/gatehouse-outlets/mqtt.json --state /var/lib/gatehouse-relay/mqtt --check\n"


def test_without_settings_none_runs_and_no_file_of_before_is_left(board, folder):
    applied(board, of_files(mqtt_json="{}", password="x"))
    applied(board, "update url=https://u.example\n")
    assert list(folder.iterdir()) == [] and set(asked_of(board).values()) == {"stop"}


def test_settings_that_it_does_not_take_are_told_in_one_plain_line(board, folder):
    applied(board, of_files(mqtt_json="refused", syslog_json="{}"))
    assert asked_of(board) == {kind: "restart" if kind == "syslog" else "stop" for kind in OUTLETS}
    assert board.console() == ["gatehouse-settings: gatehouse-relay mqtt: /run/gatehouse-outlets/mqtt.json: gate cannot be thatx]0;y"]


@pytest.mark.parametrize("line", [
    "outlets ../passwd=eA==", "outlets a/b=eA==", "outlets .a=eA==", "outlets -a=eA==", "outlets A=eA==", "outlets =eA==", "outlets a=", "outlets a=e A==",
    "outlets a=$(reboot)", "outlets a=eA===", "outlets a;b=eA==", "outlets " + "a" * 65 + "=eA==", "xoutlets a=eA==", "a=eA=="])
def test_other_lines_make_no_file(board, folder, line):
    applied(board, line + "\n" + of_files(near="x"))
    assert [file.name for file in folder.iterdir()] == ["near"] and not (board.place / "run/passwd").exists()


def test_no_more_than_twenty_four_files(board, folder):
    applied(board, of_files(**{f"f{number}": "x" for number in range(30)}))
    assert len(list(folder.iterdir())) == 24


def test_a_board_without_that_folder_has_no_outlets(board):
    applied(board, of_files(mqtt_json="{}"))
    assert asked_of(board) == {} and not (board.place / "run/gatehouse-outlets").exists()
