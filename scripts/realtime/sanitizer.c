// sanitizer.c: starts clang's real-time sanitizer where it is preloaded. SPDX-License-Identifier: MIT
//
// Its runtime is meant to be linked into a program, which starts it before everything else. Linked
// into a library instead (scripts/check-realtime), it watches any program that has the two hooks
// of the render path, the installed one too, without another build.

extern void __rtsan_ensure_initialized(void);

__attribute__((constructor)) static void begin(void) { __rtsan_ensure_initialized(); }
