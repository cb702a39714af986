"""An image with a network of its own (NETWORK): an address by cable and by Wi-Fi, from whoever gives one there or as the card's file says. As in scenarios.py."""
import os
import re
import subprocess
import time
from pathlib import Path

from image_rig import ImageBoard
from scenarios import Stage, check, confined, read_start

SCRIPTS = Path(__file__).resolve().parents[2] / "image"
# What systemd may hold against the units that a network reaches (systemd-analyze security, 0 to 10).
CONFINED = {"systemd-networkd.service": 2.5, "gatehouse-wifi.service": 2.5, "gatehouse-network.service": 2.0, "gatehouse-resolv.service": 1.5}
FILE = "/data/network/network.conf"
NAME, KEY = "Gäste #1", 'ein "Schlüssel"'.replace("ü", "ue") + " #2"
ACCESS = "10.0.4.1"


def networked(root: Path) -> None:
    """The image's own way, on the tree of the image that has none."""
    environment = {**os.environ, "NETWORK": "ethernet wifi"}
    subprocess.run([SCRIPTS / "lock.sh", "used", "qemu-virt", root.parent / "packages.lock"], check=True, env=environment)
    subprocess.run([SCRIPTS / "network.sh", "qemu-virt", root], check=True, env=environment)


def await_output(board: ImageBoard, command: str, wanted: str, patience: float = 180, why: str = "journalctl --no-pager -n 30 -u systemd-networkd") -> str:
    end = time.monotonic() + patience
    while not re.search(wanted, said := board.run(command)[1]):
        check(time.monotonic() < end, f"{command}: {said[-500:]}; " + board.run(why)[1][-2500:])
        time.sleep(1)
    return said


def addresses(interface: str) -> str:
    return f"ip -4 addr show dev {interface}"


def cable(board: ImageBoard) -> str:
    """The interface that is QEMU's."""
    return board.output("for n in /sys/class/net/e*; do echo ${n##*/}; done")


def listeners(board: ImageBoard) -> list[str]:
    """Ports at which somebody could begin: of the board's own addresses, with nobody at the other end."""
    said = board.output("for kind in udp udp6 tcp tcp6 raw raw6 udplite; do sed \"1d;s/^/$kind /\" /proc/net/$kind 2>/dev/null; done | "
                        "awk '$4 ~ /^0*:0000$/ { split($3, a, \":\"); print $1, a[2] }' | sort -u")
    return [f"{kind} {int(port, 16)}" for kind, port in (line.split() for line in said.splitlines())]


def is_well(board: ImageBoard) -> None:
    failed = board.output("systemctl --failed --no-legend --no-pager || true")
    check(failed == "", f"failed units: {failed}")


def by_cable(board: ImageBoard) -> str:
    """An address that nobody here set, and the way to a server; nothing that listens but what waits for the next lease. QEMU names no name server and no
    router on a cable that leads to one server alone."""
    interface = cable(board)
    await_output(board, addresses(interface), r"inet 10\.0\.2\.15/24")
    check(board.run("wget -q -O /dev/null http://10.0.2.100/good.swu", 120)[0] == 0, "no way to the server")
    heard = listeners(board)
    # The client of DHCP at its own address, and what hears routers.
    check(set(heard) <= {"udp 68", "raw6 58"}, f"listeners: {heard}")
    check(board.output("hostname") == "gatehouse", "called as the network says")
    found = confined(board, CONFINED)
    status = dict(line.split(":", 1) for line in board.output("cat /proc/$(systemctl show --value -p MainPID systemd-networkd)/status").splitlines())
    check("0" not in status["Uid"].split() and status["Seccomp"].strip() == "2", f"{status}")
    check(board.run("systemctl is-active gatehouse-wifi")[1].strip() == "inactive", "Wi-Fi without a name and a key")
    is_well(board)
    return f"{interface} 10.0.2.15; listens: {', '.join(heard)}; confined: {', '.join(f'{unit} {level}' for unit, level in found.items())}"


def write(board: ImageBoard, *lines: str) -> None:
    board.put(("\n".join(lines) + "\n").encode(), FILE)
    board.output("chmod 644 " + FILE)


def access_point(board: ImageBoard, key: str, management: str, frames: int) -> None:
    """hostapd on the other radio, with this key and kind of access; whoever is there already goes."""
    board.put("\n".join(["interface=wlan1", "driver=nl80211", f"ssid2={NAME.encode().hex()}", "hw_mode=g", "channel=1", "wpa=2", "rsn_pairwise=CCMP",
                         f"wpa_key_mgmt={management}", f"ieee80211w={frames}", f"wpa_passphrase={key}", ""]).encode(), "/run/t/run/hostapd.conf")
    board.output("for p in $(pidof hostapd); do kill $p; done; sleep 1; ip addr flush dev wlan1; ip link set wlan1 down; "
                 "chroot /run/t /usr/sbin/hostapd -B -f /run/hostapd.log /run/hostapd.conf || { cat /run/t/run/hostapd.log; exit 1; }; "
                 f"ip addr add {ACCESS}/24 dev wlan1")


