// Analyser.swift: measures levels and the spectrum of its inputs. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
package import PluginModel
import RealtimeKit
import Synchronization

/// The measured values of an analyser since its last report.
///
/// A sample that was not finite shows as an infinite peak, mean level and bands.
package struct AnalyserReport: Sendable, Equatable {
  /// A part of the spectrum.
  package struct Band: Sendable, Equatable {
    /// The middle of the band.
    package var centreHz: Double
    /// The level; 0 dBFS is a sine of full scale.
    package var decibels: Double
  }

  /// The greatest sample of each channel, in dBFS; minus infinity for silence.
  package var peakDecibels: [Double]
  /// The mean level of each channel, in dBFS; 0 is a sine of full scale (AES17).
  package var rmsDecibels: [Double]
  /// Octave bands of the channels' mean, 31.5 Hz to 16 kHz, limited by the rate.
  package var bands: [Band]
  /// The strongest single frequency; nil for silence.
  package var strongestHz: Double?
}

/// Measures levels and the spectrum of its inputs.
package final class Analyser: ParameterlessNode {
  /// The longest interval between reports without a gap in the spectrum, in seconds.
  private static let reportIntervalSeconds = 2.0

  package let audioInputCount: Int
  package let audioOutputCount = 0
  package let latencyFrames = 0
  package let canRunInPlace = false
  private let sampleRateHz: Double
  private let state: UnsafeMutablePointer<AnalyserState>
  /// The newest frames, as many as the spectrum takes.
  private var window: [Float] = []

  init(channelCount: Int, _ configuration: NodeConfiguration) {
    audioInputCount = channelCount
    sampleRateHz = configuration.sampleRateHz
    state = .allocate(capacity: 1)
    let peaks = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: channelCount)
    let energies = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: channelCount)
    for channel in 0 ..< channelCount {
      (peaks + channel).initialize(to: Atomic(0))
      (energies + channel).initialize(to: Atomic(0))
    }
    state.initialize(
      to: AnalyserState(
        channelCount: channelCount, channelWeight: 1 / Float(channelCount), peaks: peaks,
        energies: energies,
        signal: SampleRing(
          minimumCapacity: Int(configuration.sampleRateHz * Self.reportIntervalSeconds))))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// The analyser, for its reports. [main]
  package var capabilities: NodeCapabilities {
    var capabilities = NodeCapabilities()
    capabilities[Analyser.self] = self
    return capabilities
  }

  static func describe(channelCount: Int) -> PluginDescription {
    var plugin = PluginDescription(
      kind: .builtin, identifier: Builtin.analyser.rawValue, name: "Analyser", format: .builtin)
    plugin.category = "Analyser"
    plugin.summary = "Measures levels and the spectrum; has no outputs."
    plugin.audioInputs = (1 ... channelCount).map { AudioPort(symbol: "in_\($0)", name: "\($0)") }
    return plugin
  }

  package var step: NodeStep {
    NodeStep(function: analyserStep, context: UnsafeMutableRawPointer(state))
  }

  package func reset() {
    _ = takeReport()
    window = []
  }

  /// Returns the measured values since the last report. [main]
  package func takeReport() -> AnalyserReport {
    var peaks: [Double] = []
    var levels: [Double] = []
    for channel in 0 ..< audioInputCount {
      let peak = Float(bitPattern: state.pointee.peaks[channel].exchange(0, ordering: .relaxed))
      let energy = Energy(
        bits: state.pointee.energies[channel].exchange(0, ordering: .relaxed))
      peaks.append(20 * log10(Double(peak)))
      // The mean square of a sine is half of its squared peak: the factor makes a full-scale sine 0
      // dB.
      levels.append(10 * log10(2 * energy.mean))
    }
    window = (window + state.pointee.signal.read(atMost: .max))
      .suffix(Spectrum.frameCount)
    let spectrum = Spectrum(of: window, sampleRateHz: sampleRateHz)
    return AnalyserReport(
      peakDecibels: peaks, rmsDecibels: levels, bands: spectrum.octaveBands,
      strongestHz: spectrum.strongestHz)
  }
}
