"""What is heard: the patterns of Sources/Board/Appliance/Sound, and those a line or a channel had."""

# Milliseconds of tone and pause in turn; the tones in Hz.
LENGTHS = {"accepted": [80, 60, 250], "rejected": [100, 80, 100, 80, 100], "attention": [400, 200, 400]}
TONES = {"accepted": [1760, 2640], "rejected": [440, 440, 440], "attention": [880, 880]}


def lengths(pulses: list[tuple[float, float]]) -> list[float]:
    """Milliseconds of tone and pause in turn, of tones with their begin and length in seconds."""
    found: list[float] = []
    for number, (begin, length) in enumerate(pulses):
        if number:
            before, lasted = pulses[number - 1]
            found.append((begin - before - lasted) * 1000)
        found.append(length * 1000)
    return found


def is_heard(pulses: list[tuple[float, float]], pattern: str) -> bool:
    """Whether the pattern has come to its end."""
    return len(pulses) >= len(TONES[pattern])


def judge(pulses: list[tuple[float, float]], pattern: str) -> None:
    """As many tones as the pattern has, and nothing shorter than in it. By how much longer depends on the machine: told, not judged."""
    wanted, found = LENGTHS[pattern], lengths(pulses)
    told = ", ".join(f"{length:.1f}" for length in found)
    print(f"{pattern}: {told} ms of tone and pause in turn, wanted at least {wanted}")
    assert len(found) == len(wanted), f"{pattern}: {told}"
    assert all(length >= least for length, least in zip(found, wanted)), f"{pattern}: {told}"
