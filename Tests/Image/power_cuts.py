"""Power cuts: what the board wrote is recorded once, and the disk of each cut is made from the record (write_log.py says what is simulated). Each
disk has to start, be found healthy, accept a visit, and have everything that was confirmed before the cut."""
import hashlib
import json
import shutil
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from image_rig import IMAGE, KEYS, ImageBoard, copy, partitions
from scenarios import SERVER, Stage, check, connect, read_start
from write_log import Replay

COUNT = int(os.environ.get("POWER_CUTS", 28))
JOBS = int(os.environ.get("POWER_CUT_JOBS", min(2, os.cpu_count() or 1)))


@dataclass
class Recording:
    """One session: the disk before it, its writes, and what was confirmed when (as the record's length then)."""

    disk: Path
    log: Path
    confirmed: list[tuple[int, str, int]] = field(default_factory=list)

    def note(self, what: str, value: int) -> None:
        self.confirmed.append((self.log.stat().st_size, what, value))

    def at_least(self, what: str, end: int) -> int:
        """The highest value that had been confirmed when the record ended there."""
        return max((value for length, name, value in self.confirmed if name == what and length <= end), default=0)


@dataclass
class Cut:
    name: str
    after: int  # writes


def record(stage: Stage, name: str) -> tuple[Recording, ImageBoard]:
    stage.as_first()
    recording = Recording(copy(stage.disk, stage.folder / f"{name}.before"), stage.folder / f"{name}.log")
    recording.log.write_bytes(b"")
    board = stage.power_on(write_log=recording.log)
    read_start(board)
    return recording, board


