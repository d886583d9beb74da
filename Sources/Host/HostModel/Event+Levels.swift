// Event+Levels.swift: what an event says of the sound. SPDX-License-Identifier: MIT

extension Event {
  /// Levels and load since the last time.
  package struct Level: Sendable, Equatable, Codable {
    /// The sample peak of each input; nil for silence.
    package var inputPeakDBFS: [Double?]
    /// The sample peak of each output; nil for silence.
    package var outputPeakDBFS: [Double?]
    /// The share of the period that rendering took.
    package var meanLoad: Double
    /// The same of the longest block.
    package var worstLoad: Double
    /// Since the start.
    package var xruns: Int
    /// Since the start.
    package var lostSeconds: Double
    /// Since the start.
    package var clippedSamples: Int
    /// Of the devices that are resampled, if it is known.
    package var drift: [Drift]

    /// All of its values.
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

  /// How far the clock of a device is from the primary device's.
  package struct Drift: Sendable, Equatable, Codable {
    package var device: String
    package var driftPPM: Double

    /// All of its values.
    package init(device: String, driftPPM: Double) {
      self.device = device
      self.driftPPM = driftPPM
    }
  }

  /// What an analyser measured.
  package struct Analysis: Sendable, Equatable, Codable {
    package var analysis: AnalysisResult

    /// All of its values.
    package init(analysis: AnalysisResult) {
      self.analysis = analysis
    }
  }

  /// What a meter shows.
  package struct Meter: Sendable, Equatable, Codable {
    package var meter: MeterValues

    /// All of its values.
    package init(meter: MeterValues) {
      self.meter = meter
    }
  }

  /// What feedback suppression did.
  package struct Feedback: Sendable, Equatable, Codable {
    package var feedback: FeedbackAction

    /// All of its values.
    package init(feedback: FeedbackAction) {
      self.feedback = feedback
    }
  }
}
