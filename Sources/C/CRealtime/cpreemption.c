// cpreemption.c: detects preemption with restartable sequences. SPDX-License-Identifier: MIT
//
// The C library registers a `struct rseq` with the kernel for every thread. If its `rseq_cs` points to a
// sequence while the thread is preempted or receives a signal, and the thread is not within that sequence,
// the kernel sets it to NULL. So a sequence that is never entered is a mark that the kernel clears at a
// disturbance.
#define _GNU_SOURCE
#include "cpreemption.h"
#include <sys/resource.h>

#if __has_include(<sys/rseq.h>) && (defined(__x86_64__) || defined(__aarch64__))
#include <sys/rseq.h>

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)

// The sequence: one instruction that is never executed, and the abort address, which must follow the
// signature.
__asm__(".pushsection .text\n"
        ".balign 16\n"
        "crealtime_sequence_start: nop\n"
        ".balign 4\n"
        ".long " TEXT(RSEQ_SIG) "\n"
        "crealtime_sequence_abort: nop\n"
        ".popsection");
extern const char crealtime_sequence_start[], crealtime_sequence_abort[];

static struct rseq_cs sequence __attribute__((aligned(32)));

static volatile struct rseq *own(void) {
  return (volatile struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

// Runs before any thread can use it.
__attribute__((constructor)) static void prepare(void) {
  sequence.start_ip = (uintptr_t)crealtime_sequence_start;
  sequence.post_commit_offset = 1;
  sequence.abort_ip = (uintptr_t)crealtime_sequence_abort;
}

bool crealtime_detects_preemption(void) { return __rseq_size > 0; }

void crealtime_clear_preempted(void) {
  if (__rseq_size > 0) own()->rseq_cs = (uintptr_t)&sequence;
}

bool crealtime_was_preempted(void) { return __rseq_size > 0 && own()->rseq_cs == 0; }

#else

bool crealtime_detects_preemption(void) { return false; }
void crealtime_clear_preempted(void) {}
bool crealtime_was_preempted(void) { return false; }

#endif

uint64_t crealtime_voluntary_switches(void) {
  struct rusage usage = {0};
  crealtime_exit();
  getrusage(RUSAGE_THREAD, &usage);
  crealtime_enter();
  return (uint64_t)usage.ru_nvcsw;
}