WIFI_LOG = "journalctl --no-pager -n 40 -u gatehouse-wifi -u systemd-networkd; cat /run/t/run/hostapd.log; ip addr"


CONNECTIONS = "journalctl --no-pager -o cat -u gatehouse-wifi | grep -c CTRL-EVENT-CONNECTED"


def connections(board: ImageBoard) -> str:
    """How often it was let in."""
    return board.run(CONNECTIONS)[1].strip()


def is_in(board: ImageBoard) -> None:
    await_output(board, addresses("wlan0"), r"inet 10\.0\.4\.7/24", why=WIFI_LOG)


def by_radio(board: ImageBoard) -> str:
    """WPA2 and WPA3 with the right key; with a wrong one it is none."""
    board.output("modprobe mac80211_hwsim radios=2")
    access_point(board, KEY, "WPA-PSK", 0)
    board.output("systemctl restart gatehouse-network systemd-networkd gatehouse-wifi", 300)
    is_in(board)
    process = board.output("systemctl show --value -p MainPID gatehouse-wifi")
    status = dict(line.split(":", 1) for line in board.output(f"cat /proc/{process}/status").splitlines())
    # CAP_NET_ADMIN and CAP_NET_RAW.
    check({status[name].strip() for name in ("CapEff", "CapPrm", "CapBnd")} == {f"{0x3000:016x}"} and "0" not in status["Uid"].split(), f"{status}")
    modes = board.output("stat -c '%a %U %G' /data/network /run/gatehouse-wifi /run/gatehouse-wifi/wpa.conf; id -Gn gatehouse").splitlines()
    check(modes[:3] == ["700 root root", "2750 root gatehouse-wifi", "640 root gatehouse-wifi"] and "gatehouse-wifi" not in modes[3], f"{modes}")
    said = board.output("journalctl --no-pager; dmesg; gatehouse doctor --data /data/gatehouse --trust /data/gatehouse/trust --root /etc/gatehouse/root.json "
                        "--hci hci:99 --lights log: --screen none: || true", 180)
    check("Schluessel" not in said and KEY.encode().hex() not in said, "the key is in a log, as it is or with its quotes written otherwise")
    before = connections(board)
    access_point(board, KEY, "SAE", 2)
    await_output(board, CONNECTIONS, rf"^(?!{before}$)", why=WIFI_LOG)
    is_in(board)
    access_point(board, "another key than that", "WPA-PSK", 0)
    await_output(board, "journalctl --no-pager -o cat -u gatehouse-wifi", "pre-shared key may be incorrect", why=WIFI_LOG)
    check(board.output("cat /sys/class/net/wlan0/operstate") != "up", "in a network with another key")
    return "WPA2 and WPA3 with the right key, not with a wrong one"


def own_network(stage: Stage) -> str:
    """An image with NETWORK: by cable without anybody's doing, by the card's file a fixed address or Wi-Fi."""
    stage.delivered(5, networked)
    board = stage.power_on()
    read_start(board)
    cabled = by_cable(board)
    check(board.output("stat -c '%a %U' /data/network") == "700 root", "others read the key")
    write(board, "ADDRESS=10.0.2.77/24", "GATEWAY=10.0.2.2", "DNS=10.0.2.3 10.0.2.4", "KEY=of no network")
    # As at a start of the board: there is nothing that reads the file in between.
    board.output("systemctl restart gatehouse-network systemd-networkd")
    await_output(board, addresses(cable(board)), r"inet 10\.0\.2\.77/24")
    await_output(board, "cat /run/resolv.conf", r"(?m)\Anameserver 10\.0\.2\.3\nnameserver 10\.0\.2\.4$")
    check(board.run("wget -q -O /dev/null http://10.0.2.100/good.swu", 120)[0] == 0, "no way to the server")
    await_output(board, addresses(cable(board)), r"\A(?![\s\S]*10\.0\.2\.15)")
    check("udp 68" not in listeners(board), f"listeners: {listeners(board)}")
    write(board, f"SSID={NAME}", f"KEY={KEY}", "COUNTRY=DE", "ADDRESS=10.0.4.7/24")
    radio = by_radio(board)
    is_well(board)
    stage.power_off()
    return f"{cabled}; fixed: 10.0.2.77; Wi-Fi: {radio}"


ALL = {"a network of the image's own": own_network}
