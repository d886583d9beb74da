# assertions.sh: comparisons with the results from the virtual machine; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

source Tests/VM/guest-functions.sh

# expect NAME COMMAND...: checks that COMMAND succeeds.
expect() {
  local what=$1
  shift
  if "$@"; then
    echo "ok      $what"
  else
    echo "FAILED  $what"
    failures=$((failures + 1))
  fi
}

# field FILE NAME: a value in the last report of a run.
field() {
  grep '"event":"stopped"' "$out/$1" | sed -n "s/.*\"$2\":\(\"[^\"]*\"\|\[[^]]*\]\|[^,}]*\).*/\1/p"
}

# has FILE NAME VALUE: whether the last report of a run says so.
has() {
  local value
  value=$(field "$1" "$2")
  [[ $value == "$3" ]] || { echo "        $1: $2 is $value, not $3" && false; }
}

# frames FILE LEAST MOST: checks the number of frames that a run rendered.
frames() {
  local value
  value=$(field "$1" frames)
  [[ -n $value ]] && ((value >= $2 && value <= $3)) ||
    { echo "        $1: frames is $value, not $2 to $3" && false; }
}

# says FILE LINE: whether one of its lines is exactly so.
says() {
  grep -qxF -- "$2" "$out/$1" || { tail -n 12 "$out/$1" | sed "s/^/        $1: /" && false; }
}

# clean FILE SECONDS: checks that a run of this duration at 48 kHz had no xrun and no failure.
clean() {
  has "$1" xruns 0 && has "$1" failure null && has "$1" warnings '[]' &&
    frames "$1" $(($2 * 48000 - 2000)) $(($2 * 48000 + 3000))
}

# span FILE: prints the total duration in seconds of the faults in FILE.
span() {
  awk '{ sum += $3 - $2 } END { print sum + 0 }' "$out/$1.span"
}

# slept FILE [COUNT]: prints the suspensions, or the last COUNT, in FILE.kernel, with their start and end.
# Programs run until they are frozen.
slept() {
  awk -F '[][ ]+' '
    /PM: suspend entry/ || /Freezing user space processes/ { entry = $2 }
    /PM: suspend exit/ { print "stopped", entry, $2 }' "$out/$1.kernel" | tail -n "${2:-+1}"
}

# recovered FILE: whether a run had just one interruption, which was over within a second of its
# cause, and went on.
recovered() {
  local span
  span=$(span "$1")
  has "$1" xruns 1 && has "$1" failure null && flowed "$1" 0 "$(field "$1" lost)" &&
    within "$(field "$1" lost)" "$(awk -v span="$span" 'BEGIN { print span - 0.1 }')" \
      "$(awk -v span="$span" 'BEGIN { print span + 1 }')"
}

# listed FILE PATTERN: whether the listing has a line that matches.
listed() {
  grep -q -- "$2" "$out/$1" || { sed "s/^/        $1: /" "$out/$1" && false; }
}

# intact NAME FORMAT [CHANNEL,...]: checks that the recording equals the played sound, or these channels of
# it.
intact() {
  local bytes=4
  case $2 in
  S16*) bytes=2 ;;
  S24_3*) bytes=3 ;;
  esac
  "$check" noise "$out/played" 144000 "$2" "${3:-1,2}"
  "$check" compare "$out/played" "$out/$1.recorded" $((bytes * 2)) >"$out/comparison" ||
    { sed 's/^/        /' "$out/comparison" && false; }
}

# entry FILE KEY: a value in the program's own report, the outermost one of that name.
entry() {
  sed -n "s/^\( *\)\"$2\" : \(.*[^,]\),*\$/\1|\2/p" "$out/$1" | sort -s -t '|' -k 1,1 |
    sed -n '1s/^ *|//p'
}

# reports FILE KEY VALUE: whether the program's report says so.
reports() {
  local value
  value=$(entry "$1" "$2")
  [[ $value == "$3" ]] || { echo "        $1: $2 is $value, not $3" && false; }
}

# within VALUE LEAST MOST: whether a number lies there.
within() {
  [[ -n $1 ]] && awk -v value="$1" -v least="$2" -v most="$3" \
    'BEGIN { exit !(value >= least && value <= most) }' || { echo "        $1 is not in $2 to $3" && false; }
}

# ran FILE SECONDS: checks that the program ran for this time without a fault, and ended with success.
ran() {
  reports "$1" xruns 0 && reports "$1" failure "" && says "$1" "status 0" &&
    within "$(entry "$1" seconds)" "$2" $(($2 + 1))
}

# measured NAME FACT LEAST MOST: checks a measurement of driver-check in the recording of a tone.
measured() {
  within "$("$check" measure "$out/$1.recorded" | sed -n "s/^$2 //p")" "$3" "$4"
}

