// ServiceView.swift: status messages for a service manager and the journal. SPDX-License-Identifier: MIT

import AudioDriver
import Console
import Dispatch
import ErrorModel
import FoundationEssentials
import Glibc
import ServiceManager
import Session

/// The view of a session without a terminal: lines with priorities on standard error, and messages to the service
/// manager.
final class ServiceView: SessionObserver {
  private let session: LiveSession
  private let manager: NotifySocket?
  private var watch: ServiceStatusReporter
  private let started = DispatchTime.now().uptimeNanoseconds
  private var highestInput: Float = 0
  private var highestOutput: Float = 0
  private var worstLoad = 0.0

  /// Creates the view; nil if no service manager listens.
  init(_ session: LiveSession, _ manager: NotifySocket?) {
    self.session = session
    self.manager = manager
    watch = ServiceStatusReporter(watchdog: Watchdog())
  }

  func warn(_ messages: [String]) {
    for message in messages { write(message, .warning) }
  }

  func sessionStarted(warnings: [String], isFinite: Bool) {
    for warning in warnings { write(warning, .warning) }
    for line in StreamFormatter(session).lines {
      write(String(line.drop { $0 == " " }), .information)
    }
  }

  func announce(_ lines: [String]) {
    for line in lines { write(line, .information) }
  }

  func show(_ report: LiveSession.Report) {
    highestInput = max(highestInput, report.inputPeaks.max() ?? 0)
    highestOutput = max(highestOutput, report.outputPeaks.max() ?? 0)
    worstLoad = max(worstLoad, report.worstLoad)
    let (messages, lines) = watch.take(
      reading(report), nanoseconds: DispatchTime.now().uptimeNanoseconds)
    for line in lines { write(line.text, line.priority) }
    for notice in report.midiNotices { write("\(notice)", .information) }
    for refusal in report.refusals { write(refusal.text, .warning) }
    for notice in report.notices { write("\(notice)", notice.isWarning ? .warning : .notice) }
    for feedbackEvent in report.feedbackEvents {
      if let text = FeedbackFormatter(feedbackEvent).line { write(text, .warning) }
    }
    for message in messages { manager?.send(message) }
    // Levels since the last status message.
    guard messages.contains(where: { $0 != .watchdog }) else { return }
    (highestInput, highestOutput, worstLoad) = (0, 0, 0)
  }

  func sessionWillStop() { manager?.send(.stopping) }

  func finish(_ session: LiveSession, _ notices: [HostNotice], asJSON: Bool) {
    for notice in notices { write("\(notice)", .information) }
    let nanoseconds = DispatchTime.now().uptimeNanoseconds - started
    let duration = NumberFormat.duration(Double(nanoseconds) / 1e9)
    write("Stopped after \(duration); \(losses(session.status)).", .information)
    for line in session.realTimeWatch.map({ RealTimeFormatter($0).lines }) ?? [] {
      write(line, .information)
    }
  }

  // MARK: - Words

  private func write(_ text: String, _ priority: JournalPriority) {
    Terminal.error.writeLine(JournalLine.text(text, priority))
  }

  private func reading(_ report: LiveSession.Report) -> ServiceStatusReporter.Reading {
    var reading = ServiceStatusReporter.Reading()
    reading.frameCount = session.renderedFrameCount
    reading.status = status(report)
    reading.xrunCount = report.driver.xrunCount
    reading.lostSeconds = report.driver.lostSeconds
    for device in report.driver.devices {
      if device.state != .running {
        reading.faults[device.device] =
          device.reason ?? "The device \(device.device) is \(device.state.rawValue)."
      } else if let fallback = device.fallbackName {
        reading.faults[device.device] = "Using fallback device \(fallback) for \(device.device)."
      }
    }
    return reading
  }

  /// Returns the status, e.g.
  ///
  /// `in -12.3 dB, out -3.2 dB, load 4.1 %, no xruns; hw:USB is missing`.
  private func status(_ report: LiveSession.Report) -> String {
    var parts: [String] = []
    if !report.inputPeaks.isEmpty { parts.append("in \(decibels(highestInput))") }
    if !report.outputPeaks.isEmpty { parts.append("out \(decibels(highestOutput))") }
    parts.append("load at most \(NumberFormat.percent(worstLoad))")
    parts.append(losses(report.driver))
    if report.driver.clippedSampleCount > 0 {
      parts.append("\(report.driver.clippedSampleCount) samples clipped")
    }
    let devices = report.driver.devices.compactMap(state)
    return ([parts.joined(separator: ", ")] + devices).joined(separator: "; ")
  }

  private func state(_ device: DeviceStatus) -> String? {
    guard device.state == .running else { return "\(device.device) is \(device.state.rawValue)" }
    return device.driftPPM.map { "\(device.device) \(NumberFormat.fixed($0, places: 1)) ppm" }
  }

  private func losses(_ status: DriverStatus) -> String {
    guard status.xrunCount > 0 else { return "no xruns" }
    let lost = NumberFormat.fixed(status.lostSeconds * 1_000, places: 1)
    return "\(status.xrunCount) \(status.xrunCount == 1 ? "xrun" : "xruns"), \(lost) ms lost"
  }

  private func decibels(_ peak: Float) -> String {
    "\(NumberFormat.decibels(linear: Double(peak))) dB"
  }
}
