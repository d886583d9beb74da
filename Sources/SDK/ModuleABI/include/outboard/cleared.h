// cleared.h: clears allocated memory. SPDX-License-Identifier: MIT
//
// Outboard includes this file before every C and C++ source and links with `--wrap`, so that these functions
// replace `malloc`, `new` and others. Ported code that reads uninitialised memory then reads zeros. In a
// preflight the host sets `outboard_heap_fill` to another byte, to find such reads.
#pragma once
#pragma GCC system_header

// Visible to the loader by name, so that a real-time violation is attributed to the caller.
#define OUTBOARD_CLEARED __attribute__((weak, visibility("protected")))

#ifdef __cplusplus
extern "C" {
#endif

/// The fill byte of allocated memory.
__attribute__((weak, visibility("default"))) unsigned char outboard_heap_fill = 0;

void *__real_malloc(__SIZE_TYPE__);
void *__real_memalign(__SIZE_TYPE__, __SIZE_TYPE__);
void *__real_aligned_alloc(__SIZE_TYPE__, __SIZE_TYPE__);
int __real_posix_memalign(void **, __SIZE_TYPE__, __SIZE_TYPE__);

static inline void *outboard_cleared(void *memory, __SIZE_TYPE__ size) {
  if (memory) __builtin_memset(memory, outboard_heap_fill, size);
  return memory;
}

OUTBOARD_CLEARED void *__wrap_malloc(__SIZE_TYPE__ size) {
  // Large blocks come from the kernel, which has cleared them.
  if (outboard_heap_fill == 0 && size > 65536) return __builtin_calloc(1, size);
  return outboard_cleared(__real_malloc(size), size);
}
OUTBOARD_CLEARED void *__wrap_memalign(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size) {
  return outboard_cleared(__real_memalign(alignment, size), size);
}
OUTBOARD_CLEARED void *__wrap_aligned_alloc(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size) {
  return outboard_cleared(__real_aligned_alloc(alignment, size), size);
}
OUTBOARD_CLEARED int __wrap_posix_memalign(void **memory, __SIZE_TYPE__ alignment,
                                           __SIZE_TYPE__ size) {
  const int code = __real_posix_memalign(memory, alignment, size);
  if (code == 0) outboard_cleared(*memory, size);
  return code;
}

#ifdef __cplusplus

// `operator new` and `operator new[]`: of a size, with an alignment, and with std::nothrow.
#define OUTBOARD_CLEARED_NEW(name)                                                                 \
  void *__real_##name(__SIZE_TYPE__);                                                              \
  OUTBOARD_CLEARED void *__wrap_##name(__SIZE_TYPE__ size) {                                       \
    return outboard_cleared(__real_##name(size), size);                                            \
  }
#define OUTBOARD_CLEARED_NEW_WITH(name, Argument)                                                  \
  void *__real_##name(__SIZE_TYPE__, Argument);                                                    \
  OUTBOARD_CLEARED void *__wrap_##name(__SIZE_TYPE__ size, Argument argument) {                    \
    return outboard_cleared(__real_##name(size, argument), size);                                  \
  }
OUTBOARD_CLEARED_NEW(_Znwm)
OUTBOARD_CLEARED_NEW(_Znam)
OUTBOARD_CLEARED_NEW_WITH(_ZnwmSt11align_val_t, __SIZE_TYPE__)
OUTBOARD_CLEARED_NEW_WITH(_ZnamSt11align_val_t, __SIZE_TYPE__)
OUTBOARD_CLEARED_NEW_WITH(_ZnwmRKSt9nothrow_t, const void *)
OUTBOARD_CLEARED_NEW_WITH(_ZnamRKSt9nothrow_t, const void *)
#undef OUTBOARD_CLEARED_NEW
#undef OUTBOARD_CLEARED_NEW_WITH

}
#endif
#undef OUTBOARD_CLEARED
