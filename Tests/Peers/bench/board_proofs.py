"""What proofs take on small boards, without one: instructions of one judgement as a program for arm64, counted under emulation, and an estimate.

    board_proofs.py [NAME OF A VECTOR ...]

The estimate is by the rule and the boards of board_faces.py, instructions / (clock x instructions a cycle), and no better: nobody has measured it.
A Cortex-A53 takes several cycles for the upper half of a product of 64 bits, of which long multiplications are made: take the upper end there.
"""
import os
import subprocess
import sys
from pathlib import Path

from board_faces import BOARDS

ROOT = Path(__file__).resolve().parents[3]
COUNTER = ROOT / "image/arm64/proofs.sh"
SUITES = Path(os.environ.get("GATEHOUSE_SUITES", ROOT.parent / "shared/data"))
NAMES = ["anoncreds/a02_revealed_unrevealed_ge", "anoncreds/a14_not_revoked", "trustedkey/a03_two_claims", "aries/packed_v2"]


def main(names: list[str]) -> int:
    if not (SUITES / "anoncreds/context.json").exists():
        print("proofs on small boards: skipped, the vectors are not here (GATEHOUSE_SUITES)")
        return 0
    counted = subprocess.run([COUNTER, SUITES, *names], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in counted.splitlines():
        name, first, following = line.split()
        estimates = []
        for board in BOARDS.values():
            low, high = board.seconds(int(following))
            estimates.append(f"{board.name}: {low * 1e3:.0f} to {high * 1e3:.0f} ms")
        print(f"{name}: {int(first) / 1e6:.0f} million instructions the first time, {int(following) / 1e6:.0f} after it; estimated: "
              f"{'; '.join(estimates)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or NAMES))
