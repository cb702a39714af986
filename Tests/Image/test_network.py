"""A network where a board's NETWORK wants one: what the tree gets by it and has not without, and what the card's file may say."""
import os
import re
import subprocess
from pathlib import Path

import pytest

from test_boards import configuration, lock

REPOSITORY = Path(__file__).resolve().parents[2]
IMAGE = REPOSITORY / "image"
NETWORK = IMAGE / "network"
PROGRAMS = NETWORK / "usr/lib/gatehouse"


# MARK: the tree

@pytest.fixture(scope="module")
def kernel(tmp_path_factory) -> Path:
    """The Raspberry Pi's kernel package, unpacked."""
    folder = tmp_path_factory.mktemp("kernel")
    begin = f"""set -euo pipefail
        . {IMAGE}/debian/lock.sh
        scratch={folder}
        grep -h '^kernel ' {REPOSITORY}/board/raspberry-pi/packages.lock > {folder}/lock
        fetch {folder}/lock
        """
    # What the archive has not any more is no fault of the tree's; anything after that is.
    done = subprocess.run(["bash", "-c", begin], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"the kernel's package is not to be had: {done.stderr[-300:]}")
    subprocess.run(["bash", "-c", begin + f"""unpack "$(files {folder}/lock kernel)" {folder}/tree --wildcards './usr/lib/modules/*'
        [ -e {folder}/tree/lib ] || ln -s usr/lib {folder}/tree/lib
        depmod -b {folder}/tree "$(ls {folder}/tree/usr/lib/modules)" """], check=True)
    return folder / "tree"


def tree(folder: Path, kernel: Path, network: str, board: str = "raspberry-pi") -> Path:
    """What network.sh makes of a root tree in which only systemd's daemon is."""
    root = folder / "root"
    for name in ("usr/lib/systemd/system", "usr/lib/systemd/network", "usr/lib/aarch64-linux-gnu", "usr/sbin", "usr/lib/gatehouse"):
        (root / name).mkdir(parents=True)
    (root / "lib").symlink_to("usr/lib")
    for name in ("system/systemd-networkd.service", "network/99-default.link", "network/80-wifi-adhoc.network"):
        (root / "usr/lib/systemd" / name).touch()
    (folder / "root.kernel").symlink_to(kernel)
    environment = {**os.environ, "NETWORK": network}
    subprocess.run([IMAGE / "lock.sh", "used", board, folder / "packages.lock"], check=True, env=environment)
    subprocess.run([IMAGE / "network.sh", board, root], check=True, env=environment)
    return root


def modules(root: Path) -> set[str]:
    return {path.stem.replace("-", "_") for path in root.rglob("*.ko")}


WIRED = {"smsc95xx", "lan78xx", "genet", "mdio_bcm_unimac", "broadcom", "microchip", "smsc"}
RADIO = {"brcmfmac", "brcmutil", "cfg80211", "brcmfmac_wcc", "brcmfmac_cyw"}


def test_by_cable(tmp_path, kernel):
    root = tree(tmp_path, kernel, "ethernet")
    assert WIRED | {"usbnet", "bcm_phy_lib", "libphy"} <= modules(root) and not RADIO & modules(root)
    wants = root / "etc/systemd/system/multi-user.target.wants"
    assert {path.name for path in wants.iterdir()} == {"systemd-networkd.service", "gatehouse-network.service", "gatehouse-resolv.path"}
    assert {path.name for path in (root / "usr/lib/systemd/network").iterdir()} == {"99-default.link", "80-gatehouse.network"}
    assert not (root / "usr/lib/firmware").exists() and not (root / "usr/sbin/wpa_supplicant").exists()
    assert not any(row[0] == "wifi" for row in lock(tmp_path / "packages.lock"))


