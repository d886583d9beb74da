#!/bin/sh
# faults-guest.sh: faults of sound cards and programs, in the virtual machine; started by
# Benchmarks/faults, which prints a table of the results. SPDX-License-Identifier: MIT
#
#   faults-guest.sh DIRECTORY STORM REPLUGS PROGRAM...
#
# DIRECTORY has outboard, attend and jack-plug-in, which is alsa-lib's. Prints a line per case: program, card, fault, result.

# The shell and its tools are one program in memory, because opening a file makes the virtual clock jump.
if [ ! -e /dev/shm/faults/busybox ]; then
  mkdir -p /dev/shm/faults
  cp /bin/busybox /dev/shm/faults/
  exec /dev/shm/faults/busybox sh "$0" "$@"
fi
folder=$1
storm=$2
replugs=$3
shift 3
period=512
periods=3
rate=48000
limit=8 # seconds without audio that count as no recovery
uri=http://drobilla.net/plugins/mda/Ambience
export JACK_DEFAULT_SERVER=faults JACK_NO_AUDIO_RESERVATION=1 JACK_NO_START_SERVER=1
fast=/dev/shm/faults
mkfifo "$fast/pipe" "$fast/input"
exec 8<>"$fast/input" # an input that never receives data
cp "$folder/outboard" "$folder/attend" "$fast/"
words=$fast/words

# Programs without JACK support reach the server through ALSA's plug-in.
export ALSA_CONFIG_PATH=$fast/asoundrc
cat >$ALSA_CONFIG_PATH <<END
</usr/share/alsa/alsa.conf>
pcm_type.jack { lib "$folder/jack-plug-in" }
pcm.server {
  type jack
  playback_ports { 0 system:playback_1 1 system:playback_2 }
  capture_ports { 0 system:capture_1 1 system:capture_2 }
}
END

# ---- the programs -------------------------------------------------------------------
# start_PROGRAM CAPTURE PLAYBACK: starts it on devices or "none". Sets `main`, the process that uses the cards (or
# the one that plays), `all`, every process, and `stopped`, the processes that get SIGSTOP.

start_outboard() {
  case $1,$2 in
  none,*) what=http://drobilla.net/plugins/mda/EPiano ;;
  *,none) what="--rig manifests/rigs/analyser.yaml" ;;
  *) what=$uri ;;
  esac
  "$fast/outboard" run $what --in "$1" --out "$2" --period $period --periods $periods --rate $rate \
    --no-feedback-suppression >"$words" 2>&1 &
  main=$! all=$! stopped=$!
}

start_jackd() {
  set -- $([ "$1" = none ] || echo "-C $1") $([ "$2" = none ] || echo "-P $2")
  jackd -n faults -R -d alsa "$@" -r $rate -p $period -n $periods >"$words" 2>&1 &
  main=$! all=$! stopped=$!
  tries=100
  until grep -q '^ALSA: use' "$words" || [ $tries = 0 ]; do
    sleep 0.1
    tries=$((tries - 1))
  done
  sleep 0.3
  start_jalv
  all="$main $client"
  case $* in *-P*)
    jack_connect "MDA Ambience:left_out" system:playback_1
    jack_connect "MDA Ambience:right_out" system:playback_2
    ;;
  esac >>"$words" 2>&1
  case $* in *-C*)
    jack_connect system:capture_1 "MDA Ambience:left_in"
    jack_connect system:capture_2 "MDA Ambience:right_in"
    ;;
  esac >>"$words" 2>&1
}

start_jalv() { # sets client
  # jalv 1.6.6 may crash at its start without any fault. This is not part of the comparison. It exits
  # at the end of its standard input.
  attempts=12
  while [ $attempts -gt 0 ]; do
    jalv $uri <&8 >>"$words.jalv" 2>&1 &
    client=$!
    sleep 0.7
    gone $client || break
    wait $client
    attempts=$((attempts - 1))
    echo "jalv crashed at its start: $attempts attempts left" >&2
  done
}

start_ecasound() {
  capture=null playback=null
  sample=s16_le
  [ "$1" = none ] || capture=alsahw,$(number "$1")
  [ "$2" = none ] || playback=alsahw,$(number "$2")
  # ecasound supports JACK servers itself, without a plug-in.
  [ "$1" != server ] || capture=jack,system playback=jack,system sample=f32_le
  ecasound -q -D -b:$period -r:60 -z:noxruns -f:$sample,2,$rate -i:$capture -o:$playback -elv2:$uri \
    >"$words" 2>&1 </dev/null &
  main=$! all=$! stopped=$!
}

