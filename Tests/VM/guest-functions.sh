# guest-functions.sh: what the checks inside the virtual machine share. SPDX-License-Identifier: MIT
# shellcheck shell=sh

# Waits until CARD/DEVICE/SUBSTREAM moves sound.
await_running() {
  tries=200
  until grep -q RUNNING "/proc/asound/$1/status" 2>/dev/null || [ $tries -eq 0 ]; do
    sleep 0.1
    tries=$((tries - 1))
  done
}

# Waits until the recorder at the far end of the cable and the program at its near end both run:
# whoever starts first may have to be read from the disk, for which the virtual clock may jump.
await_cable() {
  await_running Loopback/pcm1c/sub1
  await_running Loopback/pcm0p/sub1
}

# Stops the process $1 for a second or, where the virtual clock jumps, more; says how long in the
# file $2. The shell reads the clock itself: a program would have to be read.
stop_for_a_second() {
  read -r before _ </proc/uptime
  kill -STOP "$1"
  sleep 1
  kill -CONT "$1"
  read -r after _ </proc/uptime
  echo "stopped $before $after" >"$2"
}
