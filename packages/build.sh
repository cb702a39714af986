#!/usr/bin/env bash
# Makes the Debian packages into .build-deb/packages, for each target that is named: SUITE-ARCHITECTURE.
#
#   packages/build.sh                        all that this machine can make
#   packages/build.sh trixie-arm64           Debian 13 (also Raspberry Pi OS): cross-built by image/arm64, as the image's programs are
#   packages/build.sh trixie-amd64           the same for PCs
#   packages/build.sh bookworm-amd64         Debian 12: built by this machine's own Swift, on a Debian 12 of that architecture
#   VERSION=12                               the packages' version, as the image's; by default the commit's time and digits
#   DEBFULLNAME, DEBEMAIL                    who maintains them; by default who commits to this clone, as git knows
#   PROGRAMS=folder, MANUAL=folder           programs and matchers (or what manual.sh makes) that are there already
set -euo pipefail
umask 022
here=$(cd "$(dirname "$0")" && pwd)
repository=$(dirname "$here")
out=$repository/.build-deb
# Of Swift, and of C. Those that have commands have a manual that is made of them.
programs=(gatehouse gatehouse-http gatehouse-relay gatehouse-vision)
commands=(gatehouse gatehouse-relay)
c_programs=(gatehouse-osdp)
say() { echo "deb: $*" >&2; }

# shellcheck source=/dev/null
own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")-$(dpkg --print-architecture)
targets=("$@")
if [ $# = 0 ]; then
  case $own in bookworm-*) targets+=("$own") ;; *) say "Debian 12's packages are left out: they are made on a Debian 12" ;; esac
  if [ "$(uname -m)" = x86_64 ]; then
    targets+=(trixie-amd64 trixie-arm64)
  else
    say "Debian 13's are left out: the cross-build runs on x86-64"
  fi
fi
for target in "${targets[@]}"; do
  case $target in
    trixie-amd64 | trixie-arm64) ;;
    bookworm-amd64 | bookworm-arm64)
      [ "$target" = "$own" ] || [ -n "${PROGRAMS:-}" ] || { say "$target is made on such a machine, and this is $own"; exit 2; } ;;
    *) say "$target? bookworm-amd64, bookworm-arm64, trixie-amd64 or trixie-arm64"; exit 2 ;;
  esac
done
[ -z "${VERSION:-}" ] || [[ $VERSION =~ ^[1-9][0-9]{0,8}$ ]] || { say "a version is a number from 1 to 999999999: $VERSION"; exit 2; }

# Whoever reads the packages' names writes to whoever made them.
maintainer() {
  local name email
  name=${DEBFULLNAME:-$(git -C "$repository" config user.name)} || true
  email=${DEBEMAIL:-$(git -C "$repository" config user.email)} || true
  if [ -z "$email" ]; then
    say "the packages name a maintainer whom nobody reaches: DEBFULLNAME and DEBEMAIL, or git's user.name and user.email, say another"
    email=gatehouse@example.org
  fi
  echo "${name:-Gatehouse} <$email>"
}
maintainer=$(maintainer)
[[ $maintainer =~ ^[^[:cntrl:]\<\>]+' <'[^[:cntrl:][:space:]\<\>@]+'@'[^[:cntrl:][:space:]\<\>@]+'>'$ ]] ||
  { say "$maintainer is no maintainer: NAME <MAILBOX@HOST> is wanted, of DEBFULLNAME and DEBEMAIL"; exit 2; }

seconds=$(git -C "$repository" log -1 --format=%ct 2>/dev/null) || seconds=$(cat "$repository/image/epoch")
# Below every number, in the order of their time, and no longer than a record of the audit log takes.
version() {
  local commit changed
  if [ -n "${VERSION:-}" ]; then echo "$VERSION"; return; fi
  commit=$(git -C "$repository" rev-parse --short=7 HEAD 2>/dev/null || echo unknown)
  changed=$(git -C "$repository" status --porcelain --untracked-files=all -- Sources Package.swift packages 2>/dev/null | head -c 1)
  echo "0~$(date --utc --date "@$seconds" +%Y%m%d.%H%M%S).${commit:0:7}${changed:++}"
}
version=$(version)