start_aplay() {
  sample=S16_LE priority="chrt -f 60"
  # Without real-time priority: they spin when the server is gone, and no other process could run.
  [ "$1" != server ] || sample=FLOAT_LE priority=
  set -- "$1" "$2" "-q -t raw -f $sample -r $rate -c 2 --period-size=$period --buffer-size=$((period * periods))"
  case $1,$2 in
  none,*) $priority aplay -D "$2" $3 /dev/zero >"$words" 2>&1 & ;;
  *,none) $priority arecord -D "$1" $3 >/dev/null 2>"$words" & ;;
  *)
    $priority arecord -D "$1" $3 >"$fast/pipe" 2>"$words" &
    all=$!
    $priority aplay -D "$2" $3 <"$fast/pipe" 2>"$words.aplay" &
    main=$! all="$all $!" stopped="$all"
    return
    ;;
  esac
  main=$! all=$! stopped=$!
}

# ecasound identifies card, device and substream by number: hw:Loopback,1,0 is 0,1,0.
number() {
  echo "$1" | sed 's/^hw://; s/Loopback/0/; s/Dummy/1/; s/USB/2/'
}

# ---- a case ---------------------------------------------------------------------------

now() { read -r time _ </proc/uptime; }

gone() { # PID
  [ -r "/proc/$1/stat" ] || return 0
  read -r rest <"/proc/$1/stat" || return 0
  case ${rest##*) } in [ZX]*) return 0 ;; *) return 1 ;; esac
}

# Returns whether one of the processes ended. Sets its name and status.
any_gone() {
  for process in $all; do
    if gone "$process"; then
      wait "$process"
      status=$?
      who=
      [ "$process" != "$client" ] || who="jalv "
      return 0
    fi
  done
  return 1
}

begin() { # PROGRAM CAPTURE PLAYBACK STATUS...
  program=$1
  first=$2,$3
  worst=0 status=
  begin_now=$4
  start_"$1" "$2" "$3"
  shift 4
  files=
  for file in "$@"; do files="$files /proc/asound/$file/status"; done
  [ "$begin_now" = later ] || settle
}

# Waits until audio runs for the first time.
settle() {
  now
  started=$("$fast/attend" "$time" 10 "$main" $files)
  case $started in *[a-z]*) worst="never ran: $started" ;; esac
}

# Waits until audio runs again after $time. Keeps the longest duration.
back() {
  case $worst in *[a-z]*) return 1 ;; esac
  took=$("$fast/attend" "$time" $limit "$main" $files)
  if any_gone; then
    worst="${who}died (status $status)"
  elif [ "$took" = silent ]; then
    worst="no recovery"
  else
    worst=$(printf '%s\n%s\n' "$worst" "$took" | sort -n | tail -n 1)
    return 0
  fi
  return 1
}

finish() { # CARD FAULT
  last=$(tail -n 1 "$words" | cut -c 1-90)
  if [ -n "$client" ] && [ "$program" = jackd ]; then
    case $worst in
    *[a-z]*) ;;
    *)
      case $(jack_lsp -c 2>/dev/null) in
      *'MDA Ambience'*) ;;
      *) worst="back in $worst s, jalv let go" ;;
      esac
      ;;
    esac
  fi
  kill -CONT $all 2>/dev/null
  kill -TERM $all 2>/dev/null
  tries=40
  for process in $all; do
    while ! gone "$process" && [ $tries -gt 0 ]; do
      sleep 0.05
      tries=$((tries - 1))
    done
  done
  kill -KILL $all 2>/dev/null
  wait $all 2>/dev/null
  client=
  sleep 0.2
  case $worst in *[a-z]*) ;; *) worst="back in $worst s" ;; esac
  echo "$program|$1|$2|$worst|$last"
}

stop_for() { # SECONDS
  kill -STOP $stopped 2>/dev/null
  sleep "$1"
  now
  kill -CONT $stopped 2>/dev/null
}

await_card() { # CARD there|away
  tries=2000
  while [ $tries -gt 0 ]; do
    if [ -e "/proc/asound/$1/pcm0p" ]; then is=there; else is=away; fi
    [ $is != "$2" ] || return 0
    sleep 0.05
    tries=$((tries - 1))
  done
  return 1
}

# Unbinds a platform device from its driver, and binds it again. The unbind waits until no process has the
# card open.
drivers=/sys/bus/platform/drivers
take_out() { # CARD
  case $1 in
  USB) act unplug-usb ;;
  Dummy) { echo snd_dummy.0 >$drivers/snd_dummy/unbind; } & taking=$! ;;
  Loopback) { echo snd_aloop.0 >$drivers/snd_aloop/unbind; } & taking=$! ;;
  esac
  await_card "$1" away
}

# Returns whether the unbind finishes within some seconds.
let_go() {
  tries=$((limit * 20))
  until [ -z "$taking" ] || gone $taking; do
    [ $tries -gt 0 ] || return 1
    sleep 0.05
    tries=$((tries - 1))
  done
  taking=
}

