#!/bin/bash
# root.sh BOARD FOLDER VERSION makes the root tree of a board's image in FOLDER: the Debian packages of packages.lock beside it, unpacked
# and not installed, so that no program of the board runs here and two builds are the same; the few things that package scripts would do;
# then the files of image/overlay and board/BOARD/overlay, the programs of PROGRAMS (.build-arm64/out), and what a network needs (NETWORK).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(dirname "$here")
board=$1 root=$2 version=$3
programs=${PROGRAMS:-$repository/.build-arm64/out}
# shellcheck source=image/debian/lock.sh
# shellcheck source=debian/lock.sh
. "$here/debian/lock.sh"
# shellcheck source=image/kernel_modules.sh
# shellcheck source=kernel_modules.sh
. "$here/kernel_modules.sh"
# Said by whoever builds; the board's own wishes, if nobody did, are build.sh's to read.
faces=${FACES:-0} network=${NETWORK:-}
MODULES=''
# shellcheck source=/dev/null
# shellcheck source=../board/qemu-virt/board.conf
. "$repository/board/$board/board.conf"
lock=$(dirname "$root")/packages.lock
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fetch "$lock"

# What a gate never reads. The character set tables and the hardware names alone are a quarter of the tree.
unwanted=(usr/share/{doc,man,locale,info,lintian,bug,doc-base,bash-completion,zsh,fish,gdb,gcc,perl5,debconf,initramfs-tools,mime,pixmaps}
    usr/share/{polkit-1,dbus-1,systemd,kernel} usr/lib/aarch64-linux-gnu/{gconv,perl5} usr/lib/{kernel,apt,python3} usr/lib/udev/hwdb.d
    usr/lib/systemd/{catalog,user} var/cache etc/{apt,cron.d,init.d,kernel,ssh,xdg,profile.d} 'etc/rc?.d'
    # Of chrony chronyd alone: no servers of its own, no control from outside, nothing that other programs' events start.
    etc/{apparmor.d,chrony,default,dhcp,logrotate.d,network,ppp} usr/bin/chronyc usr/libexec/chrony usr/share/chrony var/lib/chrony
    usr/lib/{NetworkManager,networkd-dispatcher} usr/lib/systemd/ntp-units.d)
excludes=()
for path in "${unwanted[@]}"; do excludes+=(--exclude="./$path"); done

