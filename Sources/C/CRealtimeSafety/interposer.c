// interposer.c: replaces functions of the C library to monitor their callers.
// SPDX-License-Identifier: MIT
//
// A library calls a function of another library through a slot that the loader has filled in. In a helper
// process that tests a plugin, or in a process that monitors itself, these slots are overwritten with the
// functions below: in the plugin's library, in its dependencies, and in the C library's own calls of malloc.
// The program itself is included only if the host is monitored too. So nothing must be preloaded or
// installed. A function that the plugin looks up by name is not monitored.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "syscalls.h"
#include "crealtimesafety.h"
#include "violation_log.h"
#include "symbolizer.h"

static bool sees_calls;

// MARK: - Replacements

/// Defines `before_NAME`, which records a violation and calls the function. System calls within it belong to
/// the same violation. The function is looked up by name, because the program's own slot may contain the
/// replacement.
#define BEFORE(kind, result, name, parameters, arguments, is_offence) \
  static typeof(&name) real_##name;                                   \
  static result before_##name parameters {                            \
    if (!ledger_is_watching) return real_##name arguments;            \
    if (is_offence) ledger_add(kind, #name, 0);                       \
    const char armed = ledger_selector;                               \
    ledger_selector = 0;                                              \
    ledger_is_watching = false;                                       \
    result outcome = real_##name arguments;                           \
    ledger_is_watching = true;                                        \
    ledger_selector = armed;                                          \
    return outcome;                                                   \
  }

BEFORE(CWATCH_ALLOCATION, void *, malloc, (size_t size), (size), true)
BEFORE(CWATCH_ALLOCATION, void *, calloc, (size_t count, size_t size), (count, size), true)
BEFORE(CWATCH_ALLOCATION, void *, realloc, (void *memory, size_t size), (memory, size), true)
BEFORE(CWATCH_ALLOCATION, void *, reallocarray, (void *memory, size_t count, size_t size),
       (memory, count, size), true)
BEFORE(CWATCH_ALLOCATION, void *, memalign, (size_t alignment, size_t size), (alignment, size), true)
BEFORE(CWATCH_ALLOCATION, void *, aligned_alloc, (size_t alignment, size_t size),
       (alignment, size), true)
BEFORE(CWATCH_ALLOCATION, void *, valloc, (size_t size), (size), true)
BEFORE(CWATCH_ALLOCATION, int, posix_memalign, (void **memory, size_t alignment, size_t size),
       (memory, alignment, size), true)

static typeof(&free) real_free;
static void before_free(void *memory) {
  const bool is_watching = ledger_is_watching;
  const char armed = ledger_selector;
  // free(NULL) does nothing.
  if (is_watching && memory) ledger_add(CWATCH_FREE, "free", 0);
  ledger_selector = 0;
  ledger_is_watching = false;
  real_free(memory);
  ledger_is_watching = is_watching;
  ledger_selector = armed;
}

BEFORE(CWATCH_LOCK, int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex), true)
BEFORE(CWATCH_LOCK, int, pthread_mutex_timedlock,
       (pthread_mutex_t * mutex, const struct timespec *end), (mutex, end), true)
BEFORE(CWATCH_LOCK, int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock), true)
BEFORE(CWATCH_LOCK, int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock), true)
BEFORE(CWATCH_LOCK, int, pthread_spin_lock, (pthread_spinlock_t * lock), (lock), true)
BEFORE(CWATCH_LOCK, int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex),
       (condition, mutex), true)
BEFORE(CWATCH_LOCK, int, pthread_cond_timedwait,
       (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *end),
       (condition, mutex, end), true)
BEFORE(CWATCH_LOCK, int, pthread_join, (pthread_t thread, void **value), (thread, value), true)
BEFORE(CWATCH_LOCK, int, mtx_lock, (mtx_t * mutex), (mutex), true)
BEFORE(CWATCH_LOCK, int, sem_wait, (sem_t * semaphore), (semaphore), true)
BEFORE(CWATCH_LOCK, int, sem_timedwait, (sem_t * semaphore, const struct timespec *end),
       (semaphore, end), true)

// If the kernel reports system calls, these functions only forward their arguments.
#define CALL(result, name, parameters, arguments) \
  BEFORE(CWATCH_SYSTEM_CALL, result, name, parameters, arguments, true)

