// RenderBatch.swift: many files, rendered side by side. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Foundation

/// Renders each file of a plan in a process of its own, as many at once as there are processors.
///
/// A process starts within hundredths of a second, and a plugin that crashes with one file, or that may
/// exist only once, leaves the others alone.
struct RenderBatch {
  private let jobs: [RenderPlan.Job]
  private let isJSON: Bool
  private var waiting: [Int]
  private var running: [Int: RenderChild] = [:]
  private var ends: [Int: RenderChild.End] = [:]
  private var line = LiveLine(.error)
  private let started = Date()

  /// Nothing is begun; `isJSON` where the results are for a program, and come at the end.
  init(_ plan: RenderPlan, isJSON: Bool) {
    jobs = plan.jobs
    self.isJSON = isJSON
    waiting = Array(plan.jobs.indices.reversed())
  }

  /// Renders all of them, should one fail or not, up to `limit` at once, and tells what came of each. [main]
  ///
  /// - Throws: `ExitCode`, once everything is told, where one failed or the end was asked for.
  mutating func run(atOnce limit: Int, _ interruption: Interruption) throws {
    defer { line.clear() }
    while !running.isEmpty || (!waiting.isEmpty && !interruption.isRaised) {
      while running.count < limit, !interruption.isRaised, let index = waiting.popLast() {
        running[index] = RenderChild(index) { interruption.wake() }
      }
      if interruption.isRaised {
        for child in running.values { child.stop() }
        usleep(10_000)
      } else {
        interruption.wait(seconds: 1)
      }
      for (index, child) in running.sorted(by: { $0.key < $1.key }) {
        guard let end = child.end else { continue }
        running[index] = nil
        ends[index] = end
        tell(end, of: jobs[index])
      }
      if !isJSON {
        line.show([
          RenderText.bar(Double(ends.count) / Double(jobs.count))
            + "   \(ends.count) of \(jobs.count) files"
        ])
      }
    }
    line.clear()
    summarise(isEnded: interruption.isRaised)
    try StandardStreams.checkOutput()
    // What all that failed agree on, or else that work failed.
    var statuses = Set(ends.values.map(\.status)).subtracting([0])
    if interruption.isRaised { statuses.insert(Failure.Status.workFailed.rawValue) }
    guard let status = statuses.first else { return }
    throw ExitCode(statuses.count == 1 ? status : Failure.Status.workFailed.rawValue)
  }

  private mutating func tell(_ end: RenderChild.End, of job: RenderPlan.Job) {
    line.clear()
    let name = job.input ?? job.output
    for note in end.notes {
      Terminal.error.writeLine("outboard: \(Self.named(note, name))")
    }
    // A program finds it among the results.
    guard !isJSON else { return }
    switch end.outcome {
    case .done(let result): Terminal.output.writeLine(result.line)
    case .failed(let sentence):
      Terminal.error.writeLine("outboard: \(Self.named(sentence, name))")
    }
  }

  /// A sentence, led by the file that it is about unless it names it.
  private static func named(_ sentence: String, _ name: String) -> String {
    sentence.contains(name) ? sentence : "\(name): \(sentence)"
  }

  private func summarise(isEnded: Bool) {
    let done = jobs.indices.compactMap { index -> RenderResult? in
      guard case .done(let result) = ends[index]?.outcome else { return nil }
      return result
    }
    let elapsed = Date().timeIntervalSince(started)
    guard !isJSON else {
      let files = jobs.indices.compactMap { index in
        ends[index].map { FileReport(end: $0, input: jobs[index].input) }
      }
      JSONOutput.print(Report(files: files, elapsedSeconds: elapsed))
      return
    }
    let seconds = done.map(\.seconds).reduce(0, +)
    let count = done.count == jobs.count ? "\(done.count)" : "\(done.count) of \(jobs.count)"
    let sentence =
      "\(count) files, \(Figures.duration(seconds)), in \(Figures.duration(elapsed)),"
      + " \(Figures.fixed(seconds / max(elapsed, 1e-9), places: 0)) x real time"
    (done.count == jobs.count ? Terminal.output : .error).writeLine(
      isEnded ? "outboard: Ended early: \(sentence)." : sentence)
  }

  // MARK: - For programs

  private struct Report: Encodable {
    /// In the order of the inputs; those that were not begun are left out.
    let files: [FileReport]
    let elapsedSeconds: Double
  }

  /// A result as of one rendering, or why there is none.
  private struct FileReport: Encodable {
    let end: RenderChild.End
    let input: String?

    private enum Key: CodingKey {
      case input, error
    }

    func encode(to encoder: any Encoder) throws {
      switch end.outcome {
      case .done(let result): try result.encode(to: encoder)
      case .failed(let message):
        var values = encoder.container(keyedBy: Key.self)
        try values.encodeIfPresent(input, forKey: .input)
        try values.encode(
          ErrorReport.Facts(message: message, status: Int(end.status)), forKey: .error)
      }
    }
  }
}
