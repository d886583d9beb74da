// PluginValidator.swift: takes a plugin through examinations, and outlives it. SPDX-License-Identifier: MIT

package import ErrorModel
package import PluginCatalogue
package import PluginModel

/// Examines and times plugins in child processes, two for each plugin: one is watched, the other not.
///
/// A child that ends, or is silent for too long, costs the examination that it was at, which then says
/// so; another child does the rest. Blocks the calling thread; several may inspect at once. [any]
package struct PluginValidator: Sendable {
  private let command: ChildCommand
  private let limits: ChildLimits

  /// An inspector whose children are started by a command, within limits.
  package init(command: ChildCommand = .inspection, limits: ChildLimits = .inspection) {
    self.command = command
    self.limits = limits
  }

  /// All that is found of a plugin; crashes and all. [any]
  ///
  /// - Parameters:
  ///   - plugin: what is inspected, with its defaults as each instance begins.
  ///   - examinations: what it is taken through.
  ///   - properties: what each instance is given before it is active.
  /// - Returns: one result for each examination.
  package func inspect(
    _ plugin: PluginDescription, _ examinations: [ValidationTest] = ValidationTest.allCases,
    with properties: [InitialProperty] = []
  ) -> ValidationReport {
    // What is done once in a process, at the first block, would not be seen after anything else.
    let alone: [ValidationTest] = [.realTime, .memory]
    let others = survive(plugin, properties, examinations.filter { !alone.contains($0) })
    // One that cannot be made would say so once more.
    let isUnusable = others.contains { $0.grade == .unusable }
    var all = others
    for examination in alone where !isUnusable && examinations.contains(examination) {
      all += survive(plugin, properties, [examination])
    }
    return ValidationReport(all.sorted { $0.examination.rawValue < $1.examination.rawValue })
  }

  /// The results of examinations, by as many children as it takes.
  private func survive(
    _ plugin: PluginDescription, _ properties: [InitialProperty], _ examinations: [ValidationTest]
  ) -> [TestResult] {
    var results: [TestResult] = []
    var rest = examinations
    while !rest.isEmpty {
      let (done, ended) = runChild(plugin, properties, rest)
      results += done
      guard done.last?.grade != .unusable else { return results }
      rest.removeFirst(done.count)
      guard let ended, let examination = rest.first else { continue }
      results.append(TestResult(examination, remarks: [TestMessage(.crashed, ended)]))
      rest.removeFirst()
    }
    return results
  }

  /// The results of one child, and how it ended, as a sentence, if it did before it was done.
  private func runChild(
    _ plugin: PluginDescription, _ properties: [InitialProperty], _ examinations: [ValidationTest]
  ) -> (results: [TestResult], ended: String?) {
    var results: [TestResult] = []
    let end = converse(
      .examine(plugin, properties, examinations), isAboutMemory: examinations == [.memory]
    ) { answer in
      if case .result(let result) = answer { results.append(result) }
    }
    switch end {
    // One that is done too early would be asked again and again.
    case .done where results.count == examinations.count || results.last?.grade == .unusable:
      return (results, nil)
    case .done: return (results, "It disturbed the process that examined it.")
    case .ended(let sentence): return (results, sentence)
    }
  }

  /// Times a plugin at block lengths, in frames; throws a sentence where it cannot be done. [any]
  package func time(
    _ plugin: PluginDescription, frameCounts: [Int]
  ) throws(BenchmarkError) -> [BlockTiming] {
    var timings: [BlockTiming] = []
    let end = converse(.time(plugin, frameCounts)) { answer in
      if case .timing(let timing) = answer { timings.append(timing) }
    }
    switch end {
    case .done(""): return timings
    case .done(let sentence), .ended(let sentence): throw BenchmarkError(sentence: sentence)
    }
  }

  // MARK: - The child

  private enum HelperExit {
    /// In good order, with what was wrong, if anything was.
    case done(String)
    /// Before its time; a sentence.
    case ended(String)
  }

  /// Asks a fresh child, and listens to it until it is done or gone.
  private func converse(
    _ request: ValidationRequest, isAboutMemory: Bool = false, _ hear: (ValidationResponse) -> Void
  ) -> HelperExit {
    var command = command
    command.cachesSmallMemory = !isAboutMemory
    var situation = "before it was made"
    var crash: (signal: Int32, place: String)?
    func ended(_ end: ChildExit) -> HelperExit {
      // The child may have been ended by the alarm that bounds its last words.
      let words = crash.map { ChildExit.signalled($0.signal).words } ?? end.words
      let place = crash.map(\.place).flatMap { $0.isEmpty ? nil : " (in \($0))" } ?? ""
      return .ended("It \(words) \(situation)\(place).")
    }
    do throws(ChildProcess.SpawnError) {
      var child = try ChildProcess(command, memoryBytes: limits.memoryBytes)
      guard child.socket.send(request.record) else { return ended(child.end()) }
      while true {
        guard child.hasNews(within: limits.trialSeconds) else {
          return ended(.silent(seconds: limits.trialSeconds))
        }
        guard child.socket.receive() else { return ended(child.end()) }
        while let answer = next(&child.socket) {
          switch answer {
          case .done(let sentence): return .done(sentence)
          case .situation(let words): situation = words
          case .crash(let signal, let place): crash = (signal, place)
          case .begun, .result, .timing: hear(answer)
          }
        }
      }
    } catch {
      return ended(.notStarted(error.code))
    }
  }

  /// What cannot be read ends the conversation.
  private func next(_ socket: inout MessageSocket) -> ValidationResponse? {
    do throws(BinaryDecodingError) {
      return try socket.next { reader throws(BinaryDecodingError) in try ValidationResponse(&reader)
      }
    } catch {
      return .done("It disturbed the process that examined it.")
    }
  }
}

/// What a plugin is given before it is active: a sound file, or another property.
package struct InitialProperty: Sendable, Equatable {
  /// Its place in the plugin's `properties`.
  package var property: Int
  /// Of the property's type, and legal for it.
  package var value: PropertyValue

  /// A property and its value.
  package init(property: Int, value: PropertyValue) {
    self.property = property
    self.value = value
  }
}

/// Why a plugin could not be timed.
package struct BenchmarkError: Equatable {
  /// One sentence, without the plugin's name.
  package let sentence: String
  /// The sentence.
  package var description: String { sentence }
}

extension ChildCommand {
  /// This program, which must call `ValidationHelper.run` when it sees `ValidationHelper.argument`.
  package static var inspection: ChildCommand {
    ChildCommand(executable: ThisProgram.path, arguments: [ValidationHelper.argument])
  }
}

extension ChildLimits {
  /// What an examination is allowed: as a trial, for each thing that is done.
  package static var inspection: ChildLimits { ChildLimits() }
}

extension BenchmarkError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}
