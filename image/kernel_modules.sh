# Kernel modules of a root tree. Sourced.
#
#   add_modules KERNEL ROOT MODULE…   of the unpacked package KERNEL into ROOT, each with what it depends on; plain, because the root is
#                                     compressed as a whole, and without signatures (unsigned.py)
add_modules() {
    local kernel=$1 root=$2 release module from to
    shift 2
    release=$(ls "$kernel/usr/lib/modules")
    from=$kernel/usr/lib/modules/$release to=$root/usr/lib/modules/$release
    mkdir -p "$to"
    cp "$from"/modules.{builtin,builtin.modinfo,order} "$to/"
    for module; do
        modprobe -d "$kernel" -S "$release" --show-depends "$module" > "$root.depends" || { echo "no kernel module $module" >&2; exit 1; }
        sed -n 's/^insmod \([^ ]*\).*/\1/p' "$root.depends"
    done | LC_ALL=C sort -u | while read -r file; do
        local kept=${file#*"/lib/modules/$release/"}
        mkdir -p "$to/$(dirname "$kept")"
        xz -dc "$from/$kept" | python3 "${BASH_SOURCE[0]%/*}/unsigned.py" > "$to/${kept%.xz}"
    done
    depmod -b "$root" "$release"
    rm -f "$root.depends"
}
