// Event+Levels.swift: events about audio levels. SPDX-License-Identifier: MIT

extension Event {
  /// Levels and load since the last time.
  package struct Level: Sendable, Equatable, Codable {
    /// The sample peak of each input; nil for silence.
    package var inputPeakDBFS: [Double?]
    /// The sample peak of each output; nil for silence.
    package var outputPeakDBFS: [Double?]
    /// The share of the period that rendering took.
    package var meanLoad: Double
    /// The load of the longest block, as a fraction.
    package var worstLoad: Double
    /// Since the start.
    package var xruns: Int
    /// Since the start.
    package var lostSeconds: Double
    /// Since the start.
    package var clippedSamples: Int
    /// The clock differences of resampled devices, if they are known.
    package var drift: [Drift]

    /// Creates an event.
    package init(
      inputPeakDBFS: [Double?], outputPeakDBFS: [Double?], meanLoad: Double, worstLoad: Double,
      xruns: Int, lostSeconds: Double, clippedSamples: Int, drift: [Drift]
    ) {
      self.inputPeakDBFS = inputPeakDBFS
      self.outputPeakDBFS = outputPeakDBFS
      self.meanLoad = meanLoad
      self.worstLoad = worstLoad
      self.xruns = xruns
      self.lostSeconds = lostSeconds
      self.clippedSamples = clippedSamples
      self.drift = drift
    }
  }

  /// The difference between the clocks of a device and of the primary device.
  package struct Drift: Sendable, Equatable, Codable {
    /// The name of the device.
    package var device: String
    /// The difference in parts per million; positive if the device is faster.
    package var driftPPM: Double

    /// Creates a difference.
    package init(device: String, driftPPM: Double) {
      self.device = device
      self.driftPPM = driftPPM
    }
  }

  /// The report of an analyser.
  package struct Analysis: Sendable, Equatable, Codable {
    /// The report.
    package var analysis: AnalysisResult

    /// Creates an event.
    package init(analysis: AnalysisResult) {
      self.analysis = analysis
    }
  }

  /// The reading of a meter.
  package struct Meter: Sendable, Equatable, Codable {
    /// The values.
    package var meter: MeterValues

    /// Creates an event.
    package init(meter: MeterValues) {
      self.meter = meter
    }
  }

  /// An action of feedback suppression.
  package struct Feedback: Sendable, Equatable, Codable {
    /// The action.
    package var feedback: FeedbackAction

    /// Creates an event.
    package init(feedback: FeedbackAction) {
      self.feedback = feedback
    }
  }
}

extension Event {
  /// Levels since the last event of this kind, several times a second.
  package struct Levels: Sendable, Equatable, Codable {
    /// A node.
    package struct Node: Sendable, Equatable, Codable {
      /// The name in the rig.
      package var name: String
      /// The highest sample of its outputs; nil for silence.
      package var peakDBFS: Double?
      /// The readouts, in their units.
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
