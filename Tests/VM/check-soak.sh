# check-soak.sh: expected results of a long run with faults; part of scripts/soak.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

# happened WHAT: prints how often a fault was scheduled.
happened() { grep -c " $1 " "$out/schedule"; }

unplugged=$(happened unplug)
stops=$(($(happened stop) + 100 * $(happened storm)))
suspensions=$(happened suspend)

# The kernel's log has the duration of each suspension. All causes of a gap are sorted by their ends.
touch "$out/soak.kernel" "$out/soak.span"
slept soak | sort -k 3,3n - "$out/soak.span" >"$out/soak-causes.span"
# The duration of the causes, and a fifth of a second each for recovery.
most=$(awk -v lasted="$(span soak-causes)" -v count=$((stops + suspensions)) \
  'BEGIN { print lasted + 0.2 * count }')

# restored FILE CAUSES: checks that each interruption lasted at most a second longer than its cause. A report
# may contain several, and come slightly before the shell reads the clock.
restored() {
  awk -v count=$((stops + suspensions)) '
    function value(name) {
      match($0, "\"" name "\":[0-9.]*")
      return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0
    }
    FNR == NR { end[++stops] = $3; span[stops] = $3 - $2; next }
    /"event":"(xrun|devices|stopped)"/ && value("xruns") > xruns {
      since = value("lost") - lost
      while (taken < stops && end[taken + 1] - 0.15 < value("time")) since -= span[++taken]
      since /= value("xruns") - xruns
      if (since > worst) worst = since
      xruns = value("xruns")
      lost = value("lost")
      told++
    }
    END {
      printf "        %d reports of %d interruptions, the longest %.3f s\n", told, xruns, worst
      exit !(taken == count && taken == stops && worst <= 1)
    }' "$out/$2.span" "$out/$1"
}

# holds_no_more FILE: checks that a process had at its end no more files and threads than after a fifth of its
# run time, and at most a megabyte more memory.
holds_no_more() {
  awk '
    { files[NR] = $1; threads[NR] = $3; resident[NR] = $5 }
    END {
      from = int(NR / 5) + 1
      printf "        %d files, %d threads, %d kB; at the end %d, %d, %d kB\n", files[from],
        threads[from], resident[from], files[NR], threads[NR], resident[NR]
      exit !(NR > 10 && files[NR] == files[from] && threads[NR] == threads[from] &&
        resident[NR] <= resident[from] + 1024)
    }' "$out/$1.held"
}

# others_run_on COUNT: checks that only the USB card was disconnected and reconnected, this often, and that it is
# present at the end. After many faults a start may fail (f) and be repeated: up to five more are allowed.
others_run_on() {
  local seen
  seen=$(states soak)
  awk -v count="$1" '
    { for (i = 1; i <= NF; i++) { others += $i !~ /^rr/; gone += $i != "rrr" && $(i - 1) == "rrr" } }
    END { exit !(others == 0 && gone >= count && gone <= count + 5 && $NF == "rrr") }' <<<"$seen" ||
    { echo "        soak: the states were $seen" && false; }
}

echo "        $(field soak frames) frames, $(field soak xruns) interruptions, $(field soak lost) s lost"
expect "$duration s with faults: no premature exit" says soak "status 0"
expect "no failure" has soak failure null
expect "the duration of the stream is correct" frames soak $((duration * 47500 - ${most%.*} * 48000)) 100000000000
expect "unplugged $unplugged times: reconnected within a second each time" prompt_again soak "$unplugged"
expect "unplugged $unplugged times: the other devices keep running" \
  others_run_on "$unplugged"
expect "the process was stopped $stops times, the machine $suspensions times" \
  test "$(wc -l <"$out/soak-causes.span")" -eq $((stops + suspensions))
expect "each fault is one interruption" has soak xruns $((stops + suspensions))
expect "each interruption ends within a second" restored soak soak-causes
expect "no audio is lost except in the gaps" within "$(field soak lost)" 0 "$most"
expect "rendering continues between the gaps" flowed soak 0 "$(field soak lost)"
expect "at the end all devices run" has soak reasons '["","",""]'
expect "files, threads and memory have not grown" holds_no_more soak
