// PluginValidationRun.swift: validation of many plugins. SPDX-License-Identifier: MIT

import Console
import Dispatch
import FoundationEssentials
import Glibc
import InstalledFormats
import PluginLoading
import PluginModel
import PluginValidation
import RigSchema
import Synchronization

/// Runs `outboard validate`.
struct PluginValidationRun {
  /// Whether plugins that are known to crash are tested again.
  let isForced: Bool
  /// Whether plugins get only the short test, which neither uses nor changes stored results.
  let isQuick: Bool
  let asJSON: Bool

  /// One plugin under test.
  private struct Task {
    let plugin: PluginDescription
    /// The values that its instances get before they are activated.
    var properties: [InitialProperty] = []
    /// Nil if the result is not stored.
    let record: ValidationRecord?
    var outcome: Outcome?

    enum Outcome {
      case refused(String)
      /// A stored result; the plugin was not run.
      case known(ValidationReport)
      case validated(ValidationReport)
    }
  }

  /// Tests plugins with their values, or all installed ones if none is named.
  ///
  /// Prints the results and returns whether all passed.
  func run(_ links: [ChainLink]?) throws -> Bool {
    let library = PluginLibrary()
    let plugins =
      try links.map { try $0.map { try PluginWithValues($0, library) } }
      ?? library.installed.map { PluginWithValues($0) }
    for note in plugins.flatMap(\.notes) { Terminal.error.writeLine("outboard: \(note)") }
    let tasks = plugins.map { begun in
      // Stored results are valid only without values.
      let record = isQuick || begun.isChanged ? nil : ValidationRecord(library, begun.plugin)
      return Task(
        plugin: begun.plugin, properties: begun.properties, record: record,
        outcome: settled(begun.plugin, record))
    }
    let isSingle = links.map { $0.count == 1 } ?? false
    let done = validate(tasks, isVerbose: isSingle, library)
    if asJSON { JSONOutput.print(done.map(report)) }
    if !asJSON, !isSingle { summarise(done) }
    return done.allSatisfy { isGood($0.outcome) }
  }

  /// Returns the result if it is known without running the plugin.
  private func settled(
    _ plugin: PluginDescription, _ record: ValidationRecord?
  ) -> Task.Outcome? {
    if let refusal = plugin.refusal { return .refused(refusal) }
    guard !isForced else { return nil }
    if let known = record?.known { return known.rating == .crashes ? .known(known) : nil }
    return record?.knownCrash.map { .known($0) }
  }

  // MARK: - Testing

  /// Tests the remaining plugins, one per processor at a time, and prints each result when it is ready.
  private func validate(_ tasks: [Task], isVerbose: Bool, _ library: PluginLibrary) -> [Task] {
    let box = ResultBox()
    let open = tasks.indices.filter { tasks[$0].outcome == nil }
    let plugins = tasks.map(\.plugin)
    let properties = tasks.map(\.properties)
    let tests = isQuick ? ValidationTest.quick : ValidationTest.allCases
    DispatchQueue.global().async {
      DispatchQueue.concurrentPerform(iterations: open.count) { position in
        let index = open[position]
        let report = PluginValidator().validate(
          plugins[index], tests, with: properties[index])
        box.put(report, index)
      }
    }
    var done = tasks
    for index in tasks.indices where tasks[index].outcome != nil {
      printResult(tasks[index], isVerbose)
    }
    for _ in open {
      let (index, report) = box.take()
      done[index].record?.store(report)
      done[index].outcome =
        report.refusal.map { .refused(library.replacingLibraryPath($0, of: plugins[index])) }
        ?? .validated(report)
      printResult(done[index], isVerbose)
    }
    return done
  }

  private func isGood(_ outcome: Task.Outcome?) -> Bool {
    switch outcome {
    case .known(let report), .validated(let report): report.rating == .safe
    case .refused, nil: false
    }
  }

  // MARK: - Telling

  private func printResult(_ task: Task, _ isVerbose: Bool) {
    guard !asJSON else { return }
    let lines: [String]
    switch task.outcome {
    case .validated(let report) where isVerbose, .known(let report) where isVerbose:
      lines = ValidationFormatter.table(report, of: task.plugin)
    case .validated(let report), .known(let report):
      lines = [ValidationFormatter.line(report, of: task.plugin)]
    case .refused(let refusal): lines = ["\(task.plugin.name): cannot be used: \(refusal)"]
    case nil: lines = []
    }
    for line in lines { Terminal.output.writeLine(line) }
    if case .known = task.outcome {
      Terminal.error.writeLine(
        "outboard: \(task.plugin.name) crashed before and its files have not changed. Skipped."
          + " Use --force to test it.")
    }
  }

  private func summarise(_ tasks: [Task]) {
    var counts: [String: Int] = [:]
    for task in tasks {
      switch task.outcome {
      case .known(let report), .validated(let report): counts[report.rating.word, default: 0] += 1
      case .refused, nil: counts[PluginRating.unusable.word, default: 0] += 1
      }
    }
    let words = PluginRating.allCases.map(\.word).compactMap { word in
      counts[word].map { "\($0) \(word)" }
    }
    Terminal.output.writeLine("\(tasks.count) plugins: \(words.joined(separator: ", "))")
  }

  private func report(_ task: Task) -> ValidationJSON {
    switch task.outcome {
    case .known(let report), .validated(let report): ValidationJSON(report, of: task.plugin)
    case .refused(let refusal): ValidationJSON(reason: refusal, of: task.plugin)
    case nil: ValidationJSON(reason: "Not tested.", of: task.plugin)
    }
  }
}

/// A queue of results from the test threads to the main thread.
private final class ResultBox: Sendable {
  private let reports = Mutex<[(index: Int, report: ValidationReport)]>([])
  private let available = DispatchSemaphore(value: 0)

  func put(_ report: ValidationReport, _ index: Int) {
    reports.withLock { $0.append((index, report)) }
    available.signal()
  }

  /// Waits for the next result. [main]
  func take() -> (index: Int, report: ValidationReport) {
    available.wait()
    return reports.withLock { $0.removeFirst() }
  }
}
