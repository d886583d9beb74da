// RunCommand+Course.swift: a run from its start to its end. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioDriver
import Control
import FoundationEssentials
import Glibc
import HostCore
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
    _ host: Host, _ view: any SessionObserver, _ stopper: TerminationSignals, seconds: Double?
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
      view.show(report)
      if let sentence = report.driver.failure {
        return DeviceFailure(
          description: sentence, isOfStream: report.driver.isStreamFailure)
      }
      if report.driver.hasEnded { return nil }
    }
    return nil
  }

  /// The socket of the session; without it the session runs all the same.
  func openControl(_ host: Host, _ view: any SessionObserver) -> ControlServer? {
    do {
      let wish = SocketDirectory.name(for: name ?? host.session.rigName)
      return try ControlServer(named: wish, port: host.port)
    } catch {
      view.warn(["\(error)"])
      return nil
    }
  }
}