def test_by_wifi(tmp_path, kernel):
    root = tree(tmp_path, kernel, "ethernet wifi")
    assert WIRED | RADIO <= modules(root)
    firmware = root / "usr/lib/firmware"
    found = {str(path.relative_to(firmware)) for path in firmware.rglob("*") if path.is_file()}
    # The chips of the 3 and Zero 2 W, and of the 3+ and 4, with its limits, the board's calibration, rules for channels, signed.
    chips = {"brcm/brcmfmac43430-sdio": {"3-model-b", "model-zero-2-w"}, "brcm/brcmfmac43455-sdio": {"3-model-a-plus", "3-model-b-plus", "4-model-b"}}
    wanted = {"regulatory.db", "regulatory.db.p7s"}
    for chip, models in chips.items():
        wanted |= {f"{chip}.bin", f"{chip}.clm_blob"} | {f"{chip}.raspberrypi,{model}.txt" for model in models}
    assert found == wanted and all((firmware / name).stat().st_size > 500 for name in wanted)
    assert not any(path.is_symlink() for path in firmware.rglob("*"))
    assert sum(path.stat().st_size for path in firmware.rglob("*") if path.is_file()) < 2 << 20
    assert (root / "etc/systemd/system/multi-user.target.wants/gatehouse-wifi.service").is_symlink()
    # All that the program links is there, or of a package of every root.
    here = {path.name for path in (root / "usr/lib/aarch64-linux-gnu").iterdir()}
    locked = {row[2] for row in lock(tmp_path / "packages.lock") if row[0] == "root"}
    others = {"libc6": {"libc.so.6", "libm.so.6", "ld-linux-aarch64.so.1"}, "libssl3t64": {"libssl.so.3", "libcrypto.so.3"}, "libsystemd0": {"libsystemd.so.0"}}
    assert others.keys() <= locked
    for path in [root / "usr/sbin/wpa_supplicant", *(root / "usr/lib/aarch64-linux-gnu").iterdir()]:
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout))
        assert needed <= here.union(*others.values()), path


def test_without_it_nothing(tmp_path, kernel):
    root = tree(tmp_path, kernel, "")
    assert modules(root) == set() and not (root / "etc").exists() and (root / "usr/lib/systemd/network/80-wifi-adhoc.network").exists()
    assert not any(row[0] == "wifi" for row in lock(tmp_path / "packages.lock"))


@pytest.mark.parametrize("board", ["qemu-virt", "raspberry-pi", "template"])
def test_a_board_has_none_unless_somebody_wants_it(board):
    found = configuration(board)
    assert found["NETWORK"] == "" and not (WIRED | RADIO | {"virtio_net"}) & set(found["MODULES"].split())


def test_a_word_that_is_no_network_is_refused():
    done = subprocess.run([IMAGE / "build.sh", "qemu-virt"], env={**os.environ, "NETWORK": "ethernet wlan"}, capture_output=True, text=True)
    assert done.returncode == 2 and "not wlan" in done.stderr


def test_what_the_builder_wants_outlives_what_the_board_says():
    """Each script that reads board.conf reads another NETWORK there."""
    script = (IMAGE / "root.sh").read_text()
    assert script.index("network=${NETWORK:-}") < script.index('/board.conf"\n') and '\nNETWORK=$network "$here/network.sh"' in script


# MARK: the card's file

@pytest.fixture
def said(tmp_path):
    """What the script writes for a file of these lines: the address, the Wi-Fi; and what it says on the console."""
    for name in ("systemd/network", "gatehouse-wifi"):
        (tmp_path / name).mkdir(parents=True)
    console = tmp_path / "kmsg"
    script = tmp_path / "network"
    script.write_text((PROGRAMS / "network").read_text().replace("/dev/kmsg", str(console)).replace(">" + str(console), ">>" + str(console)))

    def of(*lines: str) -> tuple[str | None, str | None, list[str]]:
        console.write_text("")
        (tmp_path / "network.conf").write_text("\n".join(lines) + "\n")
        subprocess.run(["busybox", "sh", script, tmp_path / "network.conf", tmp_path], check=True)
        found = [path.read_text() if path.exists() else None for path in (tmp_path / "systemd/network/70-gatehouse.network", tmp_path / "gatehouse-wifi/wpa.conf")]
        assert not list(tmp_path.rglob("*.new"))
        return *found, console.read_text().splitlines()

    return of


def test_a_fixed_address(said):
    fixed, wifi, told = said("ADDRESS=192.0.2.7/24", "GATEWAY=192.0.2.1", "DNS=192.0.2.1 2001:db8::1")
    assert wifi is None and told == []
    assert "Type=ether\n" in fixed and fixed.endswith("Address=192.0.2.7/24\nDHCP=no\nIPv6AcceptRA=no\nLinkLocalAddressing=ipv6\nLLDP=no\nEmitLLDP=no\n"
                                                     "Gateway=192.0.2.1\nDNS=192.0.2.1 2001:db8::1\n")


