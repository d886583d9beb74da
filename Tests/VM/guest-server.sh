#!/bin/sh
# guest-server.sh: a sound server that is killed and restarted, also at another rate; runs inside the
# virtual machine. SPDX-License-Identifier: MIT
#
#   guest-server.sh DRIVER-CHECK PLUG-IN OUT
#
# PLUG-IN is alsa-lib's libasound_module_pcm_jack.so. Writes results to the directory OUT.

check=$1
plug_in=$2
out=$3
fast=/dev/shm/outboard
mkdir -p "$fast"
export JACK_DEFAULT_SERVER=outboard JACK_NO_START_SERVER=1 ALSA_CONFIG_PATH="$fast/asoundrc"
cat >"$ALSA_CONFIG_PATH" <<END
</usr/share/alsa/alsa.conf>
pcm_type.jack { lib "$plug_in" }
pcm.server {
  type jack
  playback_ports { 0 system:playback_1 1 system:playback_2 }
  capture_ports { 0 system:capture_1 1 system:capture_2 }
}
END
. Tests/VM/guest-functions.sh

start_server() { # RATE
  jackd -n outboard --no-realtime -d dummy -r "$1" -p 256 >>"$out/jackd" 2>&1 &
  server=$!
}
# Waits until the server responds.
await_server() {
  tries=500
  until "$check" run --in server --out server --period 256 --seconds 0.1 >"$fast/probe" 2>&1 ||
    [ $tries -eq 0 ]; do
    sleep 0.1
    tries=$((tries - 1))
  done
}
stop_server() { # SIGNAL
  kill -s "$1" $server
  wait $server 2>/dev/null
}

# Loads all files before idle time is skipped.
echo keep-idle >/run/alsa-vm/action
start_server 48000
await_server
stop_server TERM
echo skip-idle >/run/alsa-vm/action

start_server 48000
await_server
"$check" run --in server --out server --period 256 --seconds 1000 --until "$fast/end" \
  >"$out/server" 2>"$out/server-words" &
driver=$!
sleep 3
restart_server() { # SIGNAL RATE SECONDS
  read -r before _ </proc/uptime
  stop_server "$1"
  sleep "$3"
  start_server "$2"
  await_server
  read -r after _ </proc/uptime
  echo "stopped $before $after" >>"$fast/server.span"
  sleep 3
}
restart_server TERM 48000 0.5
restart_server KILL 44100 3
touch "$fast/end"
wait $driver
echo "status $?" >>"$out/server"
cp "$fast/server.span" "$out/"
stop_server TERM
exit 0 # the reports have the results
