// MeasuredSide.swift: a plugin, chain or rig that is measured. SPDX-License-Identifier: MIT

import AudioFiles
import Console
import Manifests
import Metering
import OfflineDriver
import PluginLoading
import PluginModel
import PluginValidation
import RigPlanning
import Session

/// A measured plugin, chain or rig.
struct MeasuredSide {
  /// A value that a node was measured with.
  struct Setting: Encodable {
    let symbol: String
    let value: Float
    let unit: String?
    /// The name of the value, as in `Side chain` or `off`; nil for a number.
    let choice: String?

    /// The value with its unit, as in `3:1`, `20%` or `10 dB`, or its name.
    var text: String {
      if let choice { return choice.contains(" ") ? "\"\(choice)\"" : choice }
      let unit = unit ?? ""
      let isWord = unit.first?.isLetter ?? false
      return NumberFormat.short(Double(value)) + (isWord ? " " : "") + unit
    }
  }

  /// A node and its values.
  struct Node: Encodable {
    let name: String
    let plugin: String
    let values: [Setting]
  }

  /// The block lengths whose CPU time is measured, in frames.
  static let blockFrames = [64, 512]

  let name: String
  let settings: [Node]
  /// The CPU time of a block in ns by its length, of all nodes together; empty if it cannot be measured.
  let blockNanoseconds: [Int: Double]
  let declaredLatency: Int
  /// The first channel, and the second one if it differs.
  let channels: [PluginMeasurement]

  /// The name for headings: the end of a URI instead of all of it.
  var shortName: String {
    name.split(separator: " ").map { word in
      let isURI = word.contains("://") || word.hasPrefix("urn:")
      return String(isURI ? word.split { "/#:".contains($0) }.last ?? word : word)
    }.joined(separator: " ")
  }

  /// The first channel.
  var values: PluginMeasurement { channels[0] }
}

extension SideRendering {
  /// Renders the measurement signal in this process and measures the output.
  ///
  /// Calls `onProgress` with the rendered fraction, 0 to 1.
  ///
  /// - Throws: errors of the plugins.
  func measure(
    _ signal: MeasurementSignal, _ library: PluginLibrary, _ interruption: TerminationSignals,
    onProgress: (Double) -> Void
  ) throws -> MeasuredSide {
    onProgress(0)
    let (input, output) = (try signal.file(channelCount: 2), try UnnamedFile())
    var request = RenderRequest(output: "-")
    request.input = input.path
    request.standardOutput = output.descriptor
    request.format = .float
    request.tailSeconds = 0
    let session = try RenderSession(prepared, library, request)
    for note in session.notes { Terminal.error.writeLine("outboard: \(named(note))") }
    let report = try session.run { progress in
      onProgress(min(1, progress.seconds / max(1, progress.totalSeconds ?? .infinity)))
      return !interruption.isRaised
    }
    for note in RenderFormatter.notes(report) {
      Terminal.error.writeLine("outboard: \(named(note))")
    }
    let nodes = try prepared.plan(inputChannelCount: 2, outputChannelCount: nil).nodes
      .filter { $0.plugin.kind != .builtin }
    return MeasuredSide(
      name: name, settings: nodes.map(Self.settings), blockNanoseconds: Self.cost(of: nodes),
      declaredLatency: session.latencyFrames,
      channels: try PluginMeasurement.channels(of: output, signal))
  }

  /// The plugin with the values of its node as defaults.
  private static func plugin(_ node: RigPlan.PlannedNode) -> PluginDescription {
    var plugin = node.plugin
    for value in node.values { plugin.parameters[value.parameter].defaultValue = value.value }
    return plugin
  }

  private static func settings(_ node: RigPlan.PlannedNode) -> MeasuredSide.Node {
    MeasuredSide.Node(
      name: node.name, plugin: node.plugin.identifier,
      values: plugin(node).parameters.map { parameter in
        let value = parameter.defaultValue
        let isNamed =
          parameter.scale == .toggle || parameter.choices.contains { $0.value == value }
        return MeasuredSide.Setting(
          symbol: parameter.symbol, value: value, unit: parameter.unit,
          choice: isNamed ? parameter.written(value) : nil)
      })
  }

  /// Measures the CPU time of all nodes in helper processes; nothing if a node cannot be measured.
  private static func cost(of nodes: [RigPlan.PlannedNode]) -> [Int: Double] {
    var sums: [Int: Double] = [:]
    for node in nodes {
      guard
        let timings = try? PluginValidator().time(
          plugin(node), frameCounts: MeasuredSide.blockFrames)
      else { return [:] }
      for timing in timings {
        sums[timing.frameCount, default: 0] +=
          timing.medianNanoseconds * Double(node.instanceCount)
      }
    }
    return sums
  }
}
