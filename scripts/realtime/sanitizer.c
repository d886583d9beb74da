// sanitizer.c: starts clang's real-time sanitizer when it is preloaded. SPDX-License-Identifier: MIT
//
// The sanitizer's runtime is meant to be linked into a program, which starts it first. Here it is linked
// into a library (scripts/check-realtime). So it watches any program that has the two hooks of the
// render path, including the installed one, without another build.

extern void __rtsan_ensure_initialized(void);

__attribute__((constructor)) static void begin(void) { __rtsan_ensure_initialized(); }
