# guest-functions.sh: functions of the checks inside the virtual machine. SPDX-License-Identifier: MIT
# shellcheck shell=sh

# Waits until the stream CARD/DEVICE/SUBSTREAM transfers audio.
await_running() {
  tries=200
  until grep -q RUNNING "/proc/asound/$1/status" 2>/dev/null || [ $tries -eq 0 ]; do
    sleep 0.1
    tries=$((tries - 1))
  done
}

# Waits until the recorder at the far end of the cable and the program at its near end both run. The first
# start may read from disk, which makes the virtual clock jump.
await_cable() {
  await_running Loopback/pcm1c/sub1
  await_running Loopback/pcm0p/sub1
}

# Stops the process $1 for $2 seconds, or longer if the virtual clock jumps. Appends the real times to the
# file $3. The shell itself reads the clock, because loading a program would make the clock jump.
stop_for() {
  read -r before _ </proc/uptime
  kill -STOP "$1"
  sleep "$2"
  kill -CONT "$1"
  read -r after _ </proc/uptime
  echo "stopped $before $after" >>"$3"
}

# Prints outboard's name of alsa-lib's format $1.
format_name() {
  case $1 in
  *_LE) echo "${1%_LE}" ;;
  *_BE) echo "$1" ;;
  *LE) echo "${1%LE}" ;;
  *) echo "${1%BE}_BE" ;;
  esac
}

# Waits until a file exists or, with `!`, until it does not. The host acts in real time, and idle time is
# skipped here. Therefore there are many attempts.
await_file() { # [!] FILE
  tries=50000
  while [ $tries -gt 0 ]; do
    case $1 in
    !) [ -e "$2" ] || return 0 ;;
    *) [ ! -e "$1" ] || return 0 ;;
    esac
    sleep 0.02
    tries=$((tries - 1))
  done
  return 1
}

# Waits until the file $3 has at least $1 lines that match the pattern $2. A busy host delays programs that read files.
await_lines() {
  tries=2000
  until [ "$(grep -c -- "$2" "$3" 2>/dev/null)" -ge "$1" ] || [ $tries -eq 0 ]; do
    sleep 0.1
    tries=$((tries - 1))
  done
}

# Unplugs the USB card or plugs it in, unless that is already done.
unplug_usb() {
  [ ! -e /proc/asound/USB ] || echo unplug-usb >/run/alsa-vm/action
  await_file ! /proc/asound/USB
}
plug_usb() {
  [ -e /proc/asound/USB ] || echo plug-usb >/run/alsa-vm/action
  await_file /proc/asound/USB/pcm0p/sub0/status
}

# Prints the machine's uptime in seconds. The shell reads it, because loading a program would take time.
uptime_now() { read -r uptime _ </proc/uptime && echo "$uptime"; }
