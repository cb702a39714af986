# Where the toolchain and its downloads are kept between clones. Read by the scripts of this folder.
cache=${GATEHOUSE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gatehouse}/arm64
