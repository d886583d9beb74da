// RenderBatch.swift: many files, rendered side by side. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc

/// Renders each file of a plan, in as many processes at once as there are processors.
///
/// A process renders one file after another with nodes made for each, so that a plugin is loaded and the
/// catalogue is read once. Where a plugin crashes, that file alone is lost: another process takes its place.
struct RenderBatch {
  /// How the rendering of a file ended.
  struct End: Sendable {
    enum Outcome: Sendable {
      case done(RenderResult)
      /// Why there is no output, in one sentence.
      case failed(String)
    }

    let outcome: Outcome
    /// An exit status.
    let status: Int32
    /// What was said besides, a line each.
    let notes: [String]
    /// What there is to say of the rig, whatever the file; told once for all files.
    var rigNotes: [String] = []
  }

  private let jobs: [RenderJobs.Job]
  private let isJSON: Bool
  private var ends: [Int: End] = [:]
  private var toldRigNotes: Set<String> = []
  private var line = StatusLine(.error)
  private let started = Date()

  /// Nothing is begun; `isJSON` where the results are for a program, and come at the end.
  init(_ plan: RenderJobs, isJSON: Bool) {
    jobs = plan.jobs
    self.isJSON = isJSON
  }

  /// Renders all of them, should one fail or not, in up to `limit` processes, and tells what came of each. [main]
  ///
  /// - Parameters:
  ///   - limit: the largest number of processes.
  ///   - arguments: those of a worker.
  ///   - interruption: asks for the end.
  /// - Throws: `ExitCode`, once everything is told, where one failed or the end was asked for.
  mutating func run(
    atOnce limit: Int, _ arguments: [String], _ interruption: TerminationSignals
  ) throws {
    defer { line.clear() }
    let pool = RenderPool(jobs, arguments) { interruption.wake() }
    pool.start(min(limit, jobs.count))
    while !pool.isOver {
      if interruption.isRaised {
        pool.stop()
        usleep(10_000)
      } else {
        interruption.wait(seconds: 1)
      }
      for (index, end) in pool.takeEnds() { note(end, index) }
    }
    for (index, end) in pool.takeEnds() { note(end, index) }
    try finish(interruption)
  }

  /// The same in this process, by a function that renders one. [main]
  mutating func run(
    _ interruption: TerminationSignals, here render: (RenderJobs.Job) -> End
  ) throws {
    defer { line.clear() }
    for (index, job) in jobs.enumerated() where !interruption.isRaised { note(render(job), index) }
    try finish(interruption)
  }

  private mutating func note(_ end: End, _ index: Int) {
    ends[index] = end
    tell(end, of: jobs[index])
    guard !isJSON else { return }
    line.show([
      RenderFormatter.bar(Double(ends.count) / Double(jobs.count))
        + "   \(ends.count) of \(jobs.count) files"
    ])
  }

  private mutating func finish(_ interruption: TerminationSignals) throws {
    line.clear()
    summarise(isEnded: interruption.isRaised)
    try StandardStreams.checkOutput()
    // What all that failed agree on, or else that work failed.
    var statuses = Set(ends.values.map(\.status)).subtracting([0])
    if interruption.isRaised { statuses.insert(Failure.Status.failure.rawValue) }
    guard let status = statuses.first else { return }
    throw ExitCode(statuses.count == 1 ? status : Failure.Status.failure.rawValue)
  }

  private mutating func tell(_ end: End, of job: RenderJobs.Job) {
    line.clear()
    let name = job.input ?? job.output
    for note in end.rigNotes where toldRigNotes.insert(note).inserted {
      Terminal.error.writeLine("outboard: \(note)")
    }
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
      "\(count) files, \(NumberFormat.duration(seconds)) in \(NumberFormat.duration(elapsed)),"
      + " \(NumberFormat.fixed(seconds / max(elapsed, 1e-9), places: 0)) x real time"
    (done.count == jobs.count ? Terminal.output : .error).writeLine(
      isEnded ? "outboard: Interrupted: \(sentence)." : sentence)
  }

  // MARK: - For programs

  private struct Report: Encodable {
    /// In the order of the inputs; those that were not begun are left out.
    let files: [FileReport]
    let elapsedSeconds: Double
  }

  /// A result as of one rendering, or why there is none.
  private struct FileReport: Encodable {
    let end: End
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

extension RenderBatch.End {
  /// The end of a file that was rendered, or failed, in good order.
  init(_ reply: RenderReply, notes: [String]) {
    self.init(
      outcome: reply.result.map { .done($0) }
        ?? .failed(reply.error?.message ?? "Not rendered."),
      status: reply.result == nil ? Int32(reply.error?.status ?? 1) : 0, notes: notes,
      rigNotes: reply.rigNotes)
  }
}
