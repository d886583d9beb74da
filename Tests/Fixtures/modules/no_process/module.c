// No function of the right name: must be refused, and said to lack `process`.
void proces(void) {}
