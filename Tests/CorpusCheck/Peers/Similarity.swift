// Similarity.swift: the similarity of two renderings. SPDX-License-Identifier: MIT

import Foundation

/// The result of a comparison with another host, from the best to the worst.
enum Similarity: String, CaseIterable, Comparable {
  /// Every sample is the same number.
  case equal
  /// No sample is further away than a millionth of the peak, which is -120 dB.
  case close
  /// They are equal or close if the peer gets the values that Outboard starts with.
  case equalWhenSet = "equal when set"
  /// The plugin has a different output in each run.
  case wavers
  /// They differ.
  case different
  /// No peer renders it.
  case alone
  /// Outboard does not render it.
  case failed

  /// A smaller value is better.
  static func < (one: Similarity, other: Similarity) -> Bool {
    allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
  }

  /// Whether the difference is inaudible.
  var isSame: Bool { self <= .close }
}

/// Two renderings of the same input, compared.
struct Difference: Equatable {
  let sharedConfiguration: Similarity
  /// The position of the first difference and the size of the largest, as text; empty if there is
  /// none.
  let words: String

  /// Compares channels that a host wrote with those of a peer, which leaves the `latency` at the beginning
  /// that the host took away, in frames.
  init(_ ours: [[Float]], _ theirs: [[Float]], latency: Int) {
    guard ours.count == theirs.count else {
      self.init(.different, "\(ours.count) channels against \(theirs.count)")
      return
    }
    let lengths = zip(ours, theirs).map { min($0.count, $1.count - latency) }
    guard let length = lengths.min(), length > 0 else {
      self.init(.different, "nothing to compare")
      return
    }
    let peak = theirs.joined().lazy.map(\.magnitude).filter(\.isFinite).max() ?? 0
    var (largest, first): (Float, (channel: Int, frame: Int)?) = (0, nil)
    for (channel, (our, their)) in zip(ours, theirs).enumerated() {
      for frame in 0 ..< length {
        let (one, other) = (our[frame], their[frame + latency])
        // Zeroes of either sign are equal, and so are two NaNs.
        guard one != other, !(one.isNaN && other.isNaN) else { continue }
        let distance = (one - other).magnitude
        largest = distance.isFinite ? max(largest, distance) : .infinity
        if first.map({ frame < $0.frame }) ?? true { first = (channel, frame) }
      }
    }
    guard let first else {
      self.init(.equal, "")
      return
    }
    // A difference by flushed denormals does not count.
    let isClose = largest <= max(peak * 1e-6, .leastNormalMagnitude)
    let ratio =
      peak > 0 && largest.isFinite ? 20 * log10(Double(largest) / Double(peak)) : .infinity
    let size = ratio.isFinite ? "\(Int(ratio.rounded())) dB of the peak" : "without measure"
    self.init(
      isClose ? .close : .different,
      "\(size), first at frame \(first.frame) of channel \(first.channel + 1)")
  }

  private init(_ sharedConfiguration: Similarity, _ words: String) {
    self.sharedConfiguration = sharedConfiguration
    self.words = words
  }
}
