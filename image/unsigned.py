#!/usr/bin/env python3
"""unsigned.py: a kernel module from standard input to standard output, without the signature at its end.

The kernel checks a module's signature when there is one and, unless it was told to enforce them, loads what has none or a bad one all the same: the
check keeps nobody out here (verity says what the root holds), and an RSA signature for each module costs a slow processor most of the initramfs' time.
Layout: the module, signer and signature, `struct module_signature` (its last four octets: the signature's length, big endian), a line of text
(include/linux/module_signature.h).
"""
import sys

MARK = b"~Module signature appended~\n"
STRUCT = 12


def unsigned(module: bytes) -> bytes:
    """The module up to where its signature begins; as it is where it has none. ValueError for a signature that cannot be one."""
    if not module.endswith(MARK):
        return module
    end = len(module) - len(MARK)
    length = int.from_bytes(module[max(end - 4, 0):end], "big")
    begin = end - STRUCT - length
    if begin <= 0:
        raise ValueError(f"the signature says it has {length} octets, and the module has {len(module)}")
    return unsigned(module[:begin])


if __name__ == "__main__":
    sys.stdout.buffer.write(unsigned(sys.stdin.buffer.read()))
