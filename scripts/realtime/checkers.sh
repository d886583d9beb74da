# checkers.sh: builds the preloaded checkers of the render path in $work; sourced, not run. SPDX-License-Identifier: MIT
#
# Sets `watchers` to their names; each is preloaded as $work/NAME.so. `fail` takes a sentence.

clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
[ -x "$clang" ] || clang=clang

cc -std=gnu17 -O2 -Wall -Wextra -Werror -shared -fPIC -o "$work/counter.so" \
  scripts/realtime/counter.c

runtime=$("$clang" -print-resource-dir)/lib/linux/libclang_rt.rtsan-$(uname -m).a
watchers=(counter)
if [ -f "$runtime" ]; then
  cp "$runtime" "$work/runtime.a"
  # Code that starts the sanitizer in a program is not allowed in a library.
  ar d "$work/runtime.a" rtsan_preinit.cpp.o
  "$clang" -O1 -shared -fPIC -o "$work/sanitizer.so" scripts/realtime/sanitizer.c \
    -Wl,--whole-archive "$work/runtime.a" -Wl,--no-whole-archive -lm -ldl -lpthread -lrt -lresolv
  watchers+=(sanitizer)
else
  fail "this toolchain has no real-time sanitizer ($runtime); only the counter was used."
fi
