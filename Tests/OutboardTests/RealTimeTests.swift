// RealTimeTests.swift: `outboard run --check-realtime`. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `A run with real-time checks` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Half a second on the null device.
  private func run(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> Program.Result {
    try Program.run(
      ["run", "--out", "null", "--duration", "0.5", "--check-realtime"] + arguments, in: scratch,
      environment: environment)
  }

  /// A tone through one node.
  private func writeRig(of node: String, _ plugin: String) throws {
    try scratch.write(
      """
      outboard: 1
      output: {device: default, channels: 2}
      nodes:
        tone: {plugin: outboard.oscillator}
        \(node): {plugin: \(plugin)}
      connections: [tone -> \(node) -> out]
      """, to: "rig.yaml")
  }

  private func realTime(_ result: Program.Result) throws -> [String: Any] {
    let summary = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
    return try #require(summary?["realTime"] as? [String: Any], "\(result.error)")
  }

  @Test(.enabled(if: InstalledBundles.exist(["mda.lv2"]), "mda-lv2 is not installed"))
  func `reports nothing for real-time safe code`() throws {
    let rig = """
      outboard: 1
      output: {device: default, channels: 2}
      nodes:
        tone: {plugin: outboard.oscillator}
        space: {plugin: outboard.reverb}
        room: {plugin: "http://drobilla.net/plugins/mda/Ambience"}
      connections: [tone -> space -> room -> out]
      """
    try scratch.write(rig, to: "rig.yaml")
    let bundles = try InstalledBundles(["mda.lv2"])
    let result = try run(
      "--rig", "rig.yaml", "--json", environment: ["LV2_PATH": bundles.path])
    #expect(result.status == 0, "\(result.error)")
    let values = try realTime(result)
    #expect(try #require(values["blocks"] as? Int) > 10)
    for key in ["allocations", "frees", "locks", "systemCalls"] {
      #expect(values[key] as? Int == 0, "\(key): \(values)")
    }
  }

  @Test func `names a node that another thread renders`() throws {
    try scratch.write(
      """
      #include <errno.h>
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>
      void process(void *state, const float *const *in, float *const *out,
                   const float *parameters, unsigned frames) {
        for (int channel = 0; channel < 2; channel++)
          memcpy(out[channel], in[channel], frames * sizeof(float));
        void *volatile memory = malloc(frames);
        free(memory);
        // Each thread has a separate one.
        static const int *last;
        const int *thread = &errno;
        if (last && thread != last && read(-1, NULL, 0) > 0) out[0][0] = 0;
        last = thread;
      }
      """, to: "wandering.c")
    let branches = 1 ... 6
    let nodes = branches.map {
      "  c\($0): {plugin: wandering.c}\n  r\($0): {plugin: outboard.reverb}\n"
    }
    try scratch.write(
      """
      outboard: 1
      output: {device: default, channels: 2}
      nodes:
        tone: {plugin: outboard.oscillator}
      \(nodes.joined())
      connections:
      \(branches.map { "  - tone -> c\($0) -> r\($0) -> out\n" }.joined())
      """, to: "rig.yaml")
    var result = try run("--rig", "rig.yaml", "--json", "--threads", "2")
    // On a busy machine the second thread may get no processor time for half a second.
    for _ in 0 ..< 4 where !result.text.contains("\"read\"") {
      result = try run("--rig", "rig.yaml", "--json", "--threads", "2")
    }
    #expect(result.status == 1, "\(result.error)")
    let values = try realTime(result)
    let violations = try #require(values["violations"] as? [[String: Any]])
    // `read` shows that different threads rendered it in two blocks.
    #expect(Set(violations.compactMap { $0["function"] as? String }) == ["malloc", "free", "read"])
    let named = Set(violations.compactMap { $0["node"] as? String })
    #expect(named == Set(branches.map { "c\($0)" }), "\(violations)")
    // No violation is missed on any thread, and waiting between threads does not count.
    let blocks = try #require(values["blocks"] as? Int)
    #expect(values["allocations"] as? Int == 6 * blocks)
    #expect(values["frees"] as? Int == 6 * blocks)
  }

  @Test func `names the node, the function and the location`() throws {
    try scratch.write(
      """
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>
      void process(void *state, const float *const *in, float *const *out,
                   const float *parameters, unsigned frames) {
        (void)state;
        (void)parameters;
        float *copy = malloc(frames * sizeof *copy);
        for (int channel = 0; channel < 2; channel++) {
          memcpy(copy, in[channel], frames * sizeof *copy);
          memcpy(out[channel], copy, frames * sizeof *copy);
        }
        free(copy);
        if (write(-1, copy, 1) > 0) out[0][0] = 0;
      }
      """, to: "greedy.c")
    try writeRig(of: "culprit", "greedy.c")
    let result = try run("--rig", "rig.yaml", "--json")
    #expect(result.status == 1, "\(result.error)")
    let values = try realTime(result)
    let violations = try #require(values["violations"] as? [[String: Any]])
    #expect(
      Set(violations.compactMap { $0["function"] as? String }) == ["malloc", "free", "write"])
    for violation in violations {
      #expect(violation["node"] as? String == "culprit", "\(violation)")
      let location = violation["location"] as? String ?? ""
      #expect(location.contains("greedy.c:") && location.contains("process"), "\(violation)")
    }
    #expect(values["allocations"] as? Int == values["blocks"] as? Int)

    let reported = try run("--rig", "rig.yaml")
    #expect(reported.status == 1)
    #expect(
      reported.error.contains("culprit called malloc on the audio thread at "), "\(reported.error)")
    #expect(reported.error.contains("Not real-time safe: "), "\(reported.error)")
    #expect(
      reported.error.contains(" real-time violations on the audio thread."), "\(reported.error)")
  }

  @Test func `does not report a call of the host with which a node ends`() throws {
    try scratch.write(
      """
      #include <string.h>
      #include <unistd.h>
      void process(void *state, const float *const *in, float *const *out,
                   const float *parameters, unsigned frames) {
        for (int channel = 0; channel < 2; channel++)
          memcpy(out[channel], in[channel], frames * sizeof(float));
        fsync(-1);
      }
      """, to: "late.c")
    try writeRig(of: "late", "late.c")
    let reported = try run("--rig", "rig.yaml")
    #expect(reported.status == 1)
    #expect(reported.error.contains("late called fsync on the audio thread"), "\(reported.error)")
    let line = reported.error.split(separator: "\n").first { $0.hasPrefix("late ") }
    let isNamed =
      line?.contains("process") == true || line?.contains("a tail call of the node") == true
    #expect(isNamed, "\(reported.error)")
  }
}
