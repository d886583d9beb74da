// ForeignStateTests.swift: plugins that change the process they run in, or their inputs. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `A plugin that changes process state` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
  }

  /// A module that copies audio, and runs the given code in `create` and in each block.
  private func source(create: String = "", process: String = "") -> String {
    """
    // outboard: {name: Meddler, inputs: 2, outputs: 2}
    #include <fenv.h>
    #include <locale.h>
    #include <stdlib.h>
    #include <sys/stat.h>
    #include <unistd.h>
    void *create(double rate, unsigned longest) { \(create) return malloc(1); }
    void destroy(void *state) { free(state); }
    void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
      for (int c = 0; c < 2; c++)
        for (unsigned i = 0; i < n; i++) out[c][i] = in[c][i];
      \(process)
    }
    """
  }

  private func render(_ source: String, to output: String = "out.wav") throws -> Program.Result {
    try scratch.write(source, to: "meddler.c")
    return try Program.run(["render", "meddler.c", "-i", "in.wav", "-o", output], in: scratch)
  }

  @Test(arguments: ["create", "process"])
  func `a changed working directory does not change where files are written`(place: String) throws {
    let code = "if (chdir(\"/\")) abort(); umask(0777);"
    let result = try render(
      place == "create" ? source(create: code) : source(process: code), to: "moved.wav")
    #expect(result.status == 0)
    #expect(scratch.samples("moved.wav") == scratch.samples("in.wav"))
    let remark =
      "outboard: Meddler changes the working directory and the file mode mask (umask) of the whole process."
    #expect(result.error.components(separatedBy: remark).count == 2, "\(result.error)")
  }

  @Test func `a changed locale does not reach other code`() throws {
    let result = try render(source(create: "setlocale(LC_ALL, \"C.UTF-8\");"))
    #expect(result.status == 0)
    #expect(result.error.contains("Meddler changes the locale of the whole process."))
  }

  @Test(arguments: ["create", "process"])
  func `a changed environment is restored, and the plugin named`(place: String) throws {
    let code = "setenv(\"PATH\", \"/none\", 1); unsetenv(\"HOME\");"
    let result = try render(place == "create" ? source(create: code) : source(process: code))
    #expect(result.status == 0)
    #expect(
      result.error.contains("Meddler changes the environment variables of the whole process."))
  }

  @Test func `a changed timer slack is restored, and the plugin named`() throws {
    let result = try render(
      "#include <sys/prctl.h>\n" + source(create: "prctl(PR_SET_TIMERSLACK, 1000000000);"))
    #expect(result.status == 0)
    #expect(result.error.contains("Meddler changes the timer slack of the whole process."))
  }

  @Test func `a changed rounding mode is restored, and the plugin named`() throws {
    let result = try render(source(process: "fesetround(FE_UPWARD);"))
    #expect(result.status == 0)
    #expect(result.error.contains("Meddler changes the floating-point mode of the whole process."))
    #expect(scratch.samples("out.wav") == scratch.samples("in.wav"))
  }

  @Test func `denormals set as the host sets them are not reported`() throws {
    // Both flags, as many plugins set them.
    let result = try render(
      source(process: "fenv_t e; fegetenv(&e); e.__mxcsr |= 0x8040; fesetenv(&e);"))
    #expect(result.status == 0)
    #expect(!result.error.contains("Meddler"), "\(result.error)")
  }

  @Test func `writing to its input does not affect another branch`() throws {
    try scratch.write(
      source(
        process: "for (unsigned i = 0; i < n; i++) ((float *)in[0])[i] = ((float *)in[1])[i] = 9;"),
      to: "meddler.c")
    try scratch.write(
      """
      outboard: 1
      nodes:
        rude: {plugin: ./meddler.c}
      connections:
        - in -> rude -> out
        - in -> out
      """, to: "branches.yaml")
    let result = try Program.run(
      ["render", "--rig", "branches.yaml", "-i", "in.wav", "-o", "out.wav"], in: scratch)
    #expect(result.status == 0, "\(result.error)")
    let doubled = try #require(scratch.samples("in.wav")).map { $0.map { $0 * 2 } }
    #expect(scratch.samples("out.wav") == doubled)
  }

  @Test func `cannot lower the program's resource limits during a rendering`() throws {
    let code = """
      const struct rlimit none = {1, 1};
      setrlimit(RLIMIT_FSIZE, &none);
      setrlimit(RLIMIT_CPU, &none);
      """
    let result = try render("#include <sys/resource.h>\n" + source(process: code))
    #expect(result.status == 0, "\(result.error)")
    #expect(scratch.samples("out.wav") == scratch.samples("in.wav"))
  }

  @Test func `cannot lower hard resource limits for good`() throws {
    let code = "const struct rlimit low = {1000, 1000}; setrlimit(RLIMIT_FSIZE, &low);"
    let result = try render("#include <sys/resource.h>\n" + source(create: code))
    #expect(result.status == 0, "\(result.error)")
    #expect(scratch.samples("out.wav") == scratch.samples("in.wav"))
  }

  @Test(arguments: [
    "struct itimerval v = {{0, 1}, {0, 1}}; setitimer(ITIMER_REAL, &v, 0);",
    "struct itimerval v = {{0, 1}, {0, 1}}; setitimer(ITIMER_PROF, &v, 0);",
    "volatile unsigned left = ualarm(1, 1); (void)left;",
    """
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec v = {{0, 1000}, {0, 1000}};
    timer_t t;
    if (timer_create(CLOCK_MONOTONIC, &e, &t) == 0) timer_settime(t, 0, &v, 0);
    """,
  ])
  func `cannot end the program with a timer`(code: String) throws {
    let headers =
      "#define _GNU_SOURCE\n#include <signal.h>\n#include <sys/time.h>\n#include <time.h>\n"
    for source in [source(create: code), source(process: code)] {
      let result = try render(headers + source)
      #expect(result.status == 0, "\(result.error)")
      #expect(scratch.samples("out.wav") == scratch.samples("in.wav"))
      try? FileManager.default.removeItem(atPath: scratch.path("out.wav"))
    }
  }

  private static let closing = "for (int i = 3; i < 64; i++) close(i);"

  @Test func `that closes file descriptors in a preflight has not exited`() throws {
    let result = try render(source(create: Self.closing))
    #expect(result.status == 2 || result.status == 1)
    #expect(
      result.error.contains("Meddler closed the file descriptors of the process"),
      "\(result.error)")
  }

  @Test func `that closes the file that is read is suspected`() throws {
    try scratch.addTone(frames: 480_000)
    let code = "static int count; if (++count == 100) { \(Self.closing) }"
    let result = try render(source(process: code))
    #expect(result.status == 1, "\(result.error)")
    #expect(result.error.contains("; a plugin may have closed it."), "\(result.error)")
  }
}
