#!/bin/sh
# Installs the Debian packages the build needs, where they are missing, and says so.
set -eu
exec "$(dirname "$0")/../image/host.sh" libssl-dev libbluetooth-dev zlib1g-dev libgpiod-dev libjpeg-dev libpng-dev libqrencode-dev libseccomp-dev \
  libdav1d-dev libopenjp2-7-dev libwebp-dev libzxing-dev libsodium-dev libmosquitto-dev libcurl4-gnutls-dev
