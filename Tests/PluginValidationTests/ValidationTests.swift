// ValidationTests.swift: validation tests, each with a fixture that has its fault. SPDX-License-Identifier: MIT

import Glibc
import PluginValidation
import Testing

@Suite struct `Validation tests` {
  /// A fixture, its validation test, and the expected message.
  struct Fault: CustomTestStringConvertible {
    let fixture: String
    let test: ValidationTest
    let severity: Severity
    /// A message or, if it ends with a space, the beginning of one.
    let message: String
    var hasParameter = false
    var testDescription: String { fixture }
  }

  static let faults = [
    Fault(
      fixture: "crash_in_odd_block", test: .blocks, severity: .crashed,
      message: "It crashed (signal 11, segmentation fault) with a block of 7 frames "
        + "(in crash_in_odd_block.so+0x"),
    Fault(
      fixture: "reaches_too_far", test: .blocks, severity: .crashed,
      message: "It crashed (signal 11, segmentation fault) with a block of 1024 frames "
        + "(in reaches_too_far.so+0x"),
    Fault(
      fixture: "hang_in_long_block", test: .blocks, severity: .crashed,
      message: "It timed out after 6 s with a block of 8192 frames."),
    Fault(
      fixture: "writes_input", test: .basicUse, severity: .faulty,
      message: "It writes to input \"in\" at 44100 Hz with blocks of 64 frames, and"),
    Fault(
      fixture: "overruns", test: .blocks, severity: .faulty,
      message: "It writes outside the block to output \"out\" with a block of 256 frames, and"),
    Fault(
      fixture: "writes_input", test: .lifecycle, severity: .faulty,
      message: "It writes to input \"in\" while it rendered, and"),
    Fault(
      fixture: "leaves_unwritten", test: .blocks, severity: .faulty,
      message: "It leaves frames of output \"out\" unwritten with a block of 1 frame, and"),
    Fault(
      fixture: "nan_at_maximum", test: .parameters, severity: .faulty,
      message:
        "It outputs NaN at output \"out\" with all parameters at their maximum, and once more.",
      hasParameter: true),
    Fault(
      fixture: "keeps_nan", test: .notANumber, severity: .note,
      message:
        "NaN in its input makes its output invalid until the host re-creates it."
        + " Clear all filters and delays in `reset`."),
    Fault(
      fixture: "exists_once", test: .lifecycle, severity: .note,
      message: "It rejects a second instance while one exists, "),
    Fault(
      fixture: "keeps_globals", test: .lifecycle, severity: .note,
      message: "It keeps state in global variables, so each node gets a copy of the library."),
    Fault(
      fixture: "takes_any_state", test: .state, severity: .note,
      message: "`restore` accepts invalid data and its output is invalid after a state that was "),
    Fault(
      fixture: "reads_heap", test: .memory, severity: .note,
      message: "It reads uninitialised memory (on the heap), so its output depends on "),
    Fault(
      fixture: "reads_stack", test: .memory, severity: .faulty,
      message: "It reads uninitialised memory (local variables), so its output depends on "),
    Fault(
      fixture: "reads_outputs", test: .memory, severity: .faulty,
      message: "It reads uninitialised memory (its output buffers), so its output depends on "),
    Fault(
      fixture: "loses_megabytes", test: .memory, severity: .faulty,
      message: "It leaks 52.4 MB of memory each time an instance is created and destroyed, "),
    Fault(
      fixture: "loses_kilobytes", test: .memory, severity: .note,
      message: "It leaks 10.0 kB of memory each time an instance is created and destroyed, "),
    Fault(
      fixture: "loses_in_blocks", test: .memory, severity: .faulty,
      message: "It leaks 10.0 kB of memory each time it renders a block. "),
    Fault(
      fixture: "loses_on_save", test: .memory, severity: .note,
      message: "It leaks 8.0 kB of memory each time its state is saved and restored. "),
    Fault(
      fixture: "loses_threads", test: .memory, severity: .faulty, message: "It leaks "),
    Fault(
      fixture: "false_latency", test: .latency, severity: .faulty,
      message: "It reports a latency of 100 frames, but the measured latency is 0 frames."),
    Fault(
      fixture: "forgets_state", test: .state, severity: .faulty,
      message: "A restored state is different when it is saved again."),
    Fault(
      fixture: "crash_on_garbled_state", test: .state, severity: .crashed,
      message:
        "It crashed (signal 11, segmentation fault) while a state that was garbled was restored"),
    Fault(
      fixture: "slower_than_real_time", test: .timing, severity: .slow,
      message: "It takes "),
    Fault(
      fixture: "allocates", test: .realTime, severity: .notRealTimeSafe,
      message: "It calls malloc while it renders, in 64 of 64 blocks (allocates.so+0x"),
    Fault(
      fixture: "locks", test: .realTime, severity: .notRealTimeSafe,
      message: "It calls pthread_mutex_lock while it renders, in 64 of 64 blocks (locks.so+0x"),
    Fault(
      fixture: "duplicates_text", test: .realTime, severity: .notRealTimeSafe,
      message: "It calls malloc in its first block (duplicates_text.so+0x"),
    Fault(
      fixture: "allocates_on_change", test: .realTime, severity: .notRealTimeSafe,
      message: "It calls malloc when a parameter changes, in 2 of 3 blocks"
        + " (allocates_on_change.so+0x", hasParameter: true),
  ]

