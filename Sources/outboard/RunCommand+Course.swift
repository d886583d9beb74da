// RunCommand+Course.swift: the main loop of a session. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioDriver
import FoundationEssentials
import Glibc
import HostCore
import Session

extension RunCommand {
  /// The time between reports, and between steps of a scene morph.
  private static let reportSeconds = 0.1
  private static let morphSeconds = 0.01

  /// Throws if a recording or a level log is incomplete.
  func judgeRecordings(_ session: LiveSession) throws {
    guard let loss = RecordingLoss(session.recordings, session.incompleteLogs) else { return }
    throw json ? ExitCode(Failure.Status.failure.rawValue) : loss
  }

  /// Throws if there were real-time violations.
  func checkRealTimeSafety(_ session: LiveSession) throws {
    guard let watch = session.realTimeWatch, watch.totals.violationCount > 0 else { return }
    throw json
      ? ExitCode(Failure.Status.failure.rawValue) : RealTimeFailure(totals: watch.totals)
  }

  /// Runs until the time is over, the user stops the session, or the device fails.
  func supervise(
    _ host: Host, _ view: any SessionObserver, _ stopper: TerminationSignals,
    _ restart: SessionRestart?, _ recorder: RunRecorder?, seconds: Double?
  ) throws -> DeviceFailure? {
    let end = seconds.map { Date().addingTimeInterval($0) } ?? .distantFuture
    while Date() < end, !stopper.isRaised {
      let due = min(end, Date().addingTimeInterval(Self.reportSeconds))
      var hasValues = false
      repeat {
        let wait = host.pause(atMost: max(0, due.timeIntervalSinceNow))
        stopper.wait(seconds: host.session.isMorphing ? min(Self.morphSeconds, wait) : wait)
        hasValues = host.serve()
      } while (hasValues || host.isBusy) && Date() < due && !stopper.isRaised
      FaultMonitor.shared?.concludeIfFaulty()
      if stopper.takeReload() { host.reload() }
      let report = try host.report()
      restart?.follow(host)
      recorder?.follow(report, of: host.session)
      view.show(report)
      if let message = report.driver.failure {
        return DeviceFailure(
          description: message, isOfStream: report.driver.isStreamFailure)
      }
      if report.driver.hasEnded { return nil }
    }
    return nil
  }
}
