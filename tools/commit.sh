#!/usr/bin/env bash
# Notes which commit is built, for `gatehouse --version`: Sources/Libraries/CLinux/commit.h, which git does not keep. A tree that differs
# from its commit says so with a +, and one more file is a difference; where there is no git, or only that of somebody else's repository
# around this folder, nothing is noted. Written only where it changes, so that nothing else is compiled anew.
set -euo pipefail
cd "$(dirname "$0")/.."
file=Sources/Libraries/CLinux/commit.h
commit=$(git ls-files --error-unmatch Sources/Libraries/CLinux/commit.c 2>&1 > /dev/null && git rev-parse --short=12 HEAD 2> /dev/null) || { rm -f "$file"; exit 0; }
[ -z "$(git status --porcelain --untracked-files=all -- Sources Package.swift)" ] || commit+=+
line="#define GATEHOUSE_COMMIT \"$commit\""
[ "$(cat "$file" 2> /dev/null)" = "$line" ] && exit
echo "$line" > "$file"
# A build that did not find the file before does not look for it again by itself.
touch Sources/Libraries/CLinux/commit.c
