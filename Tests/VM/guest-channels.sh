#!/bin/sh
# guest-channels.sh: the check of the ALSA driver on a card of ten channels; runs inside the virtual
# machine. SPDX-License-Identifier: MIT
#
#   guest-channels.sh DRIVER-CHECK OUT
#
# Follows guest-program.sh in the same machine, which removes all sound cards.

echo keep-idle >/run/alsa-vm/action
modprobe snd-dummy model=ice1712
"$1" devices >/dev/null
echo skip-idle >/run/alsa-vm/action
"$1" run --in hw:Dummy --out hw:Dummy --seconds 2 >"$2/ten-channels"
