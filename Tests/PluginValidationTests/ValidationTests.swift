// ValidationTests.swift: validation tests, each with a fixture that has its fault. SPDX-License-Identifier: MIT

import Glibc
import PluginValidation
import Testing

@Suite struct `Validation tests` {
  /// A fixture, its validation test, and the expected message.
  struct Fault: CustomTestStringConvertible {
    let fixture: String
    let examination: ValidationTest
    let grade: Severity
    /// A message or, if it ends with a space, the beginning of one.
    let message: String
    var hasParameter = false
    var testDescription: String { fixture }
  }

  static let faults = [
    Fault(
      fixture: "crash_in_odd_block", examination: .blocks, grade: .crashed,
      message: "It crashed (signal 11, segmentation fault) with a block of 7 frames "
        + "(in crash_in_odd_block.so+0x"),
    Fault(
      fixture: "reaches_too_far", examination: .blocks, grade: .crashed,
      message: "It crashed (signal 11, segmentation fault) with a block of 1024 frames "
        + "(in reaches_too_far.so+0x"),
    Fault(
      fixture: "hang_in_long_block", examination: .blocks, grade: .crashed,
      message: "It timed out after 6 s with a block of 8192 frames."),
    Fault(
      fixture: "writes_input", examination: .basicUse, grade: .faulty,
      message: "It writes to input \"in\" at 44100 Hz with blocks of 64 frames, and"),
    Fault(
      fixture: "overruns", examination: .blocks, grade: .faulty,
      message: "It writes outside the block to output \"out\" with a block of 256 frames, and"),
    Fault(
      fixture: "writes_input", examination: .lifecycle, grade: .faulty,
      message: "It writes to input \"in\" while it rendered, and"),
    Fault(
      fixture: "leaves_unwritten", examination: .blocks, grade: .faulty,
      message: "It leaves frames of output \"out\" unwritten with a block of 1 frame, and"),
    Fault(
      fixture: "nan_at_maximum", examination: .parameters, grade: .faulty,
      message:
        "It outputs NaN at output \"out\" with all parameters at their maximum, and once more.",
      hasParameter: true),
    Fault(
      fixture: "keeps_nan", examination: .notANumber, grade: .note,
      message:
        "NaN in its input makes its output invalid until the host re-creates it."
        + " Clear all filters and delays in `reset`."),
    Fault(
      fixture: "exists_once", examination: .lifecycle, grade: .note,
      message: "It rejects a second instance while one exists, "),
    Fault(
      fixture: "keeps_globals", examination: .lifecycle, grade: .note,
      message: "It keeps state in global variables, so each node gets a copy of the library."),
    Fault(
      fixture: "takes_any_state", examination: .state, grade: .note,
      message: "`restore` accepts invalid data and its output is invalid after a state that was "),
    Fault(
      fixture: "reads_heap", examination: .memory, grade: .note,
      message: "It reads uninitialised memory (on the heap), so its output depends on "),
    Fault(
      fixture: "reads_stack", examination: .memory, grade: .faulty,
      message: "It reads uninitialised memory (local variables), so its output depends on "),
    Fault(
      fixture: "reads_outputs", examination: .memory, grade: .faulty,
      message: "It reads uninitialised memory (its output buffers), so its output depends on "),
    Fault(
      fixture: "loses_megabytes", examination: .memory, grade: .faulty,
      message: "It leaks 52.4 MB of memory each time an instance is created and destroyed, "),
    Fault(
      fixture: "loses_kilobytes", examination: .memory, grade: .note,
      message: "It leaks 10.0 kB of memory each time an instance is created and destroyed, "),
    Fault(
      fixture: "loses_in_blocks", examination: .memory, grade: .faulty,
      message: "It leaks 10.0 kB of memory each time it renders a block. "),
    Fault(
      fixture: "loses_on_save", examination: .memory, grade: .note,
      message: "It leaks 8.0 kB of memory each time its state is saved and restored. "),
    Fault(
      fixture: "loses_threads", examination: .memory, grade: .faulty, message: "It leaks "),
    Fault(
      fixture: "false_latency", examination: .latency, grade: .faulty,
      message: "It reports a latency of 100 frames, but the measured latency is 0 frames."),
    Fault(
      fixture: "forgets_state", examination: .state, grade: .faulty,
      message: "A restored state is different when it is saved again."),
    Fault(
      fixture: "crash_on_garbled_state", examination: .state, grade: .crashed,
      message:
        "It crashed (signal 11, segmentation fault) while a state that was garbled was restored"),
    Fault(
      fixture: "slower_than_real_time", examination: .timing, grade: .slow,
      message: "It takes "),
    Fault(
      fixture: "allocates", examination: .realTime, grade: .notRealTimeSafe,
      message: "It calls malloc while it renders, in 64 of 64 blocks (allocates.so+0x"),
    Fault(
      fixture: "locks", examination: .realTime, grade: .notRealTimeSafe,
      message: "It calls pthread_mutex_lock while it renders, in 64 of 64 blocks (locks.so+0x"),
    Fault(
      fixture: "duplicates_text", examination: .realTime, grade: .notRealTimeSafe,
      message: "It calls malloc in its first block (duplicates_text.so+0x"),
    Fault(
      fixture: "allocates_on_change", examination: .realTime, grade: .notRealTimeSafe,
      message: "It calls malloc when a parameter changes, in 2 of 3 blocks"
        + " (allocates_on_change.so+0x", hasParameter: true),
  ]