# Programs of this machine's own Swift, with its runtime in them.
build_native() {
  local product swift
  "$repository/tools/system.sh"
  # Without a search path of this machine, and without debug information.
  swift=(env GATEHOUSE_SHIPPED=1 swift build --quiet --ignore-lock --package-path "$repository" --configuration release
    --scratch-path "$out/native"
    --static-swift-stdlib --disable-local-rpath -Xswiftc -gnone -Xswiftc -use-ld=lld)
  for product in --build-id=sha1 --gc-sections --no-export-dynamic -z relro -z now; do swift+=(-Xlinker "$product"); done
  mkdir -p "$out/native-programs"
  for product in "${@}"; do
    say "$product, for $own"
    "${swift[@]}" --product "$product"
    strip --strip-all -o "$out/native-programs/$product" "$out/native/release/$product"
  done
}

# For SUITE-ARCHITECTURE, the folder of its programs and matchers.
build_programs() {
  local target=$1 matcher
  if [ -n "${PROGRAMS:-}" ]; then
    cp "$PROGRAMS"/* "$2/"
  elif [ "${target%-*}" = trixie ]; then
    say "programs for $target"
    ARCHITECTURE=${target#*-} "$repository/image/arm64/build.sh" "${programs[@]}" "${c_programs[@]}" face-dlib.so face-sface.so >&2
    (cd "$repository/.build-${target#*-}/out" && cp "${programs[@]}" "${c_programs[@]}" face-dlib.so face-sface.so "$2/")
  else
    build_native "${programs[@]}"
    for matcher in dlib sface; do
      (cd "$repository" && MATCHER=$matcher tools/matcher.sh >&2)
      strip --strip-unneeded -o "$2/face-$matcher.so" "$repository/.build/plugins/face-$matcher.so"
    done
    "$repository/tools/osdp.sh" >&2
    strip --strip-all -o "$2/gatehouse-osdp" "$repository/.build/osdp/gatehouse-osdp"
    (cd "$out/native-programs" && cp "${programs[@]}" "$2/")
  fi
}

# The tree that debian/rules packs.
lay() {
  local target=$1 tree=$2 release=$3 matcher end control units=$repository/board/generic unit
  rm -rf "$tree"
  mkdir -p "$tree"/{programs,matchers,words,schemas,rules,pages,dropins,units,osdp,examples/raspberry-pi}
  cp -R "$here/debian" "$tree/debian"
  rm "$tree"/debian/*.8
  control=$(<"$here/debian/control")
  printf '%s\n' "${control//@MAINTAINER@/"$maintainer"}" >"$tree/debian/control"
  printf 'gatehouse (%s) %s; urgency=medium\n\n  * Built from the sources of this version; CHANGELOG.md says what changed.\n\n -- %s  %s\n' \
    "$version~deb$release" "${target%-*}" "$maintainer" \
    "$(LC_ALL=C date --utc --date "@$seconds" -R)" >"$tree/debian/changelog"
  echo "$version~deb$release" >"$tree/version"
  build_programs "$target" "$tree/programs"
  mv "$tree"/programs/face-*.so "$tree/matchers/"
  chmod 644 "$tree"/matchers/*
  # Each with what its models' names end in: a download that was cut off leaves a folder beside them.
  while read -r matcher end; do
    mkdir -p "$tree/models/$matcher"
    cp "$repository/.build/models/$matcher"/*."$end" "$tree/models/$matcher/"
  done <<<$'dlib dat\nsface onnx'
  cp "$repository"/.build/words/*.sheet "$tree/words/"
  cp -R "$manual" "$tree/manual"
  # One source for image and packages.
  cp "$units"/gatehouse{.service,-relay@.service,-osdp.service,-osdp.socket} "$tree/debian/"
  for unit in gatehouse-pulled{,-site}.{service,path}; do cp "$units/$unit" "$tree/debian/gatehouse-relay.$unit"; done
  cp "$units/gatehouse-osdp-install.service" "$tree/debian/gatehouse-osdp.gatehouse-osdp-install.service"
  cp "$units"/gatehouse-relay{,-metrics,-trust}.conf "$tree/dropins/"
  # At work without anybody enabling them: they do nothing until something was fetched, or there is a reset.
  cp "$units"/gatehouse-{pulled.timer,pulled-site.timer,forget.path,forget.service} "$tree/units/"
  cp "$units/gatehouse-osdp.conf" "$tree/osdp/"
  cp "$repository/image/overlay/usr/lib/udev/rules.d/81-gatehouse.rules" \
    "$repository/board/raspberry-pi/overlay/usr/lib/udev/rules.d/61-raspberry-pi.rules" "$tree/rules/"
  cp "$repository"/board/{board,site}.schema.json "$tree/schemas/"
  sed 's,"\.\./board\.schema\.json","/usr/share/gatehouse/board.schema.json",' "$units/board.json" >"$tree/board.json"
  cp "$units"/gatehouse-{http,pwm}.conf "$tree/examples/"
  sed 's,"\.\./board\.schema\.json","/usr/share/gatehouse/board.schema.json",' "$repository/board/raspberry-pi/board.json" \
    >"$tree/examples/raspberry-pi/board.json"
  cp "$repository"/README.md "$repository"/docs/*.md "$tree/pages/"
  cp "$repository/CHANGELOG.md" "$tree/changes.md"
}

pack() {
  local target=$1 place=$out/$1 architecture=${1#*-} release libraries=()
  case ${target%-*} in bookworm) release=12 ;; *) release=13 ;; esac
  lay "$target" "$place/gatehouse" $release
  [ "$target" = "$own" ] || read -ra libraries < <(ARCHITECTURE=$architecture "$here/libraries.sh" "$place/libraries")
  # What a program of another architecture needs, only binutils of that one can say.
  [ "$architecture" = "${own#*-}" ] || "$repository/image/host.sh" "binutils-$(dpkg-architecture --host-arch "$architecture" --force \
    --query DEB_HOST_GNU_TYPE 2>/dev/null | tr _ -)"
  rm -f "$place"/*.{deb,changes,buildinfo}
  (cd "$place/gatehouse" && env "${libraries[@]}" SOURCE_DATE_EPOCH="$seconds" DEB_BUILD_OPTIONS=noautodbgsym LC_ALL=C.UTF-8 \
    dpkg-buildpackage --host-arch "$architecture" --build=binary --no-sign --no-check-builddeps --no-pre-clean >"$place/pack.log" 2>&1) || {
    tail -n 40 "$place/pack.log" >&2
    say "$target: not packed; all of it is in $place/pack.log"
    exit 1
  }
  mkdir -p "$out/packages"
  rm -f "$out"/packages/*"~deb${release}_$architecture.deb"
  cp "$place"/*.deb "$out/packages/"
}

"$repository/image/host.sh" debhelper dpkg-dev git
mkdir -p "$out"
"$repository/tools/commit.sh"
"$repository/tools/words.sh" "$repository/.build/words"
for matcher in dlib sface; do "$repository/tools/models.sh" "$matcher"; done
manual=${MANUAL:-$out/manual}
if [ -z "${MANUAL:-}" ]; then
  build_native "${commands[@]}"
  "$here/manual.sh" "$manual" "$seconds" "${commands[@]/#/$out/native-programs/}"
fi
for target in "${targets[@]}"; do pack "$target"; done
(cd "$out/packages" && stat --format '%10s octets  %n' ./*.deb)
