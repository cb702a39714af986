# The modules Debian 13's kernels leave out, built from Debian's own source of that kernel: gpio-sim, for amd64 a driver of PWM, for arm64
# hci_vhci. Read by system.sh.
#
#   modules RELEASE INTO LOCK    RELEASE is the kernel's, whose ending says for which processor; of LOCK its packages for `headers` and
#   `kbuild` kbuild_of RELEASE            those of them that run here, by name

kbuild_of() {
  local base=${1%-*}
  echo "linux-headers-$base-common linux-kbuild-$base linux-source-$(cut -d. -f1,2 <<<"$base") libc6 libelf1t64 zlib1g libzstd1"
}

modules() {
  local release=$1 into=$2 lock=$3 work=$2-work processor base file
  processor=${release##*-} base=${release%-*}
  say "modules for $release"
  rm -rf "$work" "$into"
  mkdir -p "$work/source" "$into"
  for file in $(files "$lock" headers kbuild); do
    case $file in
      */linux-source-*)
        dpkg-deb --fsys-tarfile "$file" | tar --extract --to-stdout --wildcards './usr/src/linux-source-*.tar.xz' | xz -dc |
          tar --extract --directory "$work/source" --strip-components=1 --wildcards '*/drivers/gpio/gpio-sim.c' '*/kernel/irq/irq_sim.c' \
            '*/drivers/bluetooth/hci_vhci.c' '*/drivers/pwm/pwm-pca9685.c' ;;
      *) dpkg-deb --extract "$file" "$work" ;;
    esac
  done
  wrap_kbuild "$work" "$base"

  local headers=$work/usr/src/linux-headers-$release module=$work/module prefix= kernel=x86 objects="irq_sim.o gpio-sim.o" driver=drivers/pwm/pwm-pca9685.c
  [ "$processor" = amd64 ] || { prefix=aarch64-linux-gnu- kernel=arm64 driver=drivers/bluetooth/hci_vhci.c; }
  sed -i "s#include /usr/src/#include $work/usr/src/#" "$headers/Makefile"
  # Without it no type information is asked for, which would need another program.
  rm -f "$headers/vmlinux"
  mkdir "$module"
  cp "$work/source/drivers/gpio/gpio-sim.c" "$work/source/kernel/irq/irq_sim.c" "$work/source/$driver" "$module/"
  file=${driver##*/} objects+=" ${file%.c}.o"
  # irq_sim is built into kernels that have it, and uses what modules may not: the exported call does the same.
  sed -i 's/handle_simple_irq(irq_to_desc(irqnum));/generic_handle_irq(irqnum);/' "$module/irq_sim.c"
  printf '\n#include <linux/module.h>\nMODULE_LICENSE("GPL");\n' >>"$module/irq_sim.c"
  echo "obj-m := $objects" >"$module/Makefile"
  # The kernel was built by a newer compiler than an older Debian has: one option is spelled differently.
  cat >"$work/cc" <<END
#!/bin/bash
arguments=()
for argument; do
  case \$argument in
    -fmin-function-alignment=*) arguments+=("-falign-functions=\${argument#*=}") ;;
    *) arguments+=("\$argument") ;;
  esac
done
exec ${prefix}gcc "\${arguments[@]}"
END
  chmod 755 "$work/cc"
  if ! make --silent -C "$headers" M="$module" CC="$work/cc" CROSS_COMPILE="$prefix" ARCH="$kernel" modules >"$work/log" 2>&1; then
    tail -20 "$work/log" >&2
    return 1
  fi
  for file in "$module"/*.ko; do "${prefix}strip" -g "$file" -o "$into/${file##*/}"; done
  rm -rf "$work"
}

# Debian 13's build programs want its own C library. Each becomes a line that runs it with that one.
wrap_kbuild() {
  local work=$1 base=$2 program real
  local loader="$work/usr/lib64/ld-linux-x86-64.so.2 --library-path $work/usr/lib/x86_64-linux-gnu"
  find "$work/usr/lib/linux-kbuild-$base" -type f -perm -1 | while read -r program; do
    [ "$(head -c4 "$program" | tail -c3)" = ELF ] && mv "$program" "$program.elf"
  done
  find "$work/usr/lib/linux-kbuild-$base" -name '*.elf' | while read -r real; do
    program=${real%.elf}
    # These two only choose among their variants by name.
    case ${program##*/} in
      objtool) real=$program.real-x86.elf ;;
      modpost) real=$program.real-lsb-64.elf ;;
    esac
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$loader" "$real" >"$program"
    chmod 755 "$program"
  done
}
