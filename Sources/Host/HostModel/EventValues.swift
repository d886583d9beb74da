// EventValues.swift: values that events and summaries share. SPDX-License-Identifier: MIT

/// The report of an analyser.
package struct AnalysisResult: Sendable, Equatable, Codable {
  /// The name of the analyser node.
  package var node: String
  /// The peak of each channel.
  package var peakDBFS: [Double]
  /// The mean level of each channel.
  package var rmsDBFS: [Double]
  /// The levels of the bands.
  package var bands: [AnalysisBand]
  /// The strongest tone, if there is one.
  package var strongestHz: Double?

  /// Creates a result.
  package init(
    node: String, peakDBFS: [Double], rmsDBFS: [Double], bands: [AnalysisBand],
    strongestHz: Double? = nil
  ) {
    self.node = node
    self.peakDBFS = peakDBFS
    self.rmsDBFS = rmsDBFS
    self.bands = bands
    self.strongestHz = strongestHz
  }
}

/// A band of a spectrum.
package struct AnalysisBand: Sendable, Equatable, Codable {
  /// The centre frequency in Hz.
  package var centreHz: Double
  /// The level in dBFS.
  package var decibels: Double

  /// Creates a band.
  package init(centreHz: Double, decibels: Double) {
    self.centreHz = centreHz
    self.decibels = decibels
  }
}

/// An action of feedback suppression.
package struct FeedbackAction: Sendable, Equatable, Codable {
  /// The time in seconds, by the count of frames.
  package var seconds: Double
  /// `notched`, `ducked`, `released` or `ignored`.
  package var action: String
  /// The frequency of the tone; nil if the whole output was turned down.
  package var frequencyHz: Double?
  /// The captured level when it was noticed, in dBFS.
  package var levelDecibels: Double
  /// The attenuation in dB, at that frequency or (`ducked`) of the whole output.
  package var depthDecibels: Double

  /// Creates an action.
  package init(
    seconds: Double, action: String, frequencyHz: Double? = nil, levelDecibels: Double,
    depthDecibels: Double
  ) {
    self.seconds = seconds
    self.action = action
    self.frequencyHz = frequencyHz
    self.levelDecibels = levelDecibels
    self.depthDecibels = depthDecibels
  }
}

/// The result of a recording.
package struct RecordingResult: Sendable, Equatable, Codable {
  /// The path.
  package var file: String
  /// The length in seconds.
  package var seconds: Double
  /// The length in frames.
  package var frames: Int
  /// The number of channels.
  package var channels: Int
  /// The sample rate in Hz.
  package var sampleRateHz: Int
  /// The number of lost frames: silent ones in the file, and those after its end.
  package var lostFrames: Int
  /// The number of clipped samples.
  package var clippedSamples: Int
  /// The message why it ended before the audio did.
  package var failure: String?

  /// Creates a result.
  package init(
    file: String, seconds: Double, frames: Int, channels: Int, sampleRateHz: Int,
    lostFrames: Int, clippedSamples: Int, failure: String? = nil
  ) {
    self.file = file
    self.seconds = seconds
    self.frames = frames
    self.channels = channels
    self.sampleRateHz = sampleRateHz
    self.lostFrames = lostFrames
    self.clippedSamples = clippedSamples
    self.failure = failure
  }
}

/// A property of a node with its value.
package struct ReportedProperty: Sendable, Equatable, Codable {
  /// The name of the node.
  package var node: String
  /// The property's symbol.
  package var property: String
  /// The property's URI.
  package var uri: String
  /// A number, a text, true or false, or a list of them.
  package var value: JSONValue

  /// Creates a property value.
  package init(node: String, property: String, uri: String, value: JSONValue) {
    self.node = node
    self.property = property
    self.uri = uri
    self.value = value
  }
}
