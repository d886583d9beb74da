// PluginValidatorTests.swift: tests of PluginValidator.swift. SPDX-License-Identifier: MIT

import PluginCatalogue
import PluginValidation
import Testing

@Suite struct `The validator` {
  @Test func `continues after a crash in another child process`() throws {
    let plugin = try Fixtures.module("crash_in_odd_block")
    let report = Fixtures.validator.validate(
      plugin, [.lifecycle, .blocks, .sampleRates, .fullScale])
    // The address of its function is in a global variable.
    #expect(report.results.map(\.severity) == [.note, .crashed, .passed, .passed])
    #expect(report.rating == .crashes)
  }

  @Test func `reports that no helper process can be started`() throws {
    let validator = PluginValidator(
      command: ChildCommand(executable: "/nowhere/at/all", arguments: []), limits: ChildLimits())
    let report = validator.validate(try Fixtures.module("locks"), [.lifecycle])
    #expect(
      report.faults.map(\.message) == [
        "It could not start a helper process (No such file or directory) before it was"
          + " created."
      ])
  }

  @Test
  func `a plugin that cannot be created is reported with its own message, once for each check`()
    throws
  {
    let report = Fixtures.validator.validate(
      try Fixtures.module("create_fails"), [.lifecycle, .blocks])
    let message =
      "The test failed: create_fails: `create` returned NULL at 48000 Hz with blocks of"
      + " up to 1024 frames. If it needs a certain rate or block length, declare that in its manifest,"
      + " e.g. `rate: 48000` or `block: {fixed: 480}`."
    #expect(report.faults.map(\.message) == [message, message])
  }

  @Test func `a plugin that cannot be created is unusable, and its other checks are skipped`()
    throws
  {
    let report = Fixtures.validator.validate(try Fixtures.module("create_fails"))
    #expect(report.rating == .unusable)
    #expect(report.results.map(\.test) == [.basicUse])
    let message =
      "create_fails: `create` returned NULL at 44100 Hz with blocks of up to 64 frames. If it needs a"
      + " certain rate or block length, declare that in its manifest, e.g. `rate: 48000` or"
      + " `block: {fixed: 480}`."
    #expect(report.refusal == message)
  }

  @Test func `a quick check uses the plugin as usual, and saves and restores its state`() throws {
    let report = Fixtures.validator.validate(try Fixtures.module("keeper"), ValidationTest.quick)
    #expect(report.results.map(\.test) == [.basicUse, .state])
    #expect(report.rating == .safe, "\(report.faults)")
    // Faults that need unusual blocks are not found.
    let odd = Fixtures.validator.validate(
      try Fixtures.module("crash_in_odd_block"), ValidationTest.quick)
    #expect(odd.rating == .safe, "\(odd.faults)")
  }

  @Test func `measures blocks of each length, in the requested order`() throws {
    let timings = try Fixtures.validator.time(
      try Fixtures.module("process_only"), frameCounts: [16, 64, 256])
    #expect(timings.map(\.frameCount) == [16, 64, 256])
    #expect(timings.allSatisfy { $0.blockCount >= 100 })
    #expect(timings[2].medianNanoseconds > 0 && timings[2].slowNanoseconds > 0)
  }

  @Test func `a plugin that crashes while it is measured is reported`() throws {
    let plugin = try Fixtures.module("crash_in_odd_block")
    let fault = #expect(throws: BenchmarkError.self) {
      try Fixtures.validator.time(plugin, frameCounts: [7])
    }
    let message =
      "It crashed (signal 11, segmentation fault) with blocks of 7 frames (in crash_in_odd_block.so+0x"
    #expect(fault?.message.hasPrefix(message) == true)
  }
}