put_in() { # CARD
  [ ! -e "/proc/asound/$1/pcm0p" ] || return 0
  let_go || { worst="kept the lost card open" && return 1; }
  case $1 in
  USB) act plug-usb ;;
  Dummy) echo snd_dummy.0 >$drivers/snd_dummy/bind ;;
  Loopback) echo snd_aloop.0 >$drivers/snd_aloop/bind ;;
  esac
  await_card "$1" there
}

act() { echo "$1" >/run/alsa-vm/action; }

# ---- the faults -------------------------------------------------------------------------

duplex_faults() { # PROGRAM CARD CAPTURE PLAYBACK CAPTURE-STATUS PLAYBACK-STATUS
  begin "$1" "$3" none at-once "$5"
  sleep 0.5; stop_for 0.2; back; finish "$2" "stopped 0.2 s, recording"

  begin "$1" none "$4" at-once "$6"
  sleep 0.5; stop_for 0.2; back; finish "$2" "stopped 0.2 s, playing"

  begin "$1" "$3" "$4" at-once "$5" "$6"
  sleep 0.5; stop_for 0.2; back; finish "$2" "stopped 0.2 s, both"

  begin "$1" "$3" "$4" later "$5" "$6"
  tries=2000
  until grep -qs RUNNING "/proc/asound/$6/status" || [ $tries = 0 ]; do sleep 0.002; tries=$((tries - 1)); done
  stop_for 0.2; back; finish "$2" "stopped 0.2 s at the start"

  begin "$1" "$3" "$4" at-once "$5" "$6"
  turn=0
  while [ $turn -lt "$storm" ]; do
    stop_for 0.05
    sleep 0.05
    turn=$((turn + 1))
  done
  back; finish "$2" "$storm stops of 0.05 s"

  begin "$1" "$3" "$4" at-once "$5" "$6"
  sleep 0.5; stop_for 3; back; finish "$2" "stopped 3 s"
}

suspend_fault() { # PROGRAM CARD CAPTURE PLAYBACK STATUS...
  card=$2
  program=$1
  shift 2
  begin "$program" "$1" "$2" at-once $3 ${4:-}
  sleep 0.5
  read -r before </sys/power/suspend_stats/fail
  act suspend
  tries=2000 # until the kernel has resumed all cards, because one device refused
  read -r after </sys/power/suspend_stats/fail
  while [ "$after" = "$before" ] && [ $tries -gt 0 ]; do
    sleep 0.002
    read -r after </sys/power/suspend_stats/fail
    tries=$((tries - 1))
  done
  [ "$after" != "$before" ] || worst="(no suspension)"
  now; back; finish "$card" "suspended"
}

# Unplugs and plugs in the card repeatedly.
replug_fault() { # PROGRAM CARD CAPTURE PLAYBACK STATUS...
  card=$2
  program=$1
  shift 2
  begin "$program" "$1" "$2" at-once $3 ${4:-}
  turn=0
  while [ $turn -lt "$replugs" ]; do
    sleep 0.5
    take_out "$card"
    sleep 0.5
    put_in "$card" || break
    now
    back || break
    turn=$((turn + 1))
  done
  finish "$card" "disconnected and reconnected, worst of $replugs"
  put_in "$card"
}

usb_faults() { # PROGRAM
  begin "$1" none hw:USB at-once USB/pcm0p/sub0
  sleep 0.5; stop_for 0.2; back; finish USB "stopped 0.2 s, playing"

  begin "$1" none hw:USB at-once USB/pcm0p/sub0
  turn=0
  while [ $turn -lt "$storm" ]; do
    stop_for 0.05
    sleep 0.05
    turn=$((turn + 1))
  done
  back; finish USB "$storm stops of 0.05 s"

  begin "$1" none hw:USB at-once USB/pcm0p/sub0
  sleep 0.5; stop_for 3; back; finish USB "stopped 3 s"
}

# Another program uses the card for two seconds after it is reconnected.
taken_fault() { # PROGRAM
  begin "$1" none hw:USB at-once USB/pcm0p/sub0
  sleep 0.5
  take_out USB
  sleep 1
  kill -STOP $stopped 2>/dev/null
  put_in USB
  aplay -q -D hw:USB -t raw -f S16_LE -r 48000 -c 2 /dev/zero &
  taker=$!
  sleep 0.5
  kill -CONT $stopped 2>/dev/null
  sleep 2
  now
  kill $taker; wait $taker
  back; finish USB "reconnected, but in use for 2 s"
}

