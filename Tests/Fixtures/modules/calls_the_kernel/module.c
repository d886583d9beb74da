// Makes system calls without the C library, several in a block. Only the kernel can notice them.
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
static void enter(long number) {
  __asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
}
#endif
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
#if defined(__x86_64__)
  enter(SYS_gettid); // allowed: not reported as a violation
  enter(SYS_sched_yield);
  enter(SYS_getppid);
#else
  usleep(1);
#endif
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
