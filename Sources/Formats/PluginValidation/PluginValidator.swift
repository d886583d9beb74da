// PluginValidator.swift: validates plugins in helper processes. SPDX-License-Identifier: MIT

package import ErrorModel
package import PluginCatalogue
package import PluginModel

/// Validates and benchmarks plugins in helper processes: one with real-time checks, one without.
///
/// If a process crashes or hangs, the current test fails with a message, and another process runs the remaining
/// tests. Blocks the calling thread. Several threads may validate at once. [any]
package struct PluginValidator: Sendable {
  private let command: ChildCommand
  private let limits: ChildLimits

  /// Creates a validator with a command for helper processes and their limits.
  package init(command: ChildCommand = .validation, limits: ChildLimits = .validation) {
    self.command = command
    self.limits = limits
  }

  /// Validates a plugin and returns all results, including crashes. [any]
  ///
  /// - Parameters:
  ///   - plugin: the plugin, with the defaults of each instance.
  ///   - tests: the tests to run.
  ///   - properties: the properties that each instance receives before it is active.
  /// - Returns: one result per test.
  package func validate(
    _ plugin: PluginDescription, _ tests: [ValidationTest] = ValidationTest.allCases,
    with properties: [InitialProperty] = []
  ) -> ValidationReport {
    // One-time actions in the first block of a process would be missed after other tests.
    let alone: [ValidationTest] = [.realTime, .memory]
    let others = runTests(plugin, properties, tests.filter { !alone.contains($0) })
    // A plugin that cannot be created would only repeat its message.
    let isUnusable = others.contains { $0.severity == .unusable }
    var all = others
    for test in alone where !isUnusable && tests.contains(test) {
      all += runTests(plugin, properties, [test])
    }
    return ValidationReport(all.sorted { $0.test.rawValue < $1.test.rawValue })
  }

  /// Returns the results of tests, with as many helper processes as needed.
  private func runTests(
    _ plugin: PluginDescription, _ properties: [InitialProperty], _ tests: [ValidationTest]
  ) -> [TestResult] {
    var results: [TestResult] = []
    var rest = tests
    while !rest.isEmpty {
      let (done, ended) = runHelper(plugin, properties, rest)
      results += done
      guard done.last?.severity != .unusable else { return results }
      rest.removeFirst(done.count)
      guard let ended, let test = rest.first else { continue }
      results.append(TestResult(test, remarks: [TestMessage(.crashed, ended)]))
      rest.removeFirst()
    }
    return results
  }

  /// Returns the results of one helper process, and a message if it ended early.
  private func runHelper(
    _ plugin: PluginDescription, _ properties: [InitialProperty], _ tests: [ValidationTest]
  ) -> (results: [TestResult], ended: String?) {
    var results: [TestResult] = []
    let end = exchange(
      .runTests(plugin, properties, tests), isAboutMemory: tests == [.memory]
    ) { answer in
      if case .result(let result) = answer { results.append(result) }
    }
    switch end {
    // A process that finished too early would be started again and again.
    case .done where results.count == tests.count || results.last?.severity == .unusable:
      return (results, nil)
    case .done: return (results, "It sent invalid data to the host process.")
    case .ended(let message): return (results, message)
    }
  }

  /// Benchmarks a plugin at block lengths in frames; throws a message on failure. [any]
  package func time(
    _ plugin: PluginDescription, frameCounts: [Int]
  ) throws(BenchmarkError) -> [BlockTiming] {
    var timings: [BlockTiming] = []
    let end = exchange(.time(plugin, frameCounts)) { answer in
      if case .timing(let timing) = answer { timings.append(timing) }
    }
    switch end {
    case .done(""): return timings
    case .done(let message), .ended(let message): throw BenchmarkError(message: message)
    }
  }

  // MARK: - The helper process

  private enum HelperExit {
    /// The helper finished, with an error message or an empty string.
    case done(String)
    /// The helper ended early, with a message.
    case ended(String)
  }

  /// Sends a request to a new helper process and reads its responses until it ends.
  private func exchange(
    _ request: ValidationRequest, isAboutMemory: Bool = false, _ hear: (ValidationResponse) -> Void
  ) -> HelperExit {
    var command = command
    command.cachesSmallMemory = !isAboutMemory
    var situation = "before it was created"
    var crash: CrashReport?
    func ended(_ end: ChildExit) -> HelperExit {
      // The process may have been ended by the timeout of its crash report.
      let words = crash.map { ChildExit.signalled($0.signal).text } ?? end.text
      let location = crash?.location.map { " (in \($0))" } ?? ""
      return .ended("It \(words) \(situation)\(location).")
    }
    do throws(ChildProcess.SpawnError) {
      var child = try ChildProcess(command, memoryBytes: limits.memoryBytes)
      guard child.socket.send(request.record) else { return ended(child.end()) }
      while true {
        guard child.waitForData(within: limits.preflightSeconds) else {
          return ended(.timedOut(seconds: limits.preflightSeconds))
        }
        guard child.socket.receive() else { return ended(child.end()) }
        while let answer = next(&child.socket) {
          switch answer {
          case .done(let message): return .done(message)
          case .situation(let words): situation = words
          case .crash(let report): crash = report
          case .begun, .result, .timing: hear(answer)
          }
        }
      }
    } catch {
      return ended(.notStarted(error.code))
    }
  }

  /// An invalid message ends the process.
  private func next(_ socket: inout MessageSocket) -> ValidationResponse? {
    do throws(BinaryDecodingError) {
      return try socket.next { reader throws(BinaryDecodingError) in try ValidationResponse(&reader)
      }
    } catch {
      return .done("It sent invalid data to the host process.")
    }
  }
}

/// A property that a plugin receives before it is active, such as an audio file.
package struct InitialProperty: Sendable, Equatable {
  /// The index in the plugin's `properties`.
  package var property: Int
  /// A legal value of the property's type.
  package var value: PropertyValue

  /// Creates a property with its value.
  package init(property: Int, value: PropertyValue) {
    self.property = property
    self.value = value
  }
}

/// The reason why a benchmark failed.
package struct BenchmarkError: Equatable {
  /// The message, without the plugin's name.
  package let message: String
  /// The message.
  package var description: String { message }
}

extension ChildCommand {
  /// The command for this program, which must call `ValidationHelper.run` for `ValidationHelper.argument`.
  package static var validation: ChildCommand {
    ChildCommand(executable: ThisProgram.path, arguments: [ValidationHelper.argument])
  }
}

extension ChildLimits {
  /// The limits of a test: those of a preflight, for each step.
  package static var validation: ChildLimits { ChildLimits() }
}

extension BenchmarkError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}