# A card that is reconnected with only one other rate, as after a change of its switch.
rate_fault() { # PROGRAM
  rate=44100
  begin "$1" hw:Dummy hw:Dummy at-once Dummy/pcm0c/sub0 Dummy/pcm0p/sub0
  sleep 0.5
  take_out Dummy
  if let_go; then
    rmmod snd_dummy
    insmod "$fast/snd-dummy.ko" index=1 id=Dummy pcm_substreams=1 model=ac97
    await_card Dummy there
    now; back
    case $worst in
    *[a-z]*) ;;
    *) worst="back in $worst s, at $(sed -n 's/^rate: \([0-9]*\).*/\1/p' /proc/asound/Dummy/pcm0p/sub0/hw_params) Hz" ;;
    esac
  else
    worst="kept the lost card open"
  fi
  finish Dummy "reconnected with only 48000 Hz, was 44100"
  rate=48000
  let_go
  rmmod snd_dummy
  insmod "$fast/snd-dummy.ko" index=1 id=Dummy pcm_substreams=1
  await_card Dummy there
}

# ---- a sound server, through which the programs play -------------------------------------------

start_server() { # RATE
  jackd -n faults -R -d dummy -r "$1" -p $period >>"$fast/server" 2>&1 &
  server=$!
  tries=50
  until jack_lsp >/dev/null 2>&1 || [ $tries = 0 ]; do
    sleep 0.02
    tries=$((tries - 1))
  done
}

# Returns whether a client is connected to the server's output.
connected() {
  jack_lsp -c system:playback_1 2>/dev/null | grep -q '^ '
}

# The limit is a time, because each attempt takes a while.
await_connection() {
  now
  deadline=$((${time%.*} + limit + 1))
  until connected; do
    now
    [ "${time%.*}" -lt $deadline ] || return 1
    sleep 0.02
  done
}

server_fault() { # PROGRAM RATE FAULT
  worst=0 status=
  start_server 48000
  case $1 in
  jackd)
    start_jalv
    main=$client all=$client stopped=$client program=jalv
    : >"$words"
    jack_connect "MDA Ambience:left_out" system:playback_1 >>"$words" 2>&1
    ;;
  *)
    program=$1
    start_"$1" server server
    ;;
  esac
  await_connection || worst="never ran"
  sleep 1
  kill -KILL $server
  wait $server 2>/dev/null
  sleep 0.5
  start_server "$2"
  now; since=$time
  case $worst in
  *[a-z]*) ;;
  *)
    if await_connection; then
      now; took=$time
      sleep 0.5
      worst=$(awk -v from="$since" -v to="$took" 'BEGIN { printf "%.2f\n", to - from }')
      connected || worst="no recovery"
    else
      worst="no recovery"
    fi
    ! any_gone || worst="died (status $status)"
    ;;
  esac
  program=$1
  finish server "$3"
  kill $server
  wait $server 2>/dev/null
}

# ---- load all files before idle time is skipped -------------------------------------------
modprobe virtio_mem
cp "/lib/modules/$(uname -r)/kernel/sound/drivers/snd-dummy.ko" "$fast/"
for tool in sort tail sed cut grep printf awk rmmod insmod; do $tool --version >/dev/null 2>&1; done
for program in "$@"; do
  begin "$program" hw:Dummy hw:Dummy at-once Dummy/pcm0c/sub0 Dummy/pcm0p/sub0
  finish Dummy "first start" >&2
  cat "$words" "$words".* >&2 2>/dev/null
done
# Also the server, its clients and its plug-in: otherwise it can be killed before a program has transferred audio.
case ${FAULTS:-server} in
*server*) for program in "$@"; do server_fault "$program" 48000 "first start" >&2; done ;;
esac
act skip-idle

dummy="hw:Dummy hw:Dummy Dummy/pcm0c/sub0 Dummy/pcm0p/sub0"
loopback="hw:Loopback,1,0 hw:Loopback,0,1 Loopback/pcm1c/sub0 Loopback/pcm0p/sub1"
usb="none hw:USB USB/pcm0p/sub0"
for program in "$@"; do
  for fault in ${FAULTS:-stops suspend replug rate server}; do
    case $fault in
    stops)
      duplex_faults "$program" Dummy $dummy
      duplex_faults "$program" Loopback $loopback
      usb_faults "$program"
      ;;
    suspend)
      suspend_fault "$program" Dummy $dummy
      suspend_fault "$program" Loopback $loopback
      suspend_fault "$program" USB $usb
      ;;
    replug)
      replug_fault "$program" Dummy $dummy
      replug_fault "$program" Loopback $loopback
      replug_fault "$program" USB $usb
      taken_fault "$program"
      ;;
    rate) rate_fault "$program" ;;
    server)
      server_fault "$program" 48000 "server killed and restarted"
      server_fault "$program" 44100 "server restarted at 44100 Hz"
      ;;
    esac
  done
done
exit 0
