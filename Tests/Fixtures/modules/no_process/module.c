// No function has the right name: the host must refuse the module and report that `process` is missing.
void proces(void) {}
