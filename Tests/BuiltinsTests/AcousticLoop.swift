// AcousticLoop.swift: a simulated loudspeaker and microphone, for tests. SPDX-License-Identifier: MIT

import Builtins
import CRealtime
import Foundation
import PluginModel

/// A path through the air: a delay, a direct signal, and the resonances of a room.
struct AcousticLoop {
  /// A resonance: its centre frequency, its Q, and its gain relative to the strongest.
  struct Resonance {
    var hertz: Double
    var q: Double
    var share: Double
  }

  var sampleRateHz = 48_000.0
  /// The whole delay of the loop, in seconds.
  var delaySeconds = 0.01
  /// The loop's greatest gain over all frequencies, in dB.
  var gainDecibels = 3.0
  /// The gain of the direct signal, linear, relative to the strongest resonance.
  var direct = 0.2
  var resonances = [Resonance(hertz: 1_240, q: 12, share: 1)]

  /// The result of a run.
  struct Outcome {
    /// The input of the microphone, and the output.
    var captured: [Float] = []
    var played: [Float] = []
    var reports: [FeedbackEvent] = []
  }

  /// Plays `programme` into the microphone and the processed signal through the loudspeaker, for
  /// the length of the programme.
  ///
  /// Converters clip at full scale on both sides. Without a guard the output of the graph is not
  /// processed.
  func run(_ programme: [Float], guarded: Bool = true) -> Outcome {
    run(
      programme,
      on: guarded
        ? FeedbackSuppressor(
          captureCount: 1, outputCount: 1,
          NodeConfiguration(sampleRateHz: sampleRateHz, maximumFrameCount: 64)) : nil)
  }

  /// The same for a suppressor that has processed other audio before; nil for none.
  func run(_ programme: [Float], on node: FeedbackSuppressor?) -> Outcome {
    let delay = max(1, Int(delaySeconds * sampleRateHz))
    let block = min(64, delay)
    var filters = resonances.map { Filter($0, sampleRateHz) }
    let scale = Float(pow(10, gainDecibels / 20) / greatest(filters))
    var outcome = Outcome()
    outcome.captured.reserveCapacity(programme.count)
    outcome.played.reserveCapacity(programme.count)
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 3 * block)
    let rows = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 3)
    defer {
      memory.deallocate()
      rows.deallocate()
    }
    for row in 0 ..< 3 { (rows + row).initialize(to: memory + row * block) }
    var frame = 0
    while frame < programme.count {
      let count = min(block, programme.count - frame)
      for index in 0 ..< count {
        let past = frame + index - delay
        let played = past >= 0 ? outcome.played[past] : 0
        var air = Float(direct) * played
        for filter in filters.indices { air += filters[filter].next(played) }
        let heard = max(-1, min(1, programme[frame + index] + air * scale))
        rows[0][index] = heard
        rows[1][index] = heard
        outcome.captured.append(heard)
      }
      if let node {
        crealtime_enter()
        node.step.function(node.step.context, rows, UInt32(count))
        crealtime_exit()
      } else {
        rows[2].update(from: rows[0], count: count)
      }
      for index in 0 ..< count { outcome.played.append(max(-1, min(1, rows[2][index]))) }
      outcome.reports += node?.takeReports() ?? []
      frame += count
    }
    return outcome
  }

  /// The greatest gain of the path through the air, before it is scaled.
  private func greatest(_ filters: [Filter]) -> Double {
    var best = direct
    for step in 0 ..< 4_000 {
      let angle = Double.pi * Double(step) / 4_000
      var (real, imaginary) = (direct, 0.0)
      for filter in filters {
        let response = filter.response(angle)
        real += response.0
        imaginary += response.1
      }
      best = max(best, (real * real + imaginary * imaginary).squareRoot())
    }
    return best
  }
}

/// A band-pass of the Audio EQ Cookbook, with the given gain in its centre.
private struct Filter {
  let b0: Double
  let a1: Double
  let a2: Double
  private var x1 = 0.0
  private var x2 = 0.0
  private var y1 = 0.0
  private var y2 = 0.0

  init(_ resonance: AcousticLoop.Resonance, _ rate: Double) {
    let angle = 2 * Double.pi * resonance.hertz / rate
    let alpha = sin(angle) / 2 / resonance.q
    b0 = resonance.share * alpha / (1 + alpha)
    a1 = -2 * cos(angle) / (1 + alpha)
    a2 = (1 - alpha) / (1 + alpha)
  }

  mutating func next(_ sample: Float) -> Float {
    let x = Double(sample)
    let y = b0 * (x - x2) - a1 * y1 - a2 * y2
    (x2, x1, y2, y1) = (x1, x, y1, y)
    return Float(y)
  }

  func response(_ angle: Double) -> (Double, Double) {
    let (c1, s1, c2, s2) = (cos(angle), -sin(angle), cos(2 * angle), -sin(2 * angle))
    let (nr, ni) = (b0 * (1 - c2), -b0 * s2)
    let (dr, di) = (1 + a1 * c1 + a2 * c2, a1 * s1 + a2 * s2)
    let size = dr * dr + di * di
    return ((nr * dr + ni * di) / size, (ni * dr - nr * di) / size)
  }
}