CALL(ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count))
CALL(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))
CALL(int, close, (int file), (file))
CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode))
CALL(int, fclose, (FILE * file), (file))
CALL(int, fflush, (FILE * file), (file))
CALL(size_t, fread, (void *bytes, size_t size, size_t count, FILE *file),
     (bytes, size, count, file))
CALL(size_t, fwrite, (const void *bytes, size_t size, size_t count, FILE *file),
     (bytes, size, count, file))
CALL(int, puts, (const char *text), (text))
CALL(int, vfprintf, (FILE * file, const char *format, va_list values), (file, format, values))
CALL(int, usleep, (useconds_t time), (time))
CALL(int, nanosleep, (const struct timespec *time, struct timespec *rest), (time, rest))
CALL(int, poll, (struct pollfd * files, nfds_t count, int time), (files, count, time))

// MARK: - Slots

typedef struct {
  const char *name;
  void *before;
  /// The variable that stores the original function.
  void **real;
  /// Also replaced in the C library itself.
  bool is_memory;
  /// Replaced only if the kernel does not report system calls.
  bool is_call;
} stand_in;

#define MEMORY(name) {#name, (void *)before_##name, (void **)&real_##name, true, false}
#define LOCK(name) {#name, (void *)before_##name, (void **)&real_##name, false, false}
#define SYSTEM(name) {#name, (void *)before_##name, (void **)&real_##name, false, true}

static const stand_in stand_ins[] = {
    MEMORY(malloc), MEMORY(calloc), MEMORY(realloc), MEMORY(reallocarray), MEMORY(memalign),
    MEMORY(aligned_alloc), MEMORY(valloc), MEMORY(posix_memalign), MEMORY(free),
    LOCK(pthread_mutex_lock), LOCK(pthread_mutex_timedlock), LOCK(pthread_rwlock_rdlock),
    LOCK(pthread_rwlock_wrlock), LOCK(pthread_spin_lock), LOCK(pthread_cond_wait),
    LOCK(pthread_cond_timedwait), LOCK(pthread_join), LOCK(mtx_lock), LOCK(sem_wait),
    LOCK(sem_timedwait), SYSTEM(read), SYSTEM(write), SYSTEM(close), SYSTEM(fopen),
    SYSTEM(fclose), SYSTEM(fflush), SYSTEM(fread), SYSTEM(fwrite), SYSTEM(puts),
    SYSTEM(vfprintf), SYSTEM(usleep), SYSTEM(nanosleep), SYSTEM(poll),
};

static const stand_in *stand_in_for(const char *name) {
  for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++) {
    if (strcmp(stand_ins[i].name, name) == 0) return &stand_ins[i];
  }
  return NULL;
}

static bool starts(const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  return strncmp(slash ? slash + 1 : path, name, strlen(name)) == 0;
}

static void fill(void **slot, void *function) {
  if (*slot == function) return;
  const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
  // Most slots are read-only after the loader has filled them in.
  void *page = (void *)((uintptr_t)slot & ~(size - 1));
  if (mprotect(page, size, PROT_READ | PROT_WRITE) != 0) return;
  __atomic_store_n(slot, function, __ATOMIC_RELEASE);
}

#if defined(__x86_64__)
#define IS_SLOT(type) \
  ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#elif defined(__aarch64__)
#define IS_SLOT(type) \
  ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#elif defined(__riscv)
#define IS_SLOT(type) ((type) == R_RISCV_JUMP_SLOT || (type) == R_RISCV_64)
#else
#define IS_SLOT(type) false
#endif

/// The tables of the dynamic section of a library.
typedef struct {
  ElfW(Addr) base;
  const ElfW(Sym) *symbols;
  const char *names;
  bool is_libc;
} tables;

static void fill_slots(const tables *t, const ElfW(Rela) *relocations, size_t byte_count) {
  for (size_t i = 0; i < byte_count / sizeof *relocations; i++) {
    const ElfW(Rela) *relocation = &relocations[i];
    if (!IS_SLOT(ELF64_R_TYPE(relocation->r_info)) || relocation->r_addend != 0) continue;
    const ElfW(Sym) *symbol = &t->symbols[ELF64_R_SYM(relocation->r_info)];
    const stand_in *found = stand_in_for(t->names + symbol->st_name);
    // A library with its own definition keeps it, except the C library.
    if (!found || (symbol->st_shndx != SHN_UNDEF && !t->is_libc)) continue;
    if ((t->is_libc && !found->is_memory) || (found->is_call && sees_calls)) continue;
    fill((void **)(t->base + relocation->r_offset), found->before);
  }
}

