// Lists the home directory when it is created, and asks for the network in its first block.
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
void *create(double rate, uint32_t longest) {
  DIR *home = opendir(getenv("HOME"));
  if (home) closedir(home);
  return calloc(1, sizeof(int));
}
void destroy(void *state) { free(state); }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  int *has_asked = state;
  if (!*has_asked) {
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    if (file >= 0) close(file);
  }
  *has_asked = 1;
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
