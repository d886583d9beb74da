// OverloadAdvice.swift: what would prevent the dropouts of an overloaded graph. SPDX-License-Identifier: MIT

package import ErrorModel

/// The load of a graph that causes dropouts, the node that costs most, and what would be enough.
package struct OverloadAdvice: Codable, Sendable, Equatable {
  /// The mean load as a fraction of the period.
  package var mean: Double
  /// The maximum load as a fraction of the period.
  package var maximum: Double
  /// The period in frames.
  package var periodFrames: Int
  /// The node with the highest mean load.
  package var node: String
  /// The plugin.
  package var plugin: String
  /// The mean load as a fraction of the period.
  package var share: Double
  /// The shortest sufficient period, longer than the present one, in frames; nil if none is sufficient.
  package var enoughPeriodFrames: Int?
  /// The smallest number of render threads that is enough; nil if no larger number is.
  package var enoughThreads: Int?
  /// Whether bypassing the node is enough.
  package var isBypassEnough: Bool

  /// Creates the advice of its values.
  package init(
    mean: Double, maximum: Double, periodFrames: Int, node: String, plugin: String, share: Double,
    enoughPeriodFrames: Int?, enoughThreads: Int?, isBypassEnough: Bool
  ) {
    (self.mean, self.maximum, self.periodFrames) = (mean, maximum, periodFrames)
    (self.node, self.plugin, self.share) = (node, plugin, share)
    (self.enoughPeriodFrames, self.enoughThreads) = (enoughPeriodFrames, enoughThreads)
    self.isBypassEnough = isBypassEnough
  }

  /// The mean load below which the nodes alone are not blamed.
  private static let lowLoad = 0.25

  /// The load, the node and what to do.
  ///
  /// With a low mean load, other programs may be the cause, or a node that does most of its work in few blocks.
  package var notice: HostNotice {
    guard mean >= Self.lowLoad else {
      return HostNotice(
        "overload",
        "The nodes use {meanPercent} % of each period of {periodFrames} frames, but a block took {worstPercent} %. Other programs, the machine or a node with uneven cost delay the audio. {remedy}",
        "\(Self.percent(mean))", "\(periodFrames)", "\(Self.percent(maximum))", remedy)
    }
    return HostNotice(
      "overload",
      "The nodes use {meanPercent} % of each period of {periodFrames} frames, {worstPercent} % at worst. This causes dropouts. {node} ({plugin}) uses the most, {nodePercent} %. {remedy}",
      "\(Self.percent(mean))", "\(periodFrames)", "\(Self.percent(maximum))", node, plugin,
      "\(Self.percent(share))", remedy)
  }

  /// The end of the message: what to do.
  package var remedy: String {
    var remedies: [String] = []
    if let enoughPeriodFrames {
      remedies.append(
        "A period of \(enoughPeriodFrames) frames should be enough (--period \(enoughPeriodFrames))."
      )
    }
    if let enoughThreads {
      remedies.append("\(enoughThreads) threads should be enough (--threads \(enoughThreads)).")
    }
    if isBypassEnough, mean >= Self.lowLoad {
      remedies.append("Bypassing \(node) should be enough (outboard set \(node) bypass=on).")
    }
    if enoughPeriodFrames == nil, enoughThreads == nil {
      remedies.append(
        "Try --period \(2 * periodFrames), which helps only if the cost is per block, or remove nodes."
      )
    }
    return remedies.joined(separator: " ")
  }

  /// The node and what to do, for one line: `hall 70 % (--period 256)`.
  package var summary: String {
    let remedy =
      enoughPeriodFrames.map { "--period \($0)" } ?? enoughThreads.map { "--threads \($0)" }
      ?? (isBypassEnough ? "bypass it" : "remove it")
    return "\(node) \(Self.percent(share)) % (\(remedy))"
  }

  private static func percent(_ share: Double) -> Int { Int((share * 100).rounded()) }
}
