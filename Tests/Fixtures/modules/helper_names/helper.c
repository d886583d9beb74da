// The library that the module depends on.
unsigned latency(const void *state) { return 999; }
int helper(void) { return 2; }