/// Returns the address of an entry: the loader has relocated it, unless the section is read-only.
static const void *table(const struct link_map *map, const ElfW(Dyn) *entry) {
  const ElfW(Addr) address = entry->d_un.d_ptr;
  return (const void *)(address < map->l_addr ? address + map->l_addr : address);
}

static void fill_library(const struct link_map *map) {
  tables t = {.base = map->l_addr, .is_libc = starts(map->l_name, "libc.so")};
  const ElfW(Rela) *plain = NULL, *jumps = NULL;
  size_t plain_bytes = 0, jump_bytes = 0;
  bool has_addends = true;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    switch (entry->d_tag) {
    case DT_SYMTAB: t.symbols = table(map, entry); break;
    case DT_STRTAB: t.names = table(map, entry); break;
    case DT_RELA: plain = table(map, entry); break;
    case DT_RELASZ: plain_bytes = entry->d_un.d_val; break;
    case DT_JMPREL: jumps = table(map, entry); break;
    case DT_PLTRELSZ: jump_bytes = entry->d_un.d_val; break;
    case DT_PLTREL: has_addends = entry->d_un.d_val == DT_RELA; break;
    default: break;
    }
  }
  if (!t.symbols || !t.names) return;
  if (plain) fill_slots(&t, plain, plain_bytes);
  if (jumps && has_addends) fill_slots(&t, jumps, jump_bytes);
}

// MARK: - Functions for other files

static void look_up_functions(void) {
  for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++)
    *stand_ins[i].real = dlsym(RTLD_NEXT, stand_ins[i].name);
}

static int note_loaded(struct dl_phdr_info *info, size_t size, void *loaded) {
  (void)size;
  *(unsigned long long *)loaded = info->dlpi_adds;
  return 1;
}

void crts_install(const char *library) {
  static bool is_begun;
  if (!is_begun) {
    is_begun = true;
    look_up_functions();
    ledger_begin(library);
    sees_calls = calls_begin();
  }
  // The number of libraries that were ever loaded: without new ones, there is nothing to replace.
  static unsigned long long filled;
  unsigned long long loaded = 0;
  dl_iterate_phdr(note_loaded, &loaded);
  if (loaded == filled) return;
  filled = loaded;
  const struct link_map *map = _r_debug.r_map;
  // The first one is the program.
  if (map && !ledger_includes_host) map = map->l_next;
  for (; map; map = map->l_next) {
    // The vDSO has tables that need no loader.
    if (starts(map->l_name, "linux-vdso") || starts(map->l_name, "ld-linux")) continue;
    if (ledger_includes_host || !place_is_ours(map->l_name)) fill_library(map);
  }
}

void crts_monitor_host(void) { ledger_includes_host = true; }

bool crts_traces_all_syscalls(void) { return sees_calls; }

static __thread struct rusage usage;

void crts_enter(void) { crts_join(); }

void crts_join(void) {
  // The kernel reports only system calls of threads that have requested it.
  static __thread bool is_armed __attribute__((tls_model("initial-exec")));
  if (sees_calls && !is_armed) is_armed = calls_begin_thread();
  if (ledger_includes_host) getrusage(RUSAGE_THREAD, &usage);
  ledger_is_watching = true;
  ledger_selector = is_armed ? 1 : 0;
}

void crts_exit(void) {
  crts_leave();
  ledger_end_block();
}

void crts_leave(void) {
  ledger_selector = 0;
  ledger_is_watching = false;
  struct rusage before = usage;
  if (ledger_includes_host) getrusage(RUSAGE_THREAD, &usage);
  ledger_add_usage((unsigned long)(usage.ru_nvcsw - before.ru_nvcsw),
                   (unsigned long)(usage.ru_nivcsw - before.ru_nivcsw),
                   (unsigned long)(usage.ru_minflt - before.ru_minflt + usage.ru_majflt -
                                   before.ru_majflt));
}
