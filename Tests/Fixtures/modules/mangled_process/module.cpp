// `process` under a C++ name: must be refused, with the remedy.
void process(void *, const float *const *, float *const *, const float *, unsigned) {}
