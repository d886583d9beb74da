// outboard-link.cpp: tempo and beat of an Ableton Link session, as lines of text.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A separate program, because the Link library has another licence than Outboard. README.md describes the lines.

#include <ableton/Link.hpp>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <getopt.h>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <unistd.h>

namespace {

using std::chrono::microseconds;

/// The clock whose times Outboard uses. The clock of the library is CLOCK_MONOTONIC_RAW, which runs at another rate.
struct Clock {
  microseconds micros() const {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return microseconds(now.tv_sec * 1000000LL + now.tv_nsec / 1000);
  }
};

using Link = ableton::BasicLink<Clock>;

struct Options {
  double tempo = 120;
  double quantum = 4;
  double beat = 0;
  bool isPlaying = false;
};

constexpr int reportMilliseconds = 50;
constexpr size_t maximumLineBytes = 128;

/// Parses a finite number; false if the text is something else.
bool parse(const char *text, double &number) {
  char *end = nullptr;
  const double value = strtod(text, &end);
  if (end == text || *end || !std::isfinite(value)) return false;
  number = value;
  return true;
}

class Session {
public:
  explicit Session(const Options &options)
    : link(options.tempo), quantum(options.quantum), isPlaying(options.isPlaying),
      change(link.clock().micros()), event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    auto state = link.captureAppSessionState();
    state.forceBeatAtTime(options.beat, change, quantum);
    if (isPlaying) state.setIsPlaying(true, change);
    // The state is private until the session has changed it, so that nobody is started or stopped by this program.
    link.enableStartStopSync(true);
    link.commitAppSessionState(state);
    const int target = event;
    const auto wake = [target] { (void)!eventfd_write(target, 1); };
    link.setTempoCallback([wake](double) { wake(); });
    link.setStartStopCallback([wake](bool) { wake(); });
    link.setNumPeersCallback([wake](std::size_t) { wake(); });
    link.enable(true);
  }

  /// Reports until the standard input ends.
  void run() {
    pollfd sources[] = {{STDIN_FILENO, POLLIN, 0}, {event, POLLIN, 0}};
    for (;;) {
      if (poll(sources, 2, reportMilliseconds) < 0 && errno != EINTR) return;
      if (sources[0].revents && !read()) return;
      eventfd_t count;
      (void)!eventfd_read(event, &count);
      report();
    }
  }

private:
  /// Carries out the commands that have arrived; false at the end of the input.
  bool read() {
    char bytes[512];
    const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    for (ssize_t place = 0; place < count; ++place) {
      if (bytes[place] != '\n') {
        if (line.size() < maximumLineBytes) line += bytes[place];
        continue;
      }
      perform(line);
      line.clear();
    }
    return count > 0;
  }

  void perform(const std::string &command) {
    auto state = link.captureAppSessionState();
    const auto now = link.clock().micros();
    double tempo = 0;
    if (command == "start") {
      // `report` maps the start to a beat.
      state.setIsPlaying(true, now);
    } else if (command == "stop") {
      state.setIsPlaying(false, now);
    } else if (command == "rewind") {
      state.requestBeatAtTime(0, now, quantum);
      change = state.timeAtBeat(0, quantum);
    } else if (!command.compare(0, 6, "tempo ") && parse(command.c_str() + 6, tempo)) {
      state.setTempo(tempo, now);
    } else {
      fprintf(stderr, "outboard-link: unknown command. Use tempo BPM, start, stop or rewind.\n");
      return;
    }
    link.commitAppSessionState(state);
  }

  void report() {
    auto state = link.captureAppSessionState();
    if (state.isPlaying() != isPlaying) {
      isPlaying = state.isPlaying();
      change = state.timeForIsPlaying();
      if (isPlaying) {
        // Beat 0 is the start: at once if there are no peers, otherwise at the next multiple of the quantum.
        state.requestBeatAtStartPlayingTime(0, quantum);
        link.commitAppSessionState(state);
        change = state.timeAtBeat(0, quantum);
      }
    }
    // A session can have started before this machine.
    change = std::max(change, microseconds(0));
    const auto now = link.clock().micros();
    printf("state %" PRId64 "000 %.6f %.4f %d %" PRId64 "000 %zu\n", int64_t{now.count()},
      state.beatAtTime(now, quantum), state.tempo(), isPlaying ? 1 : 0, int64_t{change.count()},
      link.numPeers());
    fflush(stdout);
  }

  Link link;
  const double quantum;
  bool isPlaying;
  /// When the last start, stop or jump takes effect.
  microseconds change;
  const int event;
  std::string line;
};

const char *usage =
  "Usage: outboard-link [--tempo BPM] [--quantum BEATS] [--beat BEAT] [--playing]\n"
  "Joins the Ableton Link session of the local network, and prints its state until the standard input ends.\n";

} // namespace

int main(int count, char **arguments) {
  const option known[] = {
    {"tempo", required_argument, nullptr, 't'}, {"quantum", required_argument, nullptr, 'q'},
    {"beat", required_argument, nullptr, 'b'}, {"playing", no_argument, nullptr, 'p'},
    {"help", no_argument, nullptr, 'h'}, {nullptr, 0, nullptr, 0}};
  Options options;
  for (int letter; (letter = getopt_long(count, arguments, "", known, nullptr)) != -1;) {
    bool isValid = true;
    switch (letter) {
    case 't': isValid = parse(optarg, options.tempo); break;
    case 'q': isValid = parse(optarg, options.quantum) && options.quantum > 0; break;
    case 'b': isValid = parse(optarg, options.beat); break;
    case 'p': options.isPlaying = true; break;
    case 'h': fputs(usage, stdout); return 0;
    default: isValid = false;
    }
    if (!isValid) {
      fputs(usage, stderr);
      return 2;
    }
  }
  if (optind < count) {
    fputs(usage, stderr);
    return 2;
  }
  try {
    Session(options).run();
  } catch (const std::exception &error) {
    fprintf(stderr, "outboard-link: %s\n", error.what());
    return 1;
  }
  return 0;
}
