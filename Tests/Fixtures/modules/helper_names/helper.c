// The other library.
unsigned latency(const void *state) { return 999; }
int helper(void) { return 2; }
