"""The build's device tree test: a device that would stay without its driver is named, with the module that would drive it."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "image"))
from devicetree import Drivers, TreeError, Wishes, check, main, parse, table_entry  # noqa: E402

# A card on a supply that a GPIO line switches, as on a Pi 4; a chip without a driver; a device that is switched off.
SOURCE = """/dts-v1/;
/ {
    compatible = "acme,board";
    supply: regulator-card { compatible = "regulator-fixed"; gpio = <&lines 3 0>; };
    idle: idle { compatible = "acme,idle"; status = "disabled"; };
    soc {
        compatible = "simple-bus";
        lines: gpio { compatible = "acme,gpio"; #gpio-cells = <2>; gpio-controller; };
        card: mmc { compatible = "acme,mmc-2", "acme,mmc"; vmmc-supply = <&supply>; clocks = <&clock 7>, <&idle 1 2>; };
        clock: clock { compatible = "acme,clock"; #clock-cells = <1>; };
        dsp { compatible = "acme,dsp"; };
    };
};
"""
BUILT_IN = b"".join(table_entry(name) for name in ("simple-bus", "acme,gpio", "acme,clock"))
ALIASES = "".join(f"alias of:N*T*C{name}{end} {module}\n" for name, module in (("regulator-fixed", "fixed"), ("acme,mmc", "acme-mmc")) for end in ("", "C*"))


def compiled(source: str, folder: Path) -> bytes:
    made = subprocess.run(["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-"], input=source.encode(), capture_output=True, check=True)
    return made.stdout


@pytest.fixture
def kernel(tmp_path):
    """All modules of a kernel, and a root with some of them."""
    (tmp_path / "all").mkdir()
    (tmp_path / "all/modules.alias").write_text(ALIASES)
    (tmp_path / "root").mkdir()

    def ship(*names: str) -> Drivers:
        for name in names:
            (tmp_path / "root" / f"{name}.ko").write_bytes(b"\x7fELF")
        return Drivers(BUILT_IN, tmp_path / "all", tmp_path / "root")

    return ship


def faults(source: str, drivers: Drivers, initramfs: set[str], folder: Path, without: dict[str, str] | None = None) -> list[str]:
    return check(parse(compiled(source, folder)), drivers, initramfs, Wishes({"acme,mmc"}, without if without is not None else {"acme,dsp": "no sound"}), set())


def test_a_supply_without_its_driver_is_named_with_its_module(kernel, tmp_path):
    assert faults(SOURCE, kernel("acme-mmc"), {"acme_mmc"}, tmp_path) == [
        "/regulator-card (regulator-fixed) needs module fixed, which is not shipped",
        "/regulator-card (regulator-fixed), for the root, needs module fixed, which is not in the initramfs",
    ]


def test_what_the_root_needs_has_to_be_in_the_initramfs(kernel, tmp_path):
    drivers = kernel("acme-mmc", "fixed")
    assert faults(SOURCE, drivers, {"acme_mmc", "fixed"}, tmp_path) == []
    lacking = ["/regulator-card (regulator-fixed), for the root, needs module fixed, which is not in the initramfs"]
    assert faults(SOURCE, drivers, {"acme_mmc"}, tmp_path) == lacking
    assert faults(SOURCE, drivers, {"fixed"}, tmp_path) == ["/soc/mmc (acme,mmc-2), for the root, needs module acme_mmc, which is not in the initramfs"]


def test_a_device_that_nothing_drives_is_named_unless_it_is_left_out_on_purpose(kernel, tmp_path):
    drivers = kernel("acme-mmc", "fixed")
    assert faults(SOURCE, drivers, {"acme_mmc", "fixed"}, tmp_path, {}) == ["/soc/dsp (acme,dsp) has no driver in this kernel"]


def test_a_driver_of_a_module_without_an_alias_counts(kernel, tmp_path):
    kernel("acme-mmc", "fixed")
    (tmp_path / "root/sound.ko").write_bytes(b"\x7fELF" + table_entry("acme,dsp"))
    assert faults(SOURCE, kernel(), {"acme_mmc", "fixed"}, tmp_path, {}) == []


def test_a_longer_name_in_the_kernels_image_is_no_driver(kernel, tmp_path):
    drivers = kernel("acme-mmc", "fixed")
    drivers.image += table_entry("acme,dsp-2") + b"acme,dsp\0"
    assert faults(SOURCE, drivers, {"acme_mmc", "fixed"}, tmp_path, {}) == ["/soc/dsp (acme,dsp) has no driver in this kernel"]


def test_devices_that_are_switched_off_are_not_asked_for(kernel, tmp_path):
    off = SOURCE.replace('compatible = "acme,dsp";', 'compatible = "acme,dsp"; status = "disabled";')
    assert faults(off, kernel("acme-mmc", "fixed"), {"acme_mmc", "fixed"}, tmp_path, {}) == []


def test_a_tree_without_the_roots_device_is_a_fault(kernel, tmp_path):
    gone = SOURCE.replace('"acme,mmc-2", "acme,mmc"', '"acme,dsp"')
    assert "no enabled node of acme,mmc: the root could be mounted from nothing" in faults(gone, kernel("fixed"), {"fixed"}, tmp_path)


@pytest.mark.parametrize("octets", [b"", b"\xd0\x0d\xfe\xed", bytes(64)])
def test_what_is_no_tree_is_refused(octets):
    with pytest.raises(TreeError):
        parse(octets)


def test_every_cut_of_a_tree_is_refused_or_read(tmp_path):
    whole = compiled(SOURCE, tmp_path)
    for size in range(len(whole)):
        try:
            parse(whole[:size])
        except TreeError:
            continue


def test_the_boards_file_is_read_line_by_line(tmp_path):
    (tmp_path / "devicetree").write_text("# why\n\nroot a,b\nwithout c,d no such thing\n")
    assert Wishes.read(tmp_path / "devicetree") == Wishes({"a,b"}, {"c,d": "no such thing"})
    (tmp_path / "devicetree").write_text("without c,d\n")
    with pytest.raises(TreeError, match="devicetree:1"):
        Wishes.read(tmp_path / "devicetree")


def test_a_line_that_excuses_nothing_any_more_fails_the_build(tmp_path, monkeypatch, capsys):
    for folder in ("trees", "kernel/boot", "kernel/usr/lib/modules/6", "root/usr/lib/modules/6", "board/acme"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "trees/a.dtb").write_bytes(compiled(SOURCE, tmp_path))
    (tmp_path / "kernel/boot/vmlinuz-6").write_bytes(BUILT_IN + b"".join(map(table_entry, ("regulator-fixed", "acme,mmc", "acme,dsp"))))
    (tmp_path / "kernel/usr/lib/modules/6/modules.alias").write_text("")
    (tmp_path / "initramfs").write_text("")
    (tmp_path / "board/acme/devicetree").write_text("root acme,mmc\nwithout acme,dsp no sound\n")
    monkeypatch.setattr("devicetree.HERE", tmp_path / "image")
    monkeypatch.setattr("sys.argv", ["devicetree.py", "acme", *(str(tmp_path / name) for name in ("trees", "kernel", "root", "initramfs"))])
    assert main() == 1
    assert "no model has acme,dsp without a driver" in capsys.readouterr().err
    (tmp_path / "board/acme/devicetree").write_text("root acme,mmc\n")
    assert main() == 0
    assert capsys.readouterr().out == "1 device trees: 0 missing drivers\n"
