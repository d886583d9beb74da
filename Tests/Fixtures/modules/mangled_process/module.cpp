// `process` has a C++ name: the host must refuse the module, and its message must say how to fix this.
void process(void *, const float *const *, float *const *, const float *, unsigned) {}