def spread(first: int, last: int, count: int) -> list[int]:
    return [first + (last - first) * (number + 1) // (count + 1) for number in range(count)]


# MARK: an install

def during_install(stage: Stage) -> str:
    stage.updates()
    recording, board = record(stage, "install")
    connect(board)
    begun = recording.log.stat().st_size
    board.output(f"/usr/lib/gatehouse/update {SERVER}good.swu", 600)
    recording.note("installed", 2)
    start = stage.restart()
    check(start.version == 2, f"{start}")
    recording.note("good", 2)
    board.output("sync")
    stage.power_off()
    replay = Replay(recording.disk, recording.log)
    entries, parts = replay.entries, partitions(recording.disk)
    first = next(number for number, entry in enumerate(entries) if entry.end > begun)

    def writes(part: str) -> list[int]:
        at, size = parts[part]
        return [number for number, entry in enumerate(entries) if number >= first and entry.size and at <= entry.offset < at + size]

    def says(number: int, words: bytes) -> bool:
        with open(recording.log, "rb") as log:
            log.seek(entries[number].data_at)
            return words in log.read(entries[number].size)

    state, root, boot = writes("bootstate"), writes("root-b"), writes("boot-b")
    turned = next(number for number in state if says(number, b"BOOT_ORDER=B A"))
    flushed = next(number for number in range(turned, len(entries)) if entries[number].flushes)
    cuts = [Cut("before the slot is closed", state[0]), Cut("the slot is being closed", state[0] + 1), Cut("the boot image is being emptied", boot[0] + 1),
            Cut("the root is begun", root[0] + 1), Cut("half the root", root[len(root) // 2]), Cut("the whole root", root[-1] + 1),
            Cut("half the boot image", [number for number in boot if number > root[0]][len(boot) // 2 - 1] if len(boot) > 2 else boot[-1]),
            Cut("the whole boot image", boot[-1] + 1), Cut("before the boot order turns", turned), Cut("the boot order is being turned", turned + 1),
            Cut("the boot order has turned", flushed + 1), Cut("U-Boot has taken a try", next(number for number in state if number > turned) + 1),
            Cut("the health check has confirmed", state[-1] + 1)]
    cuts += [Cut(f"write {number}", number) for number in spread(first, len(entries), max(0, COUNT // 2 - len(cuts)))]

    def judge(board: ImageBoard, cut: Cut, start) -> None:
        allowed = {("A", 1)} if cut.after <= turned else {("B", 2)} if cut.after > flushed else {("A", 1), ("B", 2)}
        check((start.slot, start.version) in allowed, f"slot {start.slot} version {start.version} started")

    return survive(stage, recording, replay, cuts, judge, "install_cuts")


# MARK: trust bundles and the audit log

def make_bundles(folder: Path, sequences: range, **terms: str) -> list[Path]:
    """Trust bundles as the demonstration's signer makes them, by the image's own program; `terms` are members of bundle.json."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()

    def gatehouse(*words) -> None:
        subprocess.run(["qemu-aarch64-static", "-L", IMAGE / "root", IMAGE / "root/usr/bin/gatehouse", *map(str, words)], check=True, capture_output=True)

    trust = folder / "trust"
    subprocess.run(["cp", "-r", KEYS / "trust", trust], check=True)
    made = []
    for sequence in sequences:
        described = json.loads((KEYS / "trust" / "bundle.json").read_text())
        (trust / "bundle.json").write_text(json.dumps({**described, "sequence": sequence, **terms}))
        bundle = folder / f"bundle-{sequence}"
        gatehouse("trust", "build", trust, "--out", bundle, "--created", "2026-01-01T00:00:00Z")
        gatehouse("trust", "sign", bundle, "--key", KEYS / "trust.pem", "--kid", "demo", "--root", KEYS / "root.json", "--out", bundle)
        made.append(bundle)
    return made


def chain(octets: bytes) -> int:
    """How many visits an audit log has, its chain checked: each line holds the SHA-256 of the one before."""
    lines = octets.splitlines()
    records = [json.loads(line) for line in lines]
    for before, record in zip(lines, records[1:]):
        check(record["prev"] == hashlib.sha256(before).hexdigest(), "the audit chain is broken")
    return sum(record["event"] == "visit" for record in records)


def during_visits(stage: Stage) -> str:
    bundles = make_bundles(stage.folder / "trust-bundles", range(2, 10))
    recording, board = record(stage, "visits")
    board.open_phone()
    begun = recording.log.stat().st_size
    for number, bundle in enumerate(bundles):
        board.put(bundle.read_bytes(), "/run/t/run/bundle")
        board.output("chmod 644 /run/t/run/bundle; su -s /bin/sh gatehouse -c "
                     "'gatehouse trust install /run/t/run/bundle --root /etc/gatehouse/root.json --into /var/lib/gatehouse/trust'", 60)
        recording.note("sequence", number + 2)
        board.output("systemctl kill --signal=HUP gatehouse")
        board.accepts() if number % 2 == 0 else board.rejects()
        recording.note("visits", number + 1)
    stage.power_off()
    replay = Replay(recording.disk, recording.log)
    entries = replay.entries
    first = next(number for number, entry in enumerate(entries) if entry.end > begun)
    flushes = [number for number in range(first, len(entries)) if entries[number].flushes]
    wanted = COUNT - COUNT // 2
    # Half of them right before a flush, where most may be lost, half anywhere.
    chosen = sorted({flushes[len(flushes) * n // (wanted // 2)] for n in range(wanted // 2)} | set(spread(first, len(entries), wanted - wanted // 2)))
    cuts = [Cut(f"write {number}" + (", before a flush" if number in flushes else ""), number) for number in chosen]

    def judge(board: ImageBoard, cut: Cut, start) -> None:
        end = entries[cut.after - 1].end
        visits = chain(board.output("cat /data/gatehouse/audit*.jsonl 2>/dev/null || true").encode())
        check(visits >= recording.at_least("visits", end), f"{visits} visits in the audit log, {recording.at_least('visits', end)} were confirmed")
        check(board.sequence() >= recording.at_least("sequence", end), f"trust bundle {board.sequence()}, {recording.at_least('sequence', end)} was confirmed")

    return survive(stage, recording, replay, cuts, judge, "visit_cuts")


# MARK: every cut

def survive(stage: Stage, recording: Recording, replay: Replay, cuts: list[Cut], judge, fact: str) -> str:
    cuts = sorted(cuts, key=lambda cut: cut.after)
    failures: list[str] = []

    def one(number: int, cut: Cut, disk: Path) -> None:
        board = ImageBoard(disk, log=stage.folder / f"{fact}-{number}.serial", processors=1 if JOBS > 1 else None)
        try:
            start = read_start(board)
            judge(board, cut, start)
            board.open_phone()
            board.accepts()
        except Exception as error:
            failures.append(f"{cut.name}: {error}")
            print(f"    cut {number}: {cut.name}: FAILED: {error}\n{board.explain()}", flush=True)
        else:
            print(f"    cut {number}: {cut.name}: slot {start.slot} version {start.version}, healthy after {start.health:.0f} s", flush=True)
        finally:
            board.cut()
            disk.unlink()

    # The next disk is made when a board is free for it.
    with ThreadPoolExecutor(JOBS) as pool:
        waiting = []
        for number, cut in enumerate(cuts):
            while sum(not future.done() for future in waiting) >= JOBS:
                next(future for future in waiting if not future.done()).result()
            replay.up_to(cut.after)
            disk = copy(recording.disk, stage.folder / f"cut-{fact}-{number}.img")
            replay.may_be(disk, cut.after, seed=number)
            waiting.append(pool.submit(one, number, cut, disk))
    stage.facts[fact] = {"cuts": len(cuts), "survived": len(cuts) - len(failures), "writes": len(replay.entries)}
    for path in (recording.disk, recording.log):
        path.unlink()
    check(not failures, f"{len(cuts) - len(failures)} of {len(cuts)} survived; {'; '.join(failures)[:600]}")
    return f"{len(cuts)} cuts in {len(replay.entries)} writes, all survived"


ALL = {"power cuts in an install": during_install, "power cuts in visits and bundles": during_visits}
