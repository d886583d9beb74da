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

# field FILE NAME: prints a value of the last report of a run.
field() {
  grep '"event":"stopped"' "$out/$1" | sed -n "s/.*\"$2\":\(\"[^\"]*\"\|\[[^]]*\]\|[^,}]*\).*/\1/p"
}

# has FILE NAME VALUE: checks that the last report of a run has this value.
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

# says FILE LINE: checks that FILE has exactly this line.
says() {
  grep -qxF -- "$2" "$out/$1" || { tail -n 12 "$out/$1" | sed "s/^/        $1: /" && false; }
}

# clean FILE SECONDS: checks that a run of at least this duration at 48 kHz had no xrun and no failure.
clean() {
  has "$1" xruns 0 && has "$1" failure null && has "$1" warnings '[]' && filled "$1" $(($2 * 48000 - 2000))
}

# filled FILE LEAST: checks that a run rendered at least this number of frames, and as many as its duration needs. Its
# end is late if the host is busy, because driver-check writes its reports to a directory of the host.
filled() { frames "$1" "$2" 100000000 && flowed "$1" 0; }

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

# recovered FILE: checks that a run had exactly one interruption, which ended within a second of its cause,
# and that it continued afterwards.
recovered() {
  local span
  span=$(span "$1")
  has "$1" xruns 1 && has "$1" failure null && flowed "$1" 0 "$(field "$1" lost)" &&
    within "$(field "$1" lost)" "$(awk -v span="$span" 'BEGIN { print span - 0.1 }')" \
      "$(awk -v span="$span" 'BEGIN { print span + 1 }')"
}

# listed FILE PATTERN: checks that the file has a line that matches.
listed() {
  grep -q -- "$2" "$out/$1" || { sed "s/^/        $1: /" "$out/$1" && false; }
}

# intact NAME FORMAT [CHANNEL,...]: checks that the recording equals the played noise, or these channels of
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

# entry FILE KEY: prints a value of the program's own report, the outermost one with this name.
entry() {
  sed -n "s/^\( *\)\"$2\" : \(.*[^,]\),*\$/\1|\2/p" "$out/$1" | sort -s -t '|' -k 1,1 |
    sed -n '1s/^ *|//p'
}

# reports FILE KEY VALUE: checks that the program's report has this value.
reports() {
  local value
  value=$(entry "$1" "$2")
  [[ $value == "$3" ]] || { echo "        $1: $2 is $value, not $3" && false; }
}

# within VALUE LEAST MOST: checks that a number is in this range.
within() {
  [[ -n $1 ]] && awk -v value="$1" -v least="$2" -v most="$3" \
    'BEGIN { exit !(value >= least && value <= most) }' || { echo "        $1 is not in $2 to $3" && false; }
}

# ran FILE SECONDS: checks that the program ran for this time without a fault, and exited with status 0.
ran() {
  reports "$1" xruns 0 && reports "$1" failure "" && says "$1" "status 0" &&
    within "$(entry "$1" seconds)" "$2" $(($2 + 10)) # on a busy host the end is late
}

# measured NAME KEY LEAST MOST: checks a value that driver-check measures in the recording of a tone.
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

# faded NAME: checks that the recording of an interrupted tone ends in a fade without a click.
faded() {
  local steady
  steady=$("$check" measure "$out/$1.recorded" | sed -n 's/^step //p')
  # 1 ms before the end of a fade of 20 ms, a twentieth of the tone at -12 dB is left.
  measured "$1" lastPeak 0 0.0126 && measured "$1" endStep 0 "$steady"
}

# prompt FILE: checks that the program ended within a second of the signal.
prompt() {
  # shellcheck disable=SC2046  # two numbers
  set -- $(sed -n 's/^took //p' "$out/$1")
  within "$(awk -v from="$1" -v to="$2" 'BEGIN { print to - from }')" 0 1
}

# shows FILE PATTERN: checks that a status line on a terminal of 80 columns matched this extended regular
# expression as a whole.
shows() {
  tr '\r' '\n' <"$out/$1" | sed 's/\x1b\[[0-9]*[A-Z]//g; s/\^C//g' >"$out/shown"
  # The last column must be empty, because a terminal might wrap the line there.
  grep -qxE -- "$2" "$out/shown" && ! LC_ALL=C.UTF-8 grep -qE '.{80}' "$out/shown" ||
    { sed "s/^/        $1: /" "$out/shown" | tail -n 12 && false; }
}

# quotes FILE TEXT: checks that FILE contains this text.
quotes() {
  grep -qF -- "$2" "$out/$1" || { sed "s/^/        $1: /" "$out/$1" && false; }
}

# states FILE: prints the sequence of device states, a letter per device: r running, m missing,
# f unavailable. Repeated states are printed once.
states() {
  sed -n '/"event":"\(devices\|stopped\)"/s/.*"devices":\[\([^]]*\)\].*/\1/p' "$out/$1" |
    sed 's/"[^"]* running"/r/g; s/"[^"]* missing"/m/g; s/"[^"]* unavailable"/f/g; s/,//g' |
    uniq | paste -sd ' '
}

# changed FILE STATES: checks that the devices had exactly this sequence of states.
changed() {
  local seen
  seen=$(states "$1")
  [[ $seen == "$2" ]] || { echo "        $1: the states were $seen, not $2" && false; }
}

# prompt_again FILE COUNT: checks that the card was reopened this often, each time within a second of its return.
# It uses the times in the logs of the kernel and the driver, which may be slightly before the shell's.
prompt_again() {
  awk -v count="$2" '
    FNR == NR && $1 == "back" { back[++backs] = $2 }
    FNR == NR && $1 == "runs" && $2 - back[backs] > worst { worst = $2 - back[backs] }
    FNR == NR { next }
    /"event":"(devices|stopped)"/ && !/ (missing|unavailable)"/ {
      match($0, /"time":[0-9.]*/)
      time = substr($0, RSTART + 7, RLENGTH - 7) + 0 # + 0 makes the comparison numeric
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
      short = value("time") - began - (value("frames") - frames) / value("rate")
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
