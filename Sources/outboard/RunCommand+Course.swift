// RunCommand+Course.swift: a run from its start to its end. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioDriver
import FoundationEssentials
import Glibc
import Session

extension RunCommand {
  /// How often what happens is looked at, and how often values on their way to a scene move on.
  private static let reportSeconds = 0.1
  private static let morphSeconds = 0.01

  /// Fails where a recording lacks something.
  func judgeRecordings(_ session: LiveSession) throws {
    guard let loss = RecordingLoss(session.recordings) else { return }
    throw json ? ExitCode(Failure.Status.failure.rawValue) : loss
  }

  /// Fails where the audio thread was seen to do what it must not.
  func judgeRealTime(_ session: LiveSession) throws {
    guard let watch = session.realTimeWatch, watch.totals.offenceCount > 0 else { return }
    throw json
      ? ExitCode(Failure.Status.failure.rawValue) : RealTimeFailure(totals: watch.totals)
  }

  /// Watches until the time is up, the user asks for the end, or the device is gone.
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
      // What is new would not be heard, though it were said so.
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

  /// What others reach the run by; without it the run goes on all the same.
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
