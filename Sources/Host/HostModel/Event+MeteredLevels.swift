// Event+MeteredLevels.swift: the event for displays of levels. SPDX-License-Identifier: MIT

extension Event {
  /// Levels since the last event of this kind, several times a second.
  package struct Levels: Sendable, Equatable, Codable {
    /// A node.
    package struct Node: Sendable, Equatable, Codable {
      /// Its name in the rig.
      package var name: String
      /// The highest sample of its outputs; nil for silence.
      package var peakDBFS: Double?
      /// Its readouts, in their units.
      package var readouts: [Readout]

      /// A node by its values.
      package init(name: String, peakDBFS: Double?, readouts: [Readout]) {
        (self.name, self.peakDBFS, self.readouts) = (name, peakDBFS, readouts)
      }
    }

    /// A readout of a node.
    package struct Readout: Sendable, Equatable, Codable {
      /// The symbol.
      package var symbol: String
      /// The value in the unit of the readout; nil if it is not a number.
      package var value: Float?

      /// A readout by its values.
      package init(symbol: String, value: Float?) { (self.symbol, self.value) = (symbol, value) }
    }

    /// The number that `acknowledge` repeats.
    package var sequence: Int
    /// The sample peak of each input; nil for silence.
    package var inputPeakDBFS: [Double?]
    /// The sample peak of each output; nil for silence.
    package var outputPeakDBFS: [Double?]
    /// The nodes in the order of the rig.
    package var nodes: [Node]
    /// The share of the period that rendering takes, as a fraction.
    package var load: Double
    /// Since the start.
    package var xruns: Int

    /// Creates an event.
    package init(
      sequence: Int, inputPeakDBFS: [Double?], outputPeakDBFS: [Double?], nodes: [Node],
      load: Double, xruns: Int
    ) {
      (self.sequence, self.nodes, self.load, self.xruns) = (sequence, nodes, load, xruns)
      (self.inputPeakDBFS, self.outputPeakDBFS) = (inputPeakDBFS, outputPeakDBFS)
    }
  }
}
