"""Records what a set of programs says of everything: `make corpus OUT=folder`, and `make corpus-diff OLD=folder NEW=folder` to compare two.

    record.py OUT [--programs .build/release] [--mutants 30000] [--part NAME ...]

mutants.txt   every mutant and every place of the sweep by mutation-check, with the whole verdict, and the sentence of each reason
samples.txt   `gatehouse verify` of every sample under several trusts and times, and of every file of the suites ($GATEHOUSE_SUITES)
commands.txt  help, refusals, trust bundles, orders, audit logs, the doctor, faces compared
visits.txt    whole visits over the software air: what was said, lit, shown and recorded, and what the wallet was told

Two recordings of the same programs are equal octet for octet: times, keys of the run and folders do not show. The programs are gatehouse,
gatehouse-vision (gatehouse-face before) and mutation-check, beside each other; the tests' matchers have to be there (Tests/Scripts/plugins.sh).
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PARTS = ("mutants", "samples", "commands", "visits")


def mutants(out: Path, programs: Path, count: int) -> None:
    """Writes `mutants.txt`."""
    subprocess.run([programs / "mutation-check", str(count), "--record", out / "mutants.txt"], check=True, stdout=subprocess.DEVNULL)


def part(name: str, out: Path, programs: Path, count: int) -> None:
    if name == "mutants":
        return mutants(out, programs, count)
    import fixed
    if name == "visits":
        import visits
        return visits.record(out)
    fixed.stand_still()
    folder = Path(tempfile.mkdtemp(prefix="gatehouse-corpus-"))
    try:
        if name == "commands":
            import commands
            return commands.record(out, folder)
        import samples
        made = folder / "made"
        subprocess.run([programs / "mutation-check", "--samples", made], check=True, stdout=subprocess.DEVNULL)
        samples.record(out, folder, made)
    finally:
        shutil.rmtree(folder)


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("out", type=Path)
    reader.add_argument("--programs", type=Path, default=Path(__file__).resolve().parent.parent.parent / ".build" / "release")
    reader.add_argument("--mutants", type=int, default=30_000)
    reader.add_argument("--part", choices=PARTS, action="append")
    asked = reader.parse_args()
    out, programs = asked.out.resolve(), asked.programs.resolve()
    out.mkdir(parents=True, exist_ok=True)
    os.environ["GATEHOUSE"] = str(programs / "gatehouse")
    # One part is done here; of several each has a process of its own, as the clock stands still in some.
    if asked.part and len(asked.part) == 1:
        return part(asked.part[0], out, programs, asked.mutants)
    for name in asked.part or PARTS:
        began = time.monotonic()
        subprocess.run([sys.executable, __file__, out, "--programs", programs, "--mutants", str(asked.mutants), "--part", name], check=True)
        print(f"{name}: {time.monotonic() - began:.0f} s, {(out / f'{name}.txt').stat().st_size / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
