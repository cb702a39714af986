#!/bin/sh
# settings.sh CONFIGURATION SETTINGS... fails where U-Boot's finished configuration is not what the settings ask for, and names each line.
# What was asked for and is not there would be a door left open: an option that U-Boot renamed, or that another one keeps on.
set -eu
configuration=$1
shift
lacking=0
while read -r line; do
    case $line in
        CONFIG_*) grep -qxF -e "$line" "$configuration" || { echo "u-boot: does not take $line" >&2; lacking=1; } ;;
        '# CONFIG_'*' is not set')
            name=${line#'# '} name=${name%' is not set'}
            ! grep -q "^$name=" "$configuration" || { echo "u-boot: keeps $name" >&2; lacking=1; }
            ;;
    esac
done <<END
$(cat "$@")
END
exit $lacking
