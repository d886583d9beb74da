// RenderChild.swift: one file of many, rendered by a process of its own. SPDX-License-Identifier: MIT

import Catalogue
import Foundation
import Synchronization

/// This program once more, with the same arguments, for one of its inputs.
final class RenderChild: @unchecked Sendable {
  // Sendable because `process` is started before the thread that waits for it, which asks it for nothing
  // that the main thread changes, and `state` is guarded.

  /// How it ended.
  struct End: Sendable {
    enum Outcome: Sendable {
      case done(RenderResult)
      /// Why there is no output, in one sentence.
      case failed(String)
    }

    let outcome: Outcome
    /// An exit status.
    let status: Int32
    /// What it said besides, a line each.
    let notes: [String]
  }

  private let process = Process()
  private let state = Mutex<End?>(nil)
  private let isStopped = Atomic(false)

  /// Starts it; `onEnd` is called on another thread once `end` is there. [main]
  init(_ index: Int, onEnd: @escaping @Sendable () -> Void) {
    let (answer, messages) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments =
      Array(CommandLine.arguments.dropFirst()) + ["--only", "\(index)"]
      + (CommandLine.arguments.contains("--json") ? [] : ["--json"])
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = answer
    process.standardError = messages
    do {
      try process.run()
    } catch {
      let sentence = "No process could be started for it: \(error.localizedDescription)."
      state.withLock { $0 = End(outcome: .failed(sentence), status: 1, notes: []) }
      onEnd()
      return
    }
    Thread.detachNewThread { [self] in
      wait(answer.fileHandleForReading, messages.fileHandleForReading)
      onEnd()
    }
  }

  /// How it ended; nil while it renders. [main]
  var end: End? { state.withLock { $0 } }

  /// Asks for its end, which leaves no file. [main]
  func stop() {
    guard end == nil, !isStopped.exchange(true, ordering: .relaxed) else { return }
    process.terminate()
  }

  private func wait(_ answer: FileHandle, _ messages: FileHandle) {
    // Both are read at once, as a pipe that nobody reads fills up.
    let notes = Mutex(Data())
    let reading = DispatchGroup()
    DispatchQueue.global().async(group: reading) {
      let data = messages.readDataToEndOfFile()
      notes.withLock { $0 = data }
    }
    let data = answer.readDataToEndOfFile()
    reading.wait()
    process.waitUntilExit()
    let lines = String(decoding: notes.withLock { $0 }, as: UTF8.self).split(separator: "\n")
    let end = End(
      outcome: outcome(data),
      status: process.terminationReason == .exit ? process.terminationStatus : 1,
      notes: lines.map { String($0.hasPrefix("outboard: ") ? $0.dropFirst(10) : $0) })
    state.withLock { $0 = end }
  }

  private func outcome(_ answer: Data) -> End.Outcome {
    guard process.terminationReason == .exit else {
      // Before it had begun.
      if isStopped.load(ordering: .relaxed) {
        return .failed("The rendering was stopped at 0 s; no file was written.")
      }
      return .failed(
        "The process that rendered it \(ChildEnd.signalled(process.terminationStatus).words).")
    }
    if process.terminationStatus == 0, let result = JSONOutput.read(RenderResult.self, answer) {
      return .done(result)
    }
    if let report = JSONOutput.read(ErrorReport.self, answer) {
      return .failed(report.error.message)
    }
    return .failed("The process that rendered it ended with status \(process.terminationStatus).")
  }
}
