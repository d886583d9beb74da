// RunCommand+Course.swift: the main loop of a session. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioDriver
import FoundationEssentials
import Glibc
import Session

extension RunCommand {
  /// The time between reports, and between steps of a scene morph.
  private static let reportSeconds = 0.1
  private static let morphSeconds = 0.01

  /// Throws if a recording is incomplete.
  func judgeRecordings(_ session: LiveSession) throws {
    guard let loss = RecordingLoss(session.recordings) else { return }
    throw json ? ExitCode(Failure.Status.failure.rawValue) : loss
  }

  /// Throws if there were real-time violations.
  func judgeRealTime(_ session: LiveSession) throws {
    guard let watch = session.realTimeWatch, watch.totals.offenceCount > 0 else { return }
    throw json
      ? ExitCode(Failure.Status.failure.rawValue) : RealTimeFailure(totals: watch.totals)
  }

  /// Runs until the time is over, the user stops the session, or the device fails.
  func attend(
    _ session: LiveSession, _ editing: RigSwitcher, _ view: any SessionObserver,
    _ listener: JSONEventView?,
    _ stopper: TerminationSignals, _ control: SessionControl?, seconds: Double?
  ) throws -> DeviceFailure? {
    let end = seconds.map { Date().addingTimeInterval($0) } ?? .distantFuture
    while Date() < end, !stopper.isRaised {
      let due = min(end, Date().addingTimeInterval(Self.reportSeconds))
      repeat {
        let wait = max(0, due.timeIntervalSinceNow)
        stopper.wait(seconds: session.isMorphing ? min(Self.morphSeconds, wait) : wait)
        control?.answer()
        session.morphOn()
      } while session.isMorphing && Date() < due && !stopper.isRaised
      FaultMonitor.shared?.concludeIfFaulty()
      if stopper.takeReload() { editing.reload() }
      // While a node hangs, changes would be reported as active but not be audible.
      if FaultMonitor.shared?.stall == nil { editing.attend() }
      let report = try session.report()
      view.show(report)
      listener?.show(report)
      if let sentence = report.driver.failure {
        return DeviceFailure(
          description: sentence, isOfStream: report.driver.isStreamFailure)
      }
      if report.driver.hasEnded { return nil }
    }
    return nil
  }

  /// Opens the control socket; without it the session still runs.
  func openControl(
    _ session: LiveSession, _ editing: RigSwitcher, _ stopper: TerminationSignals,
    _ view: any SessionObserver
  ) -> SessionControl? {
    do {
      return try SessionControl(session, editing, named: name ?? session.rigName) { stopper.wake() }
    } catch {
      view.warn(["\(error)"])
      return nil
    }
  }
}