unpack_packages() {
    local file
    merged_usr "$root" bin sbin lib
    for file in $(files "$lock" root); do unpack "$file" "$root" --wildcards "${excludes[@]}"; done
    # Nobody becomes somebody else on a gate.
    find "$root" -type f -perm /6000 -exec chmod ug-s {} +
    # What udev has rules for and a gate does not have costs time at each start, once for every device there is.
    (cd "$root/usr/lib/udev" && ls rules.d/* | grep -vxFf <(sed 's#^#rules.d/#' "$here/udev-rules") | xargs rm -f
        rm -f ata_id cdrom_id dmi_memory_id fido_id iocost mtd_probe scsi_id)
    (cd "$root/usr/lib/tmpfiles.d" &&
        find . -type f ! -name static-nodes-permissions.conf ! -name systemd.conf ! -name systemd-pstore.conf ! -name tmp.conf -delete)
    # Package scripts' tools, and what only a person at a terminal would want.
    (cd "$root/usr" && rm -f bin/deb* sbin/dpkg-* sbin/{invoke-rc.d,update-rc.d,service,e2scrub*,debugfs,e4*,filefrag,mklost+found} \
        bin/{busctl,kernel-install,run0,hostnamectl,localectl,loginctl,timedatectl} \
        bin/systemd-{hwdb,firstboot,ask-password,tty-ask-password-agent})
}

# The kernel's image, and of its modules the ones that the board names.
unpack_kernel() {
    local tree=$root.kernel release
    unpack "$(files "$lock" kernel)" "$tree" --wildcards --exclude='./usr/share'
    release=$(ls "$tree/usr/lib/modules")
    [ -e "$tree/lib" ] || ln -s usr/lib "$tree/lib"
    depmod -b "$tree" "$release"
    # shellcheck disable=SC2046,SC2086
    add_modules "$tree" "$root" $(grep -v '^#' "$here/modules") $([ "$faces" != 1 ] || echo uvcvideo) $MODULES
}

configure() {
    local overlay
    for overlay in "$here/overlay" "$repository/board/$board/overlay"; do
        # The modes are git's, executable or not, whatever mask the clone was made under.
        [ ! -d "$overlay" ] || tar -c -C "$overlay" --mode=u=rwX,go=rX . | tar -x -C "$root" --no-same-owner --keep-directory-symlink
    done
    install -D -m 644 "$repository/board/$board/board.json" "$root/etc/gatehouse/board.json"
    local controller
    controller=$(sed -n 's/.*"hci": *"serial:\([^,"]*\).*/\1/p' "$root/etc/gatehouse/board.json")
    [ -z "$controller" ] || echo "SUBSYSTEM==\"tty\", KERNEL==\"${controller#/dev/}\", GROUP=\"gatehouse\", MODE=\"0660\"" \
        > "$root/usr/lib/udev/rules.d/82-controller.rules"
    install -D -m 644 "$repository/board/generic/gatehouse.service" "$root/usr/lib/systemd/system/gatehouse.service"
    install -m 755 "$programs"/gatehouse{,-http,-vision,-relay,-osdp} "$root/usr/bin/"
    configure_outlets
    if [ "$faces" = 1 ]; then
        # Each with what its models' names end in: a download that was cut off leaves a folder beside them.
        local matcher end
        while read -r matcher end; do
            install -D -m 755 "$programs/face-$matcher.so" "$root/usr/lib/gatehouse/face-$matcher.so"
            install -D -m 644 -t "$root/usr/share/gatehouse/models/$matcher" "$repository/.build/models/$matcher"/*."$end"
        done <<< $'dlib dat\nsface onnx'
    fi
    install -D -m 644 -t "$root/usr/share/gatehouse/words" "$repository"/.build/words/*.sheet
    echo "$version" > "$root/etc/gatehouse-version"
    printf '%s\n' "PRETTY_NAME=\"Gatehouse $version\"" 'ID=gatehouse' 'ID_LIKE=debian' 'VERSION_ID=13' 'VERSION_CODENAME=trixie' \
        'IMAGE_ID=gatehouse' "IMAGE_VERSION=$version" "VARIANT_ID=$board" > "$root/usr/lib/os-release"
    ln -sf ../usr/lib/os-release "$root/etc/os-release"
    # Empty: the root cannot be written, so systemd makes one up at each start. Absent would be a first boot, each time.
    : > "$root/etc/machine-id"
    ln -sf /proc/self/mounts "$root/etc/mtab"
    ln -sf /run/resolv.conf "$root/etc/resolv.conf"
    # The trust bundle outlives updates, so it lies with the data; who signs it is part of the root, which nobody writes.
    ln -sf /var/lib/gatehouse/trust "$root/etc/gatehouse/trust"
    chmod 600 "$root/etc/shadow"
    mkdir -p "$root"/{dev,proc,sys,run,tmp,root,data,mnt,boot} "$root"/var/{lib/gatehouse,tmp,log,cache,spool}
    ln -sf /run "$root/var/run"
    chmod 1777 "$root/tmp" "$root/var/tmp"
    chmod 700 "$root/root"
    local applet
    for applet in $(grep -v '^#' "$here/applets"); do
        [ -e "$root/usr/bin/$applet" ] || [ -e "$root/usr/sbin/$applet" ] || ln -s busybox "$root/usr/bin/$applet"
    done
}

# Other systems: nothing of it runs until a site file has settings of an outlet (gatehouse-settings), or the board's overlay has
# etc/gatehouse/osdp.
configure_outlets() {
    local generic=$repository/board/generic units=$root/usr/lib/systemd/system drop_ins=$root/etc/systemd/system
    install -m 644 -t "$units" "$generic"/gatehouse-{relay@.service,pulled.path,pulled.service,pulled.timer,pulled-site.path,pulled-site.service,pulled-site.timer,osdp.service,osdp.socket,osdp-install.service}
    install -D -m 644 "$generic/gatehouse-relay.conf" "$drop_ins/gatehouse.service.d/relay.conf"
    install -D -m 644 "$generic/gatehouse-relay-metrics.conf" "$drop_ins/gatehouse-relay@metrics.service.d/metrics.conf"
    install -D -m 644 "$generic/gatehouse-relay-trust.conf" "$drop_ins/gatehouse-relay@trust.service.d/trust.conf"
    # The root cannot be written: what the site file says lies in memory, made anew at each start.
    ln -sfn /run/gatehouse-outlets "$root/etc/gatehouse/outlets"
    mkdir -p "$root"/var/lib/gatehouse-{relay,osdp}
    if [ -e "$root/etc/gatehouse/osdp" ]; then
        # The gate's own line, with the socket for its verdicts.
        { printf '%s\n' '[Unit]' Wants=gatehouse-osdp.socket After=gatehouse-osdp.socket '[Service]' ExecStart=
            sed -n 's/^ExecStart=..*/& --feed \/run\/gatehouse-osdp.feed/p' "$drop_ins/gatehouse.service.d/image.conf"; } > "$drop_ins/gatehouse.service.d/osdp.conf"
    else
        sed -i '/^WantedBy=/d' "$units"/gatehouse-osdp{.service,.socket,-button.service}
    fi
}

# Which units start. No login of any kind, nothing that asks a person, nothing that writes the root.
choose_units() {
    local units=$root/usr/lib/systemd/system name
    rm -rf "$units"/{getty.target.wants,initrd.target.wants,initrd-root-device.target.wants,rescue.target.wants,remote-fs.target.wants}
    for name in $(grep -v '^#' "$here/units-removed"); do
        rm -rf "${units:?}"/"$name" "$units"/*.wants/"$name" "$units/$name.d"
    done
    # Units that systemd would make up from the kernel's command line or from what a machine's owner passes in: a root shell could be one.
    rm -rf "$root"/usr/lib/systemd/system-generators "$root"/usr/lib/sysusers.d
    ln -sf multi-user.target "$units/default.target"
    mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
    # Every unit of ours that says who wants it is enabled.
    local file target
    for file in "$units"/gatehouse*; do
        # Instances are somebody else's to start: of outlets gatehouse-settings'.
        [ -f "$file" ] && [[ $file != *@.service ]] || continue
        for target in $(sed -n 's/^WantedBy=//p' "$file"); do
            mkdir -p "$root/etc/systemd/system/$target.wants"
            ln -sf "/usr/lib/systemd/system/$(basename "$file")" "$root/etc/systemd/system/$target.wants/"
        done
    done
}

rm -rf "$root" "$root.kernel"
unpack_packages
# Packages enable nothing: what starts is said here and in the overlays.
rm -rf "$root"/etc/systemd/system/*.wants
unpack_kernel
configure
choose_units
NETWORK=$network "$here/network.sh" "$board" "$root"
