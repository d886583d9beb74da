// RunEnding.swift: the end of a session after a fault in plugin code. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import ErrorModel
import FileRecording
import FoundationEssentials
import Glibc
import HostCore
import HostModel
import ServiceManager
import Session

/// Reports a fault that ends a session, and closes its recordings.
final class RunEnding: @unchecked Sendable {
  // Unchecked: the main thread owns this. Another thread uses it once, while the main thread is blocked.

  var session: LiveSession?
  var view: (any SessionObserver)?
  var interfaces: HostInterfaces?
  var host: Host?
  /// Stores the record of the session; nil before it runs.
  var recorder: RunRecorder?
  /// Restarts the session; nil if it ends.
  var restart: SessionRestart?
  /// The exit status after the session ended and its recordings are closed; nil before.
  var status: Int32?
  private let isJSON: Bool
  private let isService: Bool

  init(isJSON: Bool, isService: Bool) {
    (self.isJSON, self.isService) = (isJSON, isService)
  }

  /// Returns the exit status; nil for that of the fault.
  ///
  /// The most important step is first, because memory and plugins can be in any state.
  func conclude(_ fault: FatalFault) -> Int32? {
    let restarts = status == nil && restart?.isPossible(after: fault) ?? false
    let message = "outboard: \(restarts ? fault.what + " The session restarts." : fault.message)"
    if Terminal.error.isInteractive { Terminal.error.write("\r\u{1b}[J") }
    Terminal.error.writeLine(isService ? JournalLine.text(message, .error) : message)
    FaultMonitor.shared?.markReported()
    // A plugin that calls `exit` ends the program as well.
    if let status { return fault.kind == .exited ? nil : status }
    interfaces?.reportFailure(fault, restarts: restarts)
    guard let session else { return nil }
    session.abandon(because: fault)
    if restarts, let restart {
      conclude(fault, session, restart)
      return nil
    }
    view?.sessionWillStop()
    let notices = session.takeNotices()
    host?.publishFailure(fault)
    host?.publishEnd(notices: notices)
    view?.finish(session, notices, asJSON: isJSON)
    recorder?.end(.fault, reason: fault.what, of: session)
    host?.port.close()
    interfaces?.stop()
    return nil
  }

  /// Replaces the process image; returns only if that fails.
  private func conclude(
    _ fault: FatalFault, _ session: LiveSession, _ restart: SessionRestart
  ) {
    let notices = session.takeNotices()
    view?.warn(notices.map(\.description))
    host?.publishFailure(fault, restarts: true)
    host?.publishNotices(notices)
    host?.port.close()
    interfaces?.stop()
    fault.remember()
    recorder?.end(.restarted, reason: fault.what, of: session)
    restart.perform()
    Terminal.error.writeLine("outboard: The session cannot restart. Start it again.")
  }
}

/// A recording or a level log that lacks something.
struct RecordingLoss {
  let description: String

  /// Nil if all recordings and logs are complete.
  init?(_ reports: [RecordingReport], _ logs: [String]) {
    let lossy = reports.filter {
      $0.failure != nil || $0.isLost || $0.lostFrameCount > 0 || !$0.isFinished
    }
    let lists = [("recording", lossy.map(\.path)), ("level log", logs)].filter { !$1.isEmpty }
    guard !lists.isEmpty else { return nil }
    let files = lists.map { "The \($0) in \($1.joined(separator: ", ")) is incomplete." }
    description = files.joined(separator: " ") + " See the messages above."
  }
}

extension RecordingLoss: HostError {
  /// An incomplete recording is a failure, not a wrong request.
  var kind: ErrorKind { .failure }
}
