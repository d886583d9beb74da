// RenderBatch.swift: parallel rendering of many files. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc

/// Renders the files of a plan in as many processes as there are processors.
///
/// A process renders files one after another with new nodes for each. Plugins are loaded and the catalogue is read
/// only once. If a plugin crashes, only its file fails and a new process replaces the old one.
struct RenderBatch {
  /// The result of one file.
  struct End: Sendable {
    enum Outcome: Sendable {
      case done(RenderResult)
      /// The reason for a missing output.
      case failed(String)
    }

    let outcome: Outcome
    /// The exit status.
    let status: Int32
    /// Other messages of the process.
    let notes: [String]
    /// Messages about the rig.
    ///
    /// They are printed once for all files.
    var rigNotes: [String] = []
  }

  private let jobs: [RenderJobs.Job]
  private let isJSON: Bool
  private var ends: [Int: End] = [:]
  private var reportedRigNotes: Set<String> = []
  private var line = StatusLine(.error)
  private let started = Date()

  /// Creates a batch that is not started.
  ///
  /// If `isJSON` is true, results are printed as JSON at the end.
  init(_ plan: RenderJobs, isJSON: Bool) {
    jobs = plan.jobs
    self.isJSON = isJSON
  }

  /// Renders all files in up to `limit` processes, even if one fails, and prints each result. [main]
  ///
  /// - Parameters:
  ///   - limit: the maximum number of processes.
  ///   - arguments: the arguments of a worker.
  ///   - interruption: requests the end.
  /// - Throws: `ExitCode` after all messages, if a file failed or the end was requested.
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
      for (index, end) in pool.takeEnds() { record(end, index) }
    }
    for (index, end) in pool.takeEnds() { record(end, index) }
    try finish(interruption)
  }

  /// Renders all files in this process with `render`. [main]
  mutating func run(
    _ interruption: TerminationSignals, here render: (RenderJobs.Job) -> End
  ) throws {
    defer { line.clear() }
    for (index, job) in jobs.enumerated() where !interruption.isRaised {
      record(render(job), index)
    }
    try finish(interruption)
  }

  private mutating func record(_ end: End, _ index: Int) {
    ends[index] = end
    report(end, of: jobs[index])
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
    // Use the exit status that all files share, otherwise 1: 2 means that nothing was done.
    var statuses = Set(ends.values.map(\.status))
    if interruption.isRaised { statuses.insert(Failure.Status.failure.rawValue) }
    guard statuses.count > 1 || statuses.first ?? 0 != 0 else { return }
    throw ExitCode(statuses.count == 1 ? statuses.removeFirst() : Failure.Status.failure.rawValue)
  }

  private mutating func report(_ end: End, of job: RenderJobs.Job) {
    line.clear()
    let name = job.input ?? job.output
    for note in end.rigNotes where reportedRigNotes.insert(note).inserted {
      Terminal.error.writeLine("outboard: \(note)")
    }
    for note in end.notes {
      Terminal.error.writeLine("outboard: \(Self.named(note, name))")
    }
    // Programs find the message in the JSON result.
    guard !isJSON else { return }
    switch end.outcome {
    // A table at the end shows the loudness.
    case .done(let result) where result.normalisation != nil: break
    case .done(let result): Terminal.output.writeLine(result.line)
    case .failed(let message):
      Terminal.error.writeLine("outboard: \(Self.named(message, name))")
    }
  }

  /// Adds the file name to a message that does not contain it.
  private static func named(_ message: String, _ name: String) -> String {
    message.contains(name) ? message : "\(name): \(message)"
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
    for text in NormalisationTable.lines(done, jobs) { Terminal.output.writeLine(text) }
    let seconds = done.map(\.seconds).reduce(0, +)
    let count = done.count == jobs.count ? "\(done.count)" : "\(done.count) of \(jobs.count)"
    let message =
      "\(count) files, \(NumberFormat.duration(seconds)) in \(NumberFormat.duration(elapsed)),"
      + " \(NumberFormat.fixed(seconds / max(elapsed, 1e-9), places: 0)) x real time"
    (done.count == jobs.count ? Terminal.output : .error).writeLine(
      isEnded ? "outboard: Interrupted: \(message)." : message)
  }

  // MARK: - For programs

  private struct Report: Encodable {
    /// In the order of the inputs, without those that were not started.
    let files: [FileReport]
    let elapsedSeconds: Double
  }

  /// The result of one rendering, or the reason why there is none.
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
  /// The normal end of a rendered or failed file.
  init(_ reply: RenderReply, notes: [String]) {
    self.init(
      outcome: reply.result.map { .done($0) }
        ?? .failed(reply.error?.message ?? "Not rendered."),
      status: reply.result.map { $0.normalisation?.isReached == false ? 1 : 0 }
        ?? Int32(reply.error?.status ?? 1), notes: notes,
      rigNotes: reply.rigNotes)
  }
}
