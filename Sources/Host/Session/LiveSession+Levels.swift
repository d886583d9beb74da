// LiveSession+Levels.swift: levels for displays, several times a second. SPDX-License-Identifier: MIT

import RealtimeKit
import RenderGraph
import RigPlanning

/// Peaks since the last reading, and readouts.
package struct LevelReading: Sendable {
  /// A node.
  package struct Node: Sendable {
    /// Its name in the rig.
    package var name: String
    /// The highest sample of its outputs, linear.
    package var peak: Float
    /// The readouts of its first instance; nil if it has none.
    package var readouts: NodeReadouts?
  }

  /// The peak of each input, linear.
  package var inputPeaks: [Float]
  /// The peak of each output, linear.
  package var outputPeaks: [Float]
  /// The nodes, in the order of the rig.
  package var nodes: [Node]
}

extension LiveSession {
  /// Returns levels since the last call. [main]
  ///
  /// The peaks count for the next report, too. The audio thread does nothing more for this than for meters and `top`.
  package func takeLevels() -> LevelReading {
    let (inputs, outputs) = takePeaks()
    heldPeaks.inputs = Self.higher(heldPeaks.inputs, inputs)
    heldPeaks.outputs = Self.higher(heldPeaks.outputs, outputs)
    let peaks = loads.takePeaks()
    let all = readouts
    let nodes = zip(graph.members, peaks).map { member, peak in
      LevelReading.Node(
        name: member.name, peak: peak,
        readouts: all.first { $0.node == member.name || $0.node == "\(member.name)/1" })
    }
    return LevelReading(inputPeaks: inputs, outputPeaks: outputs, nodes: nodes)
  }

  /// Returns the peaks since the last call with those that were taken for displays, and forgets them. [main]
  func takeReportPeaks() -> (inputs: [Float], outputs: [Float]) {
    let (inputs, outputs) = takePeaks()
    defer { heldPeaks = ([], []) }
    return (
      Self.higher(heldPeaks.inputs, inputs), Self.higher(heldPeaks.outputs, outputs)
    )
  }

  private func takePeaks() -> (inputs: [Float], outputs: [Float]) {
    let engine = graph.engine
    return (
      (0 ..< engine.settings.inputChannelCount).map { engine.pointer.pointee.inputMeter.take($0) },
      (0 ..< engine.settings.outputChannelCount).map { engine.pointer.pointee.outputMeter.take($0) }
    )
  }

  /// Returns the higher of two peaks for each channel.
  private static func higher(_ one: [Float], _ other: [Float]) -> [Float] {
    one.count == other.count ? zip(one, other).map { max($0, $1) } : other
  }
}
