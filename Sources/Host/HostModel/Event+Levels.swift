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
