"""The emulated board's scenarios: runs them one after the other, prints a table and writes the figures.

    test.py [--short] [NAME ...]      scenarios whose names contain one of these words; all by default
"""
import argparse
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import closed
import damage
import door
import early_ends
import field
import fleet
import matchers
import network
import network_time
import outlets
import power_cuts
import resets
import scenarios
import sticks
from image_rig import IMAGE


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true", help="first boot, one visit, one refused bundle, one rollback")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if not (IMAGE / "disk.img").exists():
        print(f"image-test: nothing in {IMAGE}; make image BOARD=qemu-virt", file=sys.stderr)
        return 2
    chosen = scenarios.SHORT if options.short else {
        **scenarios.ALL, **damage.ALL, **early_ends.ALL, **sticks.ALL, **network_time.ALL, **network.ALL, **closed.ALL, **resets.ALL, **field.ALL,
        **fleet.ALL, **outlets.ALL, **matchers.ALL, **door.ALL, **power_cuts.ALL}
    if options.names:
        # Everything begins with the disk that the first boot leaves.
        chosen = {name: run for name, run in chosen.items() if name == "first boot" or any(word in name for word in options.names)}
    results = []
    with tempfile.TemporaryDirectory(prefix="image-test.", dir=os.environ.get("IMAGE_TEST_WORK")) as folder:
        stage = scenarios.Stage(Path(folder))
        for name, scenario in chosen.items():
            begun = time.monotonic()
            try:
                word, figure = "ok", scenario(stage)
            except Exception as error:
                word, figure = "FAILED", str(error)
                kept = keep_serial(name, stage)
                if os.environ.get("VERBOSE"):
                    traceback.print_exc()
                    print(stage.current.explain() if stage.current else "", file=sys.stderr, flush=True)
                elif kept:
                    figure += f"; {kept}"
                stage.power_off()
            seconds = time.monotonic() - begun
            results.append((name, word, seconds))
            print(f"{name:32} {word:6} {seconds:5.0f} s  {figure}", flush=True)
            if word != "ok" and name == "first boot":
                break
        stage.power_off()
        figures = keep(stage.facts, results)
    failed = sum(word != "ok" for _, word, _ in results)
    print(f"{len(results) - failed} passed, {failed} failed; figures in {figures}")
    return 1 if failed else 0


def keep_serial(name: str, stage: scenarios.Stage) -> Path | None:
    """All that the failed scenario's board has printed: a failure that comes once in many runs is explained by nothing else."""
    if stage.current is None:
        return None
    kept = IMAGE.parent / "test" / f"{name.replace(' ', '-')}.serial"
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(stage.current.serial)
    return kept


def keep(facts: dict, results: list[tuple[str, str, float]]) -> Path:
    """The figures of this run, beside those of earlier ones that it did not measure."""
    figures = IMAGE.parent / "test" / "figures.json"
    known = json.loads(figures.read_text()) if figures.exists() else {}
    sizes = IMAGE / "sizes.json"
    known |= facts | ({"sizes": json.loads(sizes.read_text())} if sizes.exists() else {})
    before = known.get("scenarios")
    figures.parent.mkdir(exist_ok=True)
    known["scenarios"] = (before if isinstance(before, dict) else {}) | {name: {"result": word, "seconds": round(seconds)} for name, word, seconds in results}
    figures.write_text(json.dumps(known, indent=2) + "\n")
    return figures


if __name__ == "__main__":
    sys.exit(main())
