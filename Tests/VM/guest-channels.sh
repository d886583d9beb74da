#!/bin/sh
# guest-channels.sh: the check of the ALSA driver on a card of ten channels; runs inside the virtual
# machine. SPDX-License-Identifier: MIT
#
#   guest-channels.sh DRIVER-CHECK OUT

"$1" run --in hw:Dummy --out hw:Dummy --seconds 2 >"$2/ten-channels"