def test_a_wifi_network_with_a_name_and_a_key_of_any_kind(said, tmp_path):
    name = 'Gäste "1" #'
    fixed, wifi, told = said(f"SSID={name}", 'KEY=ab"c # $(x) `y` \\', "COUNTRY=DE", "ADDRESS=192.0.2.7/24")
    assert told == [] and "Type=wlan\n" in fixed
    assert "country=DE\n" in wifi and f"ssid={name.encode().hex()}\n" in wifi and 'psk="ab"c # $(x) `y` \\"\n}\n' in wifi
    assert "proto=RSN\n" in wifi and "NONE" not in wifi and "WEP" not in wifi and "TKIP" not in wifi
    assert (tmp_path / "gatehouse-wifi/wpa.conf").stat().st_mode & 0o007 == 0


@pytest.mark.parametrize("lines, name", [
    (["ADDRESS=192.0.2.7"], "ADDRESS"), (["ADDRESS=192.0.2.7/24;x"], "ADDRESS"), (["ADDRESS=host/24"], "ADDRESS"),
    (["ADDRESS=192.0.2.256/24"], "ADDRESS"), (["ADDRESS=192.0.2.7/33"], "ADDRESS"), (["ADDRESS=2001:db8::7/129"], "ADDRESS"),
    (["ADDRESS=192.0.2.7/24", "GATEWAY=...."], "GATEWAY"),
    (["ADDRESS=192.0.2.7/24", "GATEWAY=router"], "GATEWAY"), (["ADDRESS=192.0.2.7/24", "DNS=a b"], "DNS"), (["SSID=" + "x" * 33, "KEY=12345678"], "SSID"),
    (["SSID=x", "KEY=1234567"], "KEY"), (["SSID=x", "KEY=" + "1" * 64], "KEY"), (["SSID=x", "KEY=1234567ä"], "KEY"),
    (["SSID=x", "KEY=12345678", "COUNTRY=de"], "COUNTRY")])
def test_what_cannot_be_is_told_by_its_name_alone(said, lines, name):
    fixed, wifi, told = said(*lines)
    assert told and name in told[0] and not any(line.partition("=")[2] in text for line in lines for text in told if len(line.partition("=")[2]) > 6)
    value = dict(line.split("=", 1) for line in lines)[name]
    assert f"={value}" not in (fixed or "") + (wifi or "") and (wifi is None or name == "COUNTRY")


def test_no_open_network_and_none_without_a_name(said):
    assert said("SSID=free")[1] is None and said("KEY=12345678")[1] is None


def test_what_was_written_before_goes(said):
    said("SSID=x", "KEY=12345678", "ADDRESS=192.0.2.7/24")
    assert said("")[:2] == (None, None)


def test_the_name_servers(tmp_path):
    state, file = tmp_path / "state", tmp_path / "resolv.conf"
    for written, wanted in (("OPER_STATE=routable\nDNS=10.0.2.3 fe80::1%eth0 2001:db8::1 10.0.2.4\nNTP=10.9.9.9\nDOMAINS=x\n", ["10.0.2.3", "fe80::1%eth0", "2001:db8::1"]),
                            ("DNS=a;b 10.0.2.3#dns.example 10.0.2.5\n", ["10.0.2.5"]), ("OPER_STATE=off\n", [])):
        state.write_text(written)
        subprocess.run(["busybox", "sh", PROGRAMS / "resolv", state, file], check=True)
        assert file.read_text() == "".join(f"nameserver {one}\n" for one in wanted)


# MARK: the units

def test_what_a_network_reaches_has_nothing_of_the_gates():
    for file in (NETWORK / "etc/systemd/system/systemd-networkd.service.d/gatehouse.conf", IMAGE / "wifi/usr/lib/systemd/system/gatehouse-wifi.service"):
        found = dict(re.findall(r"^(\w+)=(.*)$", file.read_text(), re.MULTILINE))
        assert found["InaccessiblePaths"] == "/data /var/lib/gatehouse" and "MemoryMax" in found and found["DevicePolicy"] == "closed"
    wifi = (IMAGE / "wifi/usr/lib/systemd/system/gatehouse-wifi.service").read_text()
    assert "User=gatehouse-wifi\n" in wifi and "After=gatehouse-health.service" in wifi and not re.search(r"^ExecStart=.* -[uKB]", wifi, re.MULTILINE)
    # It is told nothing by anybody.
    assert "ctrl_interface" not in (PROGRAMS / "network").read_text()
    forget = (IMAGE / "overlay/usr/lib/systemd/system/gatehouse-forget.service").read_text()
    assert "/data/network/*" in forget and "stop gatehouse-wifi.service" in forget
