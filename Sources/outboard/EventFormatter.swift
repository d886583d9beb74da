// EventFormatter.swift: events as lines. SPDX-License-Identifier: MIT

import Console
import HostModel

/// Formats events as text: one line per event, starting with the seconds since the start.
enum EventFormatter {
  /// An event as lines.
  static func lines(_ message: EventMessage) -> [String] {
    let time = NumberFormat.right(NumberFormat.fixed(message.seconds, places: 3), 10)
    return texts(message.event).map { "\(time)  \($0)" }
  }

  private static func texts(_ event: Event) -> [String] {
    switch event {
    case .started(let started):
      let devices = started.devices.map { "\($0.direction) \($0.device)" }
      return ["started  \(hertz(started.sampleRateHz))  \(devices.joined(separator: "  "))"]
    case .changed(let changed):
      let who = changed.client.map { "client \($0)" } ?? changed.source.rawValue
      return changed.changes.map { "\(changed.revision)  \(who)  \(text($0))" }
    case .level(let level):
      let load = NumberFormat.fixed(level.meanLoad * 100, places: 1)
      return [
        "level  in \(peaks(level.inputPeakDBFS))  out \(peaks(level.outputPeakDBFS))  load \(load) %"
      ]
    case .levels(let levels):
      return ["levels  in \(peaks(levels.inputPeakDBFS))  out \(peaks(levels.outputPeakDBFS))"]
    case .analysis(let payload):
      return ["analysis  \(payload.analysis.node)  \(peaks(payload.analysis.peakDBFS))"]
    case .meter(let payload):
      return ["meter  \(payload.meter.name)  \(peaks(payload.meter.channels.map(\.peak)))"]
    case .xrun(let xrun):
      return ["xrun \(xrun.xruns)  \(NumberFormat.fixed(xrun.lostSeconds, places: 3)) s lost"]
    case .device(let device):
      let reason = device.reason.map { "  \($0)" } ?? ""
      return ["\(device.direction) \(device.device) is \(device.state)\(reason)"]
    case .rate(let rate): return ["rate  \(hertz(rate.sampleRateHz))"]
    case .notice(let notice), .midi(let notice): return [notice.notice]
    case .property(let payload):
      return [
        "\(payload.property.node).\(payload.property.property) = \(payload.property.value.line)"
      ]
    case .feedback(let payload):
      let tone = payload.feedback.frequencyHz.map { " at \(hertz($0))" } ?? ""
      return ["feedback\(tone): \(payload.feedback.action)"]
    case .refused(let refused): return [refused.notice]
    case .failure(let failure): return [failure.failure]
    case .stopped(let stopped): return [stopped.failure.map { "stopped  \($0)" } ?? "stopped"]
    }
  }

  private static func text(_ change: StateChange) -> String {
    func number(_ value: Float) -> String { NumberFormat.short(Double(value)) }
    switch change {
    case .parameter(let node, let symbol, let value): return "\(node).\(symbol) = \(number(value))"
    case .property(let node, let uri, let value): return "\(node).\(uri) = \(value)"
    case .bypass(let node, let isOn): return "\(node).bypass = \(isOn ? "on" : "off")"
    case .wet(let node, let level): return "\(node).wet = \(number(level * 100)) %"
    case .fault(let node, let isFaulty):
      return "\(node) is \(isFaulty ? "bypassed, as it is faulty" : "active again")"
    case .gain(let connection, let decibels):
      return "\(connection).gain = \(decibels.map { "\(number($0)) dB" } ?? "off")"
    case .scenes(let scenes):
      let current = scenes.first(where: \.current)?.name
      return "scene = \(current ?? "none") of \(scenes.map(\.name).joined(separator: ", "))"
    case .maps(let maps): return "MIDI mappings = \(maps.joined(separator: ", "))"
    case .transport(let transport): return TransportText.line(transport)
    case .rig(let state):
      return "rig = \(state.rig): \(state.nodes.map(\.name).joined(separator: ", "))"
    }
  }

  private static func peaks(_ values: [Double?]) -> String {
    values.map { $0.map { NumberFormat.decibels($0) } ?? "-inf" }.joined(separator: " ")
  }

  private static func hertz(_ value: Double) -> String { "\(NumberFormat.short(value)) Hz" }
}
