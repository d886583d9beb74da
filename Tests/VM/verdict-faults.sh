# verdict-faults.sh: what the driver must have done when cards were lost; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

# states FILE: the states of the devices as they changed, a letter for each device: r runs, m is
# missing, f is refused; a letter twice in a row is left out.
states() {
  sed -n '/"event":"\(devices\|stopped\)"/s/.*"devices":\[\([^]]*\)\].*/\1/p' "$out/$1" |
    sed 's/"[^"]* running"/r/g; s/"[^"]* missing"/m/g; s/"[^"]* refused"/f/g; s/,//g' |
    uniq | paste -sd ' '
}

# changed FILE STATES: whether the devices went through just these.
changed() {
  local seen
  seen=$(states "$1")
  [[ $seen == "$2" ]] || { echo "        $1: the states were $seen, not $2" && false; }
}

# prompt_again FILE COUNT: whether the card was taken that often within a second of being back, by the
# kernel's word and by the driver's, who may see it a little before the shell does.
prompt_again() {
  awk -v count="$2" '
    FNR == NR && $1 == "back" { back[++backs] = $2 }
    FNR == NR && $1 == "runs" && $2 - back[backs] > worst { worst = $2 - back[backs] }
    FNR == NR { next }
    /"event":"(devices|stopped)"/ && !/ (missing|refused)"/ {
      match($0, /"time":[0-9.]*/)
      time = substr($0, RSTART + 7, RLENGTH - 7)
      while (taken < backs && back[taken + 1] - 0.15 < time) {
        taken++
        if (time - back[taken] > worst) worst = time - back[taken]
      }
    }
    END {
      if (backs == count && taken == count && worst <= 1) exit 0
      print "        " FILENAME ": back " backs " times, taken " taken " times, after " worst " s"
      exit 1
    }' "$out/$1.times" "$out/$1"
}

# flowed FILE: whether frames kept coming from start to end, whatever happened to the devices; each
# interruption may take a quarter of a second of them beside the time for which the process stood still.
flowed() {
  awk -v allowed="${2:-0}" '
    function value(name) {
      match($0, "\"" name "\":[0-9.]*")
      return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
    }
    /"event":"devices"/ && !began { began = value("time"); frames = value("frames") }
    /"event":"stopped"/ {
      short = value("time") - began - (value("frames") - frames) / 48000
      if (short > -0.1 && short <= 0.1 + 0.25 * value("xruns") + allowed) exit ok = 1
      print "        " FILENAME ": " short " s of frames are missing"
    }
    END { exit !ok }' "$out/$1"
}

# lost_each FILE MOST: whether no more seconds than that were lost in an interruption, on average.
lost_each() {
  within "$(awk -v lost="$(field "$1" lost)" -v xruns="$(field "$1" xruns)" \
    'BEGIN { print lost / (xruns ? xruns : 1) }')" 0 "$2"
}

gone="The device hw:USB was disconnected; it is taken back as soon as it returns."
there="there are hw:Loopback,0, hw:Loopback,1 and hw:Dummy,0."
missing="There is no playback device hw:USB; $there"

expect "unplugged $times times: comes and goes" \
  changed replugged "r$(for ((turn = 0; turn < times; turn++)); do printf ' m r'; done)"
expect "unplugged $times times: back within a second" prompt_again replugged "$times"
expect "unplugged $times times: each is one interruption" has replugged xruns "$times"
expect "unplugged $times times: frames keep coming" flowed replugged
expect "unplugged: it is said in words" quotes replugged "\"reasons\":[\"$gone\"]"
expect "unplugged: at the end all is well" has replugged reasons '[""]'

expect "a follower is unplugged: the others run on" changed replugged-follower "rrr rrm rrr"
expect "a follower is unplugged: back within a second" prompt_again replugged-follower 1
expect "a follower is unplugged: no interruption of the others" has replugged-follower xruns 0
expect "a follower is unplugged: frames keep coming" flowed replugged-follower
expect "a follower is unplugged: it is said in words" \
  quotes replugged-follower "\"reasons\":[\"\",\"\",\"$gone\"]"

expect "the leader is unplugged: the follower runs on" changed replugged-leader "rr rm rr"
expect "the leader is unplugged: back within a second" prompt_again replugged-leader 1
expect "the leader is unplugged: one interruption" has replugged-leader xruns 1
expect "the leader is unplugged: frames keep coming" flowed replugged-leader

expect "one of two with a shared clock is unplugged: back within a second" \
  prompt_again replugged-shared 1
expect "one of two with a shared clock is unplugged: one interruption" has replugged-shared xruns 1
expect "one of two with a shared clock is unplugged: frames keep coming" flowed replugged-shared

expect "a card that is away" says gone "$missing"
expect "a card that is waited for: runs when it comes" changed awaited "m r"
expect "a card that is waited for: within a second" prompt_again awaited 1
expect "a card that is waited for: no interruption" has awaited xruns 0
expect "a card that is waited for: it is said in words" quotes awaited "\"reasons\":[\"$missing\"]"

expect "a storm of $storm: each interruption is counted" has storm xruns "$storm"
expect "a storm of $storm: no more than a fifth of a second for each" lost_each storm 0.2
expect "a storm of $storm: the card runs all along" changed storm rr
expect "a storm of $storm: frames keep coming" flowed storm

expect "suspended $times times: each is counted" has suspended-often xruns "$times"
expect "suspended $times times: sound within a second each time" lost_each suspended-often 1
expect "suspended $times times: frames keep coming" flowed suspended-often "$times"

for name in replugged replugged-follower replugged-leader replugged-shared awaited storm \
  suspended-often; do
  expect "$name: it has not ended by itself" says "$name" "status 0"
  expect "$name: there is no failure" has "$name" failure null
done
