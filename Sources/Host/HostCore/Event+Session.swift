// Event+Session.swift: converts reports of a session to events. SPDX-License-Identifier: MIT

import AudioDriver
package import Builtins
package import FileRecording
import Glibc
package import HostModel
import PluginModel
package import Session

extension Event.Started {
  /// The opened devices.
  init(_ session: LiveSession, notes: [String]) {
    let stream = session.stream
    self.init(
      sampleRateHz: stream.sampleRateHz, periodFrames: stream.periodFrames, linked: stream.isLinked,
      roundTripFrames: stream.roundTripFrames, pluginLatencyFrames: session.latencyFrames,
      devices: stream.inputs.map { .init($0, "capture") }
        + stream.outputs.map { .init($0, "playback") }, notes: notes)
  }
}

extension Event.StartedDevice {
  fileprivate init(_ stream: DeviceStream, _ direction: String) {
    self.init(
      device: stream.device, name: stream.name, direction: direction,
      channels: stream.channelCount, format: stream.format, sampleRateHz: stream.sampleRateHz,
      periodFrames: stream.periodFrames, bufferFrames: stream.bufferFrames,
      driftCorrected: stream.isFollowing)
  }
}

extension Event.Level {
  /// The levels of a time window, and the counts at its end.
  init(_ levels: LevelWindow, _ driver: DriverStatus) {
    func decibels(_ peak: Float) -> Double? { peak > 0 ? 20 * log10(Double(peak)) : nil }
    self.init(
      inputPeakDBFS: levels.inputs.map(decibels), outputPeakDBFS: levels.outputs.map(decibels),
      meanLoad: levels.meanLoad, worstLoad: levels.worstLoad, xruns: driver.xrunCount,
      lostSeconds: driver.lostSeconds, clippedSamples: driver.clippedSampleCount,
      drift: driver.devices.compactMap { device in
        device.driftPPM.map { .init(device: device.device, driftPPM: $0) }
      })
  }
}

extension Event.Device {
  /// The state of a device.
  init(_ status: DeviceStatus) {
    self.init(
      device: status.device, direction: status.isInput ? "capture" : "playback",
      state: status.state.rawValue, fallback: status.fallbackName,
      currentName: status.currentName, reason: status.reason)
  }
}

extension Event.Failure {
  /// A fault of plugin code, which ends the session or makes it restart.
  package init(_ fault: FatalFault, restarts: Bool = false) {
    self.init(
      kind: fault.kind.rawValue, node: fault.node, plugin: fault.plugin, location: fault.location,
      failure: restarts ? fault.what : fault.message, restarts: restarts ? true : nil)
  }
}

extension Event.Stopped {
  /// The end of a session.
  init(_ session: LiveSession) {
    let status = session.status
    self.init(
      xruns: status.xrunCount, lostSeconds: status.lostSeconds,
      clippedSamples: status.clippedSampleCount, failure: status.failure,
      recordings: session.recordings.map(RecordingResult.init))
  }
}

extension RecordingResult {
  /// The result of a recording.
  package init(_ report: RecordingReport) {
    self.init(
      file: report.path, seconds: report.seconds, frames: report.frameCount,
      channels: report.channelCount, sampleRateHz: report.sampleRateHz,
      lostFrames: report.lostFrameCount, clippedSamples: report.clippedSampleCount,
      failure: report.failure)
  }
}

extension AnalysisResult {
  /// The report of an analyser.
  package init(node: String, _ report: AnalyserReport) {
    self.init(
      node: node, peakDBFS: report.peakDecibels, rmsDBFS: report.rmsDecibels,
      bands: report.bands.map { .init(centreHz: $0.centreHz, decibels: $0.decibels) },
      strongestHz: report.strongestHz)
  }
}

extension FeedbackAction {
  /// An action of feedback suppression.
  package init(_ event: FeedbackEvent, sampleRateHz: Double) {
    let action =
      switch event.action {
      case .notched: "notched"
      case .ducked: "ducked"
      case .released: "released"
      case .ignored: "ignored"
      }
    self.init(
      seconds: Double(event.frame) / sampleRateHz, action: action,
      frequencyHz: event.frequencyHz > 0 ? Double(event.frequencyHz) : nil,
      levelDecibels: Double(event.levelDecibels), depthDecibels: Double(event.depthDecibels))
  }
}

extension ReportedProperty {
  /// The value of a plugin property.
  init(_ report: PropertyReport) {
    self.init(
      node: report.node, property: report.property.symbol, uri: report.property.uri,
      value: JSONValue(report.value))
  }
}

extension JSONValue {
  /// A number, a text, a Boolean, or a list of these.
  fileprivate init(_ value: PropertyValue) {
    switch value {
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .integer(Int(value))
    case .long(let value): self = .integer(Int(value))
    // Uses the shortest decimal that represents the value.
    case .float(let value): self = .number(Double("\(value)") ?? Double(value))
    case .double(let value): self = .number(value)
    case .string(let text), .path(let text), .uri(let text): self = .string(text)
    case .vector(let elements): self = .array(elements.map(JSONValue.init))
    }
  }
}
