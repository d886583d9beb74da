// HungFunctionTests.swift: functions of plugins that never return, outside of rendering. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `A function that never returns` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.write(Self.source, to: "stays.c")
    try scratch.write(Self.rig("first"), to: "first.yaml")
    try scratch.write(Self.rig("second"), to: "second.yaml")
  }

  /// Never returns from the function that `DEED` names, in the process that the file `now` names.
  private static let source = """
    #include <stdint.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    static volatile int sink;
    static void act(const char *function) {
      const char *deed = getenv("DEED");
      int process = 0;
      FILE *file = deed && !strncmp(deed, function, strlen(function)) ? fopen("now", "r") : 0;
      if (!file) return;
      if (fscanf(file, "%d", &process) != 1) process = 0;
      fclose(file);
      if (process != getpid()) return;
      fclose(fopen(function, "w"));
      if (strstr(deed, "loops")) for (;;) sink++;
      for (;;) sleep(1000);
    }
    void *create(double rate, uint32_t frames) { act("create"); return malloc(1); }
    void destroy(void *state) { act("destroy"); free(state); }
    void process(void *state, const float *const *in, float *const *out, const float *parameters,
                 uint32_t frames) {
      for (uint32_t i = 0; i < frames; i++) out[0][i] = in[0][i];
    }
    uint32_t save(const void *state, void *bytes, uint32_t size) { act("save"); return 0; }
    int restore(void *state, const void *bytes, uint32_t size) { act("restore"); return 0; }
    """

  private static func rig(_ node: String) -> String {
    """
    outboard: 1
    input: {device: dummy, channels: 1}
    output: {device: dummy, channels: 1}
    nodes: {\(node): {plugin: ./stays.c}}
    connections: [in -> \(node) -> out]
    """
  }

  private func start(_ deed: String, _ arguments: String...) throws -> Program.Running {
    let running = try Program.start(
      [
        Program.url.path, "run", "--isolate", "off", "--no-restart", "--rig", "first.yaml",
        "--period", "16", "--record", "take.wav",
        "--events", "json",
      ] + arguments, in: scratch, environment: ["DEED": deed])
    try wait(until: "the session answers and records", of: running) {
      let status = try Program.run(["status", "--json"], in: scratch)
      return status.text.contains("first") && scratch.size("take.wav") > 16_000
    }
    try scratch.write("\(running.process.processIdentifier)\n", to: "now")
    return running
  }

  private func check(_ result: Program.Result, _ node: String, _ function: String) throws {
    #expect(result.status == 1, "\(result.error)")
    #expect(
      result.error.contains("(\(node)) has not returned from `\(function)` for "),
      "\(result.error)")
    let events = try result.text.split(separator: "\n").map { line in
      try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
    let failure = try #require(events.first { $0["event"] as? String == "failure" })
    #expect(failure["kind"] as? String == "hung")
    #expect(failure["node"] as? String == node)
    #expect((failure["plugin"] as? String)?.contains("stays") == true, "\(failure)")
    #expect(events.last?["event"] as? String == "stopped")
    let info = try Program.run(["analyse", "take.wav", "--json"], in: scratch)
    #expect(info.status == 0, "\(info.error)")
  }

  @Test(arguments: ["save", "save loops"])
  func `is named when the session is saved`(deed: String) throws {
    let running = try start(deed)
    let saved = try Program.run(["save", "saved.yaml"], in: scratch)
    #expect(saved.status == 1, "\(saved.error)")
    try check(try running.finish(), "first", "save")
    #expect(!scratch.exists("saved.yaml"))
  }

  @Test func `is named when a node is removed`() throws {
    let running = try start("destroy")
    _ = try Program.run(["load", "second.yaml"], in: scratch)
    try check(try running.finish(), "first", "destroy")
  }

  @Test func `is named when a new version restores the state`() throws {
    let running = try start("save")
    try scratch.write(Self.source + "\n// Edited.\n", to: "stays.c")
    try check(try running.finish(), "first", "save")
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `does not delay the end of a run after a signal`(signal: Int32) throws {
    let running = try start("create")
    let loading = try Program.start([Program.url.path, "load", "second.yaml"], in: scratch)
    try wait(until: "the main thread sleeps in create", of: running) {
      scratch.exists("create")
    }
    let begin = ContinuousClock.now
    kill(running.process.processIdentifier, signal)
    try check(try running.finish(), "second", "create")
    // Normally `create` may take longer, for example to read files.
    #expect(ContinuousClock.now - begin < .seconds(18))
    #expect(try loading.finish().status == 1)
  }
}
