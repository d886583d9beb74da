// SceneMorph.swift: timed recall of scenes. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import PluginModel
import RigPlanning
import RigSchema

/// The active morphs; the latest one wins if two change the same value.
struct SceneMorph {
  /// A parameter that changes over time.
  struct ParameterMorph {
    var node: String
    var plugin: PluginDescription
    var parameter: Int
    var from: Float
    var to: Float
    var clock: Clock

    /// The current value. [main]
    func value(at seconds: Double) -> Float {
      let done = clock.done(at: seconds)
      let description = plugin.parameters[parameter]
      guard done < 1 else { return to }
      guard description.moves else { return done < 0.5 ? from : to }
      if description.scale == .logarithmic, from > 0, to > 0 {
        return description.onGrid(from * powerOf(to / from, done))
      }
      return description.onGrid(from + (to - from) * Float(done))
    }

    private func powerOf(_ ratio: Float, _ exponent: Double) -> Float {
      Float(pow(Double(ratio), exponent))
    }
  }

  /// A bypass or wet level that changes over time.
  struct BypassMorph {
    var node: String
    var fromWet: Float
    var toWet: Float
    var toBypass: Bool
    var clock: Clock

    /// The current wet level. [main]
    func wet(at seconds: Double) -> Float {
      let done = clock.done(at: seconds)
      guard done < 1 else { return toWet }
      let wetLevel = Double(fromWet) + (Double(toWet) - Double(fromWet)) * done
      return Float((wetLevel * 10_000).rounded() / 10_000)
    }
  }

  /// A connection gain that changes over time.
  struct GainMorph {
    /// The value at the start of the morph.
    var connection: RigConnection
    var toDecibels: Float
    var clock: Clock

    /// The current gain: linear in decibels, or linear in level if an end is silence. [main]
    func decibels(at seconds: Double) -> Float {
      let (done, from) = (clock.done(at: seconds), connection.gainDecibels)
      guard done < 1 else { return toDecibels }
      if from.isFinite, toDecibels.isFinite {
        return Self.onGrid(Double(from) + (Double(toDecibels) - Double(from)) * done)
      }
      let (start, end) = (pow(10, Double(from) / 20), pow(10, Double(toDecibels) / 20))
      return Self.onGrid(20 * log10(start + (end - start) * done))
    }

    /// Rounded to 0.01 dB; silence is below the smallest legal gain.
    private static func onGrid(_ decibels: Double) -> Float {
      decibels < -200 ? -.infinity : Float((decibels * 100).rounded() / 100)
    }
  }

  /// The start time in seconds of system uptime, and the duration.
  struct Clock {
    var start: Double
    var seconds: Double

    /// The progress from 0 to 1. [main]
    func done(at now: Double) -> Double {
      seconds > 0 ? min(1, max(0, (now - start) / seconds)) : 1
    }
  }

  var parameterMorphs: [ParameterMorph] = []
  var bypassMorphs: [BypassMorph] = []
  var gainMorphs: [GainMorph] = []

  /// Whether no morph is active.
  var isEmpty: Bool { parameterMorphs.isEmpty && bypassMorphs.isEmpty && gainMorphs.isEmpty }

  /// Ends the morph of a value that the user changes. [main]
  mutating func drop(_ parameters: [Int], of node: String) {
    parameterMorphs.removeAll { $0.node == node && parameters.contains($0.parameter) }
  }
}
