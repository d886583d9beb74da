// SceneMorph.swift: values on their way to a scene. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import PluginModel
import Rig

/// What is under way of the scenes that were gone over to, the last one first where two concern the same.
struct SceneMorph {
  /// A parameter on its way.
  struct ParameterMorph {
    var node: String
    var plugin: PluginDescription
    var parameter: Int
    var from: Float
    var to: Float
    var clock: Clock

    /// Where it is. [main]
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

  /// What goes past a node, on its way.
  struct BypassMorph {
    var node: String
    var fromWet: Float
    var toWet: Float
    var toBypass: Bool
    var clock: Clock

    /// How much is the node's own. [main]
    func wet(at seconds: Double) -> Float {
      let done = clock.done(at: seconds)
      guard done < 1 else { return toWet }
      let share = Double(fromWet) + (Double(toWet) - Double(fromWet)) * done
      return Float((share * 10_000).rounded() / 10_000)
    }
  }

  /// The gain of a connection, on its way.
  struct GainMorph {
    /// As it was when the way began.
    var connection: RigConnection
    var toDecibels: Float
    var clock: Clock

    /// Where it is, by equal steps in decibels, or of the level where an end is silence. [main]
    func decibels(at seconds: Double) -> Float {
      let (done, from) = (clock.done(at: seconds), connection.gainDecibels)
      guard done < 1 else { return toDecibels }
      if from.isFinite, toDecibels.isFinite {
        return Self.onGrid(Double(from) + (Double(toDecibels) - Double(from)) * done)
      }
      let (start, end) = (pow(10, Double(from) / 20), pow(10, Double(toDecibels) / 20))
      return Self.onGrid(20 * log10(start + (end - start) * done))
    }

    /// In steps of a hundredth of a decibel; silence is what no connection can be set to.
    private static func onGrid(_ decibels: Double) -> Float {
      decibels < -200 ? -.infinity : Float((decibels * 100).rounded() / 100)
    }
  }

  /// When a way began, in seconds of the system's uptime, and how long it takes.
  struct Clock {
    var start: Double
    var seconds: Double

    /// 0 at its beginning, 1 at its end. [main]
    func done(at now: Double) -> Double {
      seconds > 0 ? min(1, max(0, (now - start) / seconds)) : 1
    }
  }

  var ways: [ParameterMorph] = []
  var pastWays: [BypassMorph] = []
  var gainWays: [GainMorph] = []

  /// Whether nothing is under way.
  var isEmpty: Bool { ways.isEmpty && pastWays.isEmpty && gainWays.isEmpty }

  /// Leaves alone what somebody sets by hand. [main]
  mutating func drop(_ parameters: [Int], of node: String) {
    ways.removeAll { $0.node == node && parameters.contains($0.parameter) }
  }
}
