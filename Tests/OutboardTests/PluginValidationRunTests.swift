// PluginValidationRunTests.swift: `outboard validate`, `outboard bench`, and recorded results. SPDX-License-Identifier: MIT
// SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import LV2Fixtures
import Testing

@Suite struct `Validating plugins` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private struct Report: Decodable {
    struct Result: Decodable {
      struct Remark: Decodable {
        let severity: String
        let message: String
      }
      let test: String
      let severity: String
      let messages: [Remark]
    }
    let id: String
    let rating: String
    let reason: String?
    let tests: [Result]
  }

  private func check(_ plugin: String, _ scratch: TemporaryDirectory, status: Int32) throws
    -> Report
  {
    let result = try Program.run(["validate", plugin, "--json"], in: scratch)
    #expect(result.status == status)
    let reports = try JSONDecoder().decode([Report].self, from: result.output)
    return try #require(reports.first)
  }

  @Test(arguments: ["gain", "limiter", "organ"])
  func `a shipped module passes`(name: String) throws {
    let report = try check("outboard.\(name)", scratch, status: 0)
    let remarks = report.tests.flatMap(\.messages).map(\.message)
    #expect(report.rating == "ok", "\(remarks)")
    #expect(report.tests.count == 15)
  }

  @Test func `a faulty plugin ends with 1 and has its faults in a table`() throws {
    try scratch.addModule("locking", fixture: "locks", channels: 1)
    let result = try Program.run(["validate", "./locking.so"], in: scratch)
    #expect(result.status == 1)
    #expect(result.text.hasPrefix("locking (test.locking): not real-time safe\n"))
    #expect(result.text.contains(#/\n  real time +not real-time safe +blocks \d+, violations/#))
    #expect(
      result.text.contains(
        "not real-time safe: real time: It calls pthread_mutex_lock while it renders, in 64 of 64"
          + " blocks (locking.so+0x"))
  }

  @Test func `a fault with certain values is found with those, and not recorded`()
    throws
  {
    let source = """
      // outboard:
      //   inputs: 1
      //   outputs: 1
      //   parameters:
      //     - {symbol: drive, name: Drive, minimum: 0, default: 1, maximum: 10}
      //     - {symbol: mode, name: Mode, minimum: 0, default: 0, maximum: 4}
      #include <math.h>
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        const int is_wrong = p[0] == 9.5f && p[1] == 3;
        for (unsigned i = 0; i < n; i++) out[0][i] = is_wrong ? NAN : in[0][i] * p[0];
      }
      """
    try source.write(toFile: scratch.path("odd.c"), atomically: true, encoding: .utf8)
    func check(_ words: String...) throws -> Program.Result {
      try Program.run(["validate", "--quick", "./odd.c"] + words, in: scratch)
    }
    #expect(try check().status == 0)
    #expect(try check("drive=9.5").status == 0)
    let wrong = try check("drive=9.5", "Mode=3")
    #expect(wrong.status == 1)
    #expect(wrong.text.contains("NaN"), "\(wrong.text)")
    let high = try check("drive=90")
    #expect(high.error == "outboard: odd: drive = 90 is above the maximum. Using 10.\n")
  }

  @Test(
    arguments: [
      (["outboard.gain", "gian=3"], "Gain has no parameter gian. Did you mean gain?"),
      (["outboard.gain", "gain=x"], "gain = x is not a number"),
      (["outboard.gain", "outboard.delay", "gain=3"], "Delay has no parameter gain"),
      (["--all", "gain=3"], "--all tests every plugin. Remove the names."),
      (["gain=3"], "gain=3 has no plugin."),
    ])
  func `values without a plugin are refused`(words: [String], message: String) throws {
    let result = try Program.run(["validate"] + words, in: scratch)
    #expect(result.status == 2)
    #expect(result.error.contains(message), "\(result.error)")
    #expect(result.text.isEmpty)
  }

  @Test func `a crash is recorded, shown by list, and not repeated without --force`() throws {
    let bundles = try BundleDirectory(["crash_in_run", "witness"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    let crasher = "urn:outboard:test:crash_in_run"
    #expect(try check(crasher, scratch, status: 1).rating == "crashes")
    let list = try expectSuccess(["list", "--kind", "lv2"], in: scratch).text
    #expect(list.contains(#/RATING/#))
    #expect(list.contains(#/Crash in run .* crashes +urn:outboard:test:crash_in_run/#))
    let again = try Program.run(["validate", crasher], in: scratch)
    #expect(again.status == 1)
    #expect(
      again.error
        == "outboard: Crash in run crashed before and its files have not changed. Skipped. Use"
        + " --force to test it.\n")
    let forced = try Program.run(["validate", crasher, "--force"], in: scratch)
    #expect(forced.status == 1)
    #expect(forced.error == "")
    // The result of a changed plugin is discarded.
    _ = try Tool.run("/usr/bin/touch", [bundles.bundle("crash_in_run") + "/plugin.so"])
    let fresh = try expectSuccess(["list", "--kind", "lv2"], in: scratch).text
    #expect(!fresh.contains("RATING"))
  }

  @Test func `a plugin that crashed in its preflight is a line of list --unusable`() throws {
    let bundles = try BundleDirectory(["exit_in_constructor", "witness"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    try scratch.addTone()
    let uri = "urn:outboard:test:exit_in_constructor"
    let message = try bundles.expectation("exit_in_constructor")
    try expectFailure(
      ["render", uri, "-i", "in.wav", "-o", "out.wav"], in: scratch, message)
    let why = try expectSuccess(["list", "--unusable"], in: scratch).text
    #expect(why == "\(uri): \(message)\n")
  }

  @Test
  func `a plugin that crashes at one rate or length is refused there and used elsewhere`()
    throws
  {
    let bundles = try BundleDirectory(["crash_at_96000"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    let samples = try scratch.addTone(channels: 1)
    try scratch.addTone("fast.wav", channels: 1, rate: 96_000)
    let message = try bundles.expectation("crash_at_96000")
    func arguments(_ input: String, block: Int) -> [String] {
      [
        "render", "urn:outboard:test:crash_at_96000", "-i", input, "-o", "out.wav", "--tail", "0",
        "--block-length", "\(block)",
      ]
    }
    try expectFailure(arguments("fast.wav", block: 512), in: scratch, message)
    try expectFailure(
      arguments("in.wav", block: 100), in: scratch,
      message.replacing("512", with: "100").replacing("ran at 96000", with: "ran at 48000"))
    try expectSuccess(arguments("in.wav", block: 512), in: scratch)
    #expect(scratch.samples("out.wav") == samples)
    let why = try expectSuccess(["list", "--unusable"], in: scratch).text
    #expect(why.withoutLocations == "urn:outboard:test:crash_at_96000: \(message)\n")
  }

  @Test func `without a test a plugin is used in spite of a recorded fault`() throws {
    let bundles = try BundleDirectory(["crash_in_cleanup"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    let samples = try scratch.addTone()
    let arguments = [
      "render", "urn:outboard:test:crash_in_cleanup", "-i", "in.wav", "-o", "out.wav",
    ]
    try expectFailure(arguments, in: scratch, try bundles.expectation("crash_in_cleanup"))
    // It has rendered, and aborts in its cleanup.
    let result = try Program.run(arguments + ["--skip-preflight", "--tail", "0"], in: scratch)
    #expect(result.status == 0, "\(result.error)")
    #expect(
      result.error.hasPrefix("outboard: urn:outboard:test:crash_in_cleanup (")
        && result.error.contains(") crashed (signal 6, abort)")
        && result.error.hasSuffix("which ended the program. out.wav is complete.\n"),
      "\(result.error)")
    #expect(scratch.samples("out.wav") == samples)
  }

  @Test func `a quick check is short, reports why a plugin cannot be created, and is not recorded`()
    throws
  {
    let bundles = try BundleDirectory(["instantiate_null", "crash_in_run", "witness"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    let names = ["witness", "instantiate_null", "crash_in_run"].map { "urn:outboard:test:\($0)" }
    let result = try Program.run(
      ["validate", "--quick", "--json"] + names, in: scratch)
    #expect(result.status == 1)
    let reports = try JSONDecoder().decode([Report].self, from: result.output)
    #expect(reports.map(\.id) == names)
    #expect(reports.map(\.rating) == ["ok", "unusable", "crashes"])
    #expect(reports[0].tests.map(\.test) == ["use", "state"])
    #expect(reports[1].reason == (try bundles.expectation("instantiate_null")))
    let list = try expectSuccess(["list", "--kind", "lv2"], in: scratch).text
    #expect(!list.contains("RATING"))
  }

  @Test(arguments: [[:], ["DISPLAY": "", "WAYLAND_DISPLAY": ""]])
  func `a plugin that needs a display is reported if there is none`(
    environment: [String: String]
  ) throws {
    let bundles = try BundleDirectory(["needs_display"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    let arguments = ["validate", "--quick", "urn:outboard:test:needs_display"]
    let result = try Program.run(arguments, in: scratch, environment: environment)
    #expect(result.status == 0, "\(result.text)")
    // If there is a display, the plugin may find it.
    let other = try Program.run(arguments, in: scratch, environment: ["DISPLAY": ":no-such"])
    #expect(other.text.contains("aborted (signal 6)"))
  }

  @Test func `a plugin with its own threads gets time before it is destroyed`() throws {
    let bundles = try BundleDirectory(["slow_threads"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    let result = try expectSuccess(
      ["validate", "--quick", "urn:outboard:test:slow_threads"], in: scratch)
    #expect(result.text.hasPrefix("Slow threads (urn:outboard:test:slow_threads): ok\n"))
  }

  @Test func `contradictory options are refused`() throws {
    try expectUsage(
      ["check"], "Name a rig. To test a plugin, use `outboard validate PLUGIN`.")
    try expectUsage(["check", "a.yaml", "--quick"], "Unknown option '--quick'")
    try expectUsage(["validate"], "Name a plugin, or use --all.")
    try expectUsage(
      ["validate", "outboard.gain", "--all"], "--all tests every plugin. Remove the names.")
    try expectUsage(["bench"], "Name a plugin, or use --all.")
    try expectUsage(
      ["bench", "outboard.gain", "--block-lengths", "16,many"],
      "--block-lengths 16,many is not a list of block lengths. Use numbers from 1 to 8192, such as 16,64,256."
    )
  }

  private func expectUsage(_ arguments: [String], _ message: String) throws {
    let result = try Program.run(arguments, in: scratch)
    #expect(result.status == 2)
    #expect(result.error.contains(message), "\(result.error)")
  }

  @Test func `a benchmark has a row for each plugin and a message for each failure`() throws {
    try scratch.addModule("stubborn", fixture: "create_fails")
    let result = try Program.run(
      ["bench", "outboard.gain", "./stubborn.so", "--block-lengths", "16,256", "--json"],
      in: scratch)
    #expect(result.status == 1)
    struct Row: Decodable {
      struct Block: Decodable { let frames: Int }
      let id: String
      let blocks: [Block]
      let fault: String?
    }
    let rows = try JSONDecoder().decode([Row].self, from: result.output)
    #expect(rows.map(\.id) == ["outboard.gain", "test.stubborn"])
    #expect(rows[0].blocks.map(\.frames) == [16, 256])
    #expect(rows[1].fault?.contains("`create` returned NULL") == true)
  }

  @Test func `a benchmark of several settings has them in the order of the command line`() throws {
    let plugin = "outboard.chorus"
    let result = try Program.run(
      ["bench", plugin, "voices=1", plugin, "voices=4", "--block-lengths", "16", "--json"],
      in: scratch)
    #expect(result.error.contains("voices = 4 is above the maximum. Using 3."), "\(result.error)")
    struct Row: Decodable { let values: [String] }
    let rows = try JSONDecoder().decode([Row].self, from: result.output)
    #expect(rows.map(\.values) == [["voices=1"], ["voices=4"]])
  }

  @Test func `a message about an unusable source names the source`() throws {
    try scratch.write("float tick(float x) { return x; }\n", to: "tick.c")
    let words =
      "tick.c: the library does not export the required function `process`. Run `outboard help"
      + " porting` to adapt other code.\n"
    let check = try Program.run(["validate", "tick.c"], in: scratch)
    #expect(check.text == "tick: cannot be used: \(words)")
    let bench = try Program.run(["bench", "tick.c"], in: scratch)
    #expect(bench.error == "outboard: tick: \(words)")
    #expect(check.status == 1 && bench.status == 1)
  }

  @Test func `a benchmark uses the values that follow a plugin`() throws {
    try scratch.write(
      """
      // outboard: parameters: [{symbol: fuse, name: Fuse, minimum: 0, default: 0, maximum: 1}]
      #include <stdlib.h>
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        if (p[0] > 0.4f && p[0] < 0.6f) abort();
        for (unsigned c = 0; c < 2; c++) for (unsigned i = 0; i < n; i++) out[c][i] = in[c][i];
      }
      """, to: "fuse.c")
    try expectSuccess(["bench", "fuse.c", "fuse=1", "--block-lengths", "64"], in: scratch)
    let result = try Program.run(
      ["bench", "fuse.c", "fuse=0.5", "--block-lengths", "64"], in: scratch)
    #expect(result.status == 1)
    #expect(result.error.contains("aborted (signal 6)"), "\(result.error)")
    try expectFailure(
      ["bench", "fuse.c", "fuze=1"], in: scratch,
      "fuse has no parameter fuze. Did you mean fuse?")
    try expectFailure(
      ["bench", "fuse=1", "fuse.c"], in: scratch,
      "fuse=1 has no plugin. Write values after their plugin, as in `reverb mix=30`."
    )
  }
}