  @Test(arguments: faults)
  func `each fault is found by its own check`(fault: Fault) throws {
    let result = try Fixtures.runTest(
      fault.fixture, fault.test, hasParameter: fault.hasParameter)
    #expect(result.severity == fault.severity)
    let messages = result.remarks.map(\.message)
    #expect(messages.contains { $0.hasPrefix(fault.message) }, "\(messages)")
  }

  @Test func `a system call is found, however it is made`() throws {
    let result = try Fixtures.runTest("calls_the_kernel", .realTime)
    let messages = result.remarks.map(\.message)
    if messages.contains(where: { $0.hasPrefix("This kernel does not report") }) {
      print("not run: this kernel does not report system calls")
      return
    }
    #expect(result.severity == .notRealTimeSafe)
    for call in ["sched_yield", "a system call"] {
      #expect(
        messages.contains {
          $0.hasPrefix(
            "It calls \(call) while it renders, in 64 of 64 blocks (calls_the_kernel.so+0x")
        }, "\(messages)")
    }
  }

  @Test func `what a module asks for in a sandbox is a note`() throws {
    let home = try #require(getenv("HOME").map { String(cString: $0) })
    let result = try Fixtures.runTest("asks_for_files", .sandbox)
    #expect(
      result.remarks == [
        TestMessage(
          .note, "In a sandbox, it asks for: network (socket), home directory (\(home)).")
      ])
    #expect(try Fixtures.runTest("latency", .sandbox).severity == .passed)
  }

  @Test func `a module without faults passes every check`() throws {
    let report = Fixtures.validator.validate(try Fixtures.module("latency"))
    #expect(report.rating == .safe, "\(report.faults)")
    #expect(report.results.map(\.test) == ValidationTest.allCases)
    let latency = report.results.first { $0.test == .latency }?.measurements
    #expect(
      latency == [
        Measurement("reported latency", 100, "frames"), Measurement("first sound", 100, "frames"),
        Measurement("peak", 100, "frames"),
      ])
  }

  @Test(arguments: ["uses_chance", "latency", "keeper", "keeps_globals", "exists_once"])
  func `memory that is written, freed, or kept once passes`(fixture: String) throws {
    #expect(try Fixtures.runTest(fixture, .memory).remarks == [])
  }

  @Test(arguments: [ValidationTest.blocks, .parameters, .state, .notANumber, .memory])
  func `code that supports one instance is never created twice`(test: ValidationTest) throws {
    let result = try Fixtures.runTest("exists_once", test, hasParameter: true)
    #expect(result.severity <= .note, "\(result.remarks)")
  }

  @Test func `a state that is restored passes, and a damaged state may be refused`() throws {
    #expect(try Fixtures.runTest("keeper", .state).severity == .passed)
    #expect(try Fixtures.runTest("locks", .state).severity == .notApplicable)
  }
}
