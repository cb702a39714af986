"""vmlinux.py VMLINUZ OUT: takes the ELF kernel out of an x86 boot image, so that an emulator need not run the decompressor."""
import subprocess
import sys

image = open(sys.argv[1], "rb").read()
for magic, command in ((b"\x28\xb5\x2f\xfd", ["zstd", "-dc"]), (b"\xfd7zXZ\x00", ["xz", "-dc"])):
    at = image.find(magic)
    while at >= 0:
        kernel = subprocess.run(command, input=image[at:], capture_output=True).stdout
        if kernel.startswith(b"\x7fELF"):
            open(sys.argv[2], "wb").write(kernel)
            sys.exit(0)
        at = image.find(magic, at + 1)
sys.exit("no ELF kernel in " + sys.argv[1])
