"""A fresh Debian (root.sh) in a folder of one test, and what runs in it: by chroot, in namespaces of mounts and processes of their own."""
import hashlib
import os
import shutil
import stat
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = REPOSITORY / ".build-deb/packages"
ROOTS = REPOSITORY / ".build-deb/roots"
SUITES = {"bookworm": "12", "trixie": "13"}
# What belongs to the running system, or is kept by apt and dpkg themselves and says nothing of one package.
ELSEWHERE = ("proc", "sys", "dev", "tmp", "run", "packages", "var/cache", "var/log", "var/lib/apt", "var/lib/dpkg", "etc/resolv.conf")

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def made(release: str, architecture: str) -> dict[str, Path]:
    """The packages of a suite by their names."""
    return {path.name.split("_")[0]: path for path in sorted(PACKAGES.glob(f"*~deb{release}_{architecture}.deb"))}


def field(package: Path, name: str) -> str:
    return subprocess.run(["dpkg-deb", "--field", package, name], capture_output=True, text=True, check=True).stdout.strip()


class FreshRoot:
    def __init__(self, archive: Path, place: Path, packages: Path):
        self.place, self.packages = place, packages
        place.mkdir()
        subprocess.run(["tar", "--extract", "--file", archive, "--directory", place, "--exclude=./dev/*"], check=True)
        (place / "packages").mkdir()
        shutil.copy("/etc/resolv.conf", place / "etc/resolv.conf")
        # No package starts anything here.
        (place / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (place / "usr/sbin/policy-rc.d").chmod(0o755)

    def run(self, *command: str, check: bool = True, timeout: int = 900, path: str = PATH) -> subprocess.CompletedProcess:
        """Runs a command as root in there; its output is text. Nothing of it outlives this."""
        prepare = (
            'mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" && mount --bind "$1" "$0/packages" && shift && exec chroot "$0" "$@"')
        environment = {"PATH": path, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root"}
        done = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", prepare, self.place, self.packages, *command],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout)
        assert not check or done.returncode == 0, (command, done.returncode, done.stdout)
        return done

    def asked(self, *command: str) -> tuple[list[str], str]:
        """Runs a command as if systemd ran there; what it was asked, and what the command said. Nothing that it is asked is done."""
        policy, hidden, booted, stub = (self.path(name) for name in ("/usr/sbin/policy-rc.d", "/tmp/policy-rc.d", "/run/systemd/system", "/tmp/stub"))
        stub.mkdir()
        (stub / "systemctl").write_text('#!/bin/sh\necho "$*" >>/tmp/stub/asked\n')
        (stub / "systemctl").chmod(0o755)
        (stub / "asked").touch()
        policy.rename(hidden)
        booted.mkdir(parents=True)
        try:
            said = self.run(*command, path=f"/tmp/stub:{PATH}").stdout
            return (stub / "asked").read_text().splitlines(), said
        finally:
            booted.rmdir()
            hidden.rename(policy)
            shutil.rmtree(stub)

    def path(self, name: str) -> Path:
        return self.place / name.lstrip("/")

    def state(self, package: str) -> str:
        """What dpkg says of a package: `installed`, `config-files`, or nothing at all."""
        done = self.run("dpkg-query", "-W", "-f=${db:Status-Status}", package, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    def everything(self) -> dict[str, tuple]:
        """Each path with its kind, mode and owner, and what it holds."""
        found = {}
        for folder, names, files in os.walk(self.place):
            inside = os.path.relpath(folder, self.place)
            names[:] = [name for name in names if not self._elsewhere(os.path.normpath(f"{inside}/{name}"))]
            for name in names + files:
                path = os.path.normpath(f"{inside}/{name}")
                facts = os.lstat(self.place / path)
                if self._elsewhere(path):
                    continue
                held = ""
                if stat.S_ISLNK(facts.st_mode):
                    held = os.readlink(self.place / path)
                elif stat.S_ISREG(facts.st_mode):
                    held = hashlib.sha256((self.place / path).read_bytes()).hexdigest()
                found[path] = (stat.filemode(facts.st_mode), facts.st_uid, facts.st_gid, held)
        return found

    @staticmethod
    def _elsewhere(path: str) -> bool:
        return any(path == name or path.startswith(name + "/") for name in ELSEWHERE)


def differences(before: dict[str, tuple], after: dict[str, tuple]) -> set[str]:
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