  @Test(arguments: faults)
  func `each fault is found by its own check`(fault: Fault) throws {
    let result = try Fixtures.examine(
      fault.fixture, fault.examination, hasParameter: fault.hasParameter)
    #expect(result.grade == fault.grade)
    let messages = result.remarks.map(\.message)
    #expect(messages.contains { $0.hasPrefix(fault.message) }, "\(messages)")
  }

  @Test func `a system call is found, however it is made`() throws {
    let result = try Fixtures.examine("calls_the_kernel", .realTime)
    let messages = result.remarks.map(\.message)
    if messages.contains(where: { $0.hasPrefix("This kernel does not report") }) {
      print("not run: this kernel does not report system calls")
      return
    }
    #expect(result.grade == .notRealTimeSafe)
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
    let result = try Fixtures.examine("asks_for_files", .sandbox)
    #expect(
      result.remarks == [
        TestMessage(
          .note, "In a sandbox, it asks for: network (socket), home directory (\(home)).")
      ])
    #expect(try Fixtures.examine("latency", .sandbox).grade == .passed)
  }

  @Test func `a module without faults passes every check`() throws {
    let report = Fixtures.inspector.inspect(try Fixtures.module("latency"))
    #expect(report.verdict == .safe, "\(report.faults)")
    #expect(report.results.map(\.examination) == ValidationTest.allCases)
    let latency = report.results.first { $0.examination == .latency }?.measurements
    #expect(
      latency == [
        Measurement("reported latency", 100, "frames"), Measurement("first sound", 100, "frames"),
        Measurement("peak", 100, "frames"),
      ])
  }

  @Test(arguments: ["uses_chance", "latency", "keeper", "keeps_globals", "exists_once"])
  func `memory that is written, freed, or kept once passes`(fixture: String) throws {
    #expect(try Fixtures.examine(fixture, .memory).remarks == [])
  }

  @Test(arguments: [ValidationTest.blocks, .parameters, .state, .notANumber, .memory])
  func `code that supports one instance is never created twice`(examination: ValidationTest) throws
  {
    let result = try Fixtures.examine("exists_once", examination, hasParameter: true)
    #expect(result.grade <= .note, "\(result.remarks)")
  }

  @Test func `a state that is restored passes, and a damaged state may be refused`() throws {
    #expect(try Fixtures.examine("keeper", .state).grade == .passed)
    #expect(try Fixtures.examine("locks", .state).grade == .notApplicable)
  }
}