# rendered NAME PLUGIN...: checks that the recording equals, bit for bit, the offline rendering of the same
# tone by the same chain.
rendered() {
  local name=$1
  shift
  "$check" tone "$out/tone" 1000 -12 5
  "$outboard" render "$@" -i - --raw 48000:2:s16 -o - --container raw --format s16 --tail 0 \
    <"$out/tone" >"$out/rendered" 2>/dev/null &&
    "$check" compare "$out/rendered" "$out/$name.recorded" 4 >"$out/comparison" ||
    { sed 's/^/        /' "$out/comparison" && false; }
}

# faded NAME: whether a recorded tone that was interrupted ends in a fade without a click.
faded() {
  local steady
  steady=$("$check" measure "$out/$1.recorded" | sed -n 's/^step //p')
  # 1 ms before the end of a fade of 20 ms a twentieth of the tone is left, at -12 dB.
  measured "$1" lastPeak 0 0.0126 && measured "$1" endStep 0 "$steady"
}

# prompt FILE: whether the program ended within a second of being asked.
prompt() {
  # shellcheck disable=SC2046  # two numbers
  set -- $(sed -n 's/^took //p' "$out/$1")
  within "$(awk -v from="$1" -v to="$2" 'BEGIN { print to - from }')" 0 1
}

# shows FILE PATTERN: whether a line that was written over on a terminal of 80 columns has that
# shape, whole (extended regular expression).
shows() {
  tr '\r' '\n' <"$out/$1" | sed 's/\x1b\[[0-9]*[A-Z]//g; s/\^C//g' >"$out/shown"
  # The last column must be empty, because a terminal might wrap the line there.
  grep -qxE -- "$2" "$out/shown" && ! LC_ALL=C.UTF-8 grep -qE '.{80}' "$out/shown" ||
    { sed "s/^/        $1: /" "$out/shown" | tail -n 12 && false; }
}

# quotes FILE TEXT: checks that FILE contains a sentence.
quotes() {
  grep -qF -- "$2" "$out/$1" || { sed "s/^/        $1: /" "$out/$1" && false; }
}

# states FILE: the states of the devices as they changed, a letter for each device: r runs, m is
# missing, f is unavailable; a letter twice in a row is left out.
states() {
  sed -n '/"event":"\(devices\|stopped\)"/s/.*"devices":\[\([^]]*\)\].*/\1/p' "$out/$1" |
    sed 's/"[^"]* running"/r/g; s/"[^"]* missing"/m/g; s/"[^"]* unavailable"/f/g; s/,//g' |
    uniq | paste -sd ' '
}

# changed FILE STATES: whether the devices went through just these.
changed() {
  local seen
  seen=$(states "$1")
  [[ $seen == "$2" ]] || { echo "        $1: the states were $seen, not $2" && false; }
}

# prompt_again FILE COUNT: checks that the card was opened this often within a second of its return, by the
# log of the kernel and of the driver, which may see it slightly before the shell.
prompt_again() {
  awk -v count="$2" '
    FNR == NR && $1 == "back" { back[++backs] = $2 }
    FNR == NR && $1 == "runs" && $2 - back[backs] > worst { worst = $2 - back[backs] }
    FNR == NR { next }
    /"event":"(devices|stopped)"/ && !/ (missing|unavailable)"/ {
      match($0, /"time":[0-9.]*/)
      time = substr($0, RSTART + 7, RLENGTH - 7) + 0 # else it is compared as text
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

# flowed FILE EACH [MORE]: checks that frames were rendered from start to end. Each interruption may cost EACH
# seconds of frames, and all together MORE in addition.
flowed() {
  awk -v each="$2" -v more="${3:-0}" '
    function value(name) {
      match($0, "\"" name "\":[0-9.]*")
      return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0
    }
    /"event":"devices"/ && !began { began = value("time"); frames = value("frames") }
    /"event":"stopped"/ {
      short = value("time") - began - (value("frames") - frames) / 48000
      if (short > -0.1 && short <= 0.1 + each * value("xruns") + more) exit ok = 1
      print "        " FILENAME ": " short " s of frames are missing"
    }
    END { exit !ok }' "$out/$1"
}

# lost_each FILE MOST [LEAST]: checks the mean loss of an interruption in seconds, without the duration of its
# cause: at most MOST, and not negative except for what the cards still had buffered.
lost_each() {
  within "$(awk -v lost="$(field "$1" lost)" -v span="$(span "$1")" -v xruns="$(field "$1" xruns)" \
    'BEGIN { if (xruns) print (lost - span) / xruns }')" "${3:--0.05}" "$2"
}
