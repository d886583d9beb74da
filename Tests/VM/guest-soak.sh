#!/bin/sh
# guest-soak.sh: a long run with many faults of the cards and the process, at the times in a file; runs inside
# the virtual machine, on a dummy and a USB card. SPDX-License-Identifier: MIT
#
#   guest-soak.sh DRIVER-CHECK OUT
#
# Each line of OUT/schedule has a wait in seconds, a fault, and its duration. Writes results to the directory
# OUT; scripts/soak, on the host, checks them.

# The shell and its tools are one program in memory. Opening any other file makes the virtual clock jump, and
# further on a busy host.
fast=/dev/shm/outboard
if [ ! -e "$fast/busybox" ]; then
  mkdir -p "$fast"
  cp /bin/busybox "$fast/"
  exec "$fast/busybox" sh "$0" "$@"
fi
check=$1
out=$2
. Tests/VM/guest-functions.sh

modprobe virtio_mem # for the suspension
"$check" devices >/dev/null
cp "$out/schedule" "$fast/schedule" # reading it later would make the virtual clock jump
echo skip-idle >/run/alsa-vm/action

# Prints the resources of the driver without starting a program: files, threads, kilobytes of memory.
hold() {
  count=0
  for file in "/proc/$driver/fd/"*; do [ ! -e "$file" ] || count=$((count + 1)); done
  while read -r key value _; do
    case $key in
    Threads:) threads=$value ;;
    VmRSS:) resident=$value ;;
    esac
  done <"/proc/$driver/status"
  echo "$count files $threads threads $resident kB" >>"$fast/held"
}

# Copies the results, so that a run that does not end can be examined.
save() {
  for name in times span held; do
    [ ! -e "$fast/$name" ] || cp "$fast/$name" "$out/soak.$name"
  done
}

happen() { # WHAT SECONDS
  case $1 in
  unplug)
    unplug_usb
    sleep "$2"
    plug_usb
    echo "back $(uptime_now)" >>"$fast/times"
    await_running USB/pcm0p/sub0
    echo "runs $(uptime_now)" >>"$fast/times"
    ;;
  stop) stop_for $driver "$2" "$fast/span" ;;
  storm)
    turn=0
    while [ $turn -lt 100 ]; do
      stop_for $driver "$2" "$fast/span"
      sleep "$2"
      turn=$((turn + 1))
    done
    ;;
  suspend)
    echo suspend >/run/alsa-vm/action
    sleep 2
    ;;
  esac
}

"$check" run --in hw:Dummy --out hw:Dummy --out hw:USB --seconds 100000 --until "$fast/end" \
  >"$out/soak" &
driver=$!
await_running USB/pcm0p/sub0
while read -r pause what length; do
  sleep "$pause"
  hold
  happen "$what" "$length"
  save
done <"$fast/schedule"
sleep 3
hold
touch "$fast/end"
wait $driver
echo "status $?" >>"$out/soak"
save
exit 0 # the reports have the results
