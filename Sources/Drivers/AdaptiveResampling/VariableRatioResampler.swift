// VariableRatioResampler.swift: libsamplerate with an exact position. SPDX-License-Identifier: MIT

import CSampleRate

/// One resampler of interleaved frames whose ratio may change between calls, without a click.
///
/// libsamplerate because it is C that neither allocates nor locks once made, takes and gives any
/// number of frames, changes its ratio at any moment, and lets its position in the input be known
/// to a fraction of a frame, which is what makes the fill of the buffer a smooth number.
package struct VariableRatioResampler: ~Copyable {
  /// Channels of each frame.
  package let channelCount: Int
  /// Input frames that must be given beyond the position of an output frame before it is made.
  package let lookAheadFrames: Int
  /// Input frames given, less the position of the next output frame.
  private(set) var pendingFrames = 0.0
  /// Output rate over input rate.
  var ratio: Double
  private let state: OpaquePointer

  /// Creates a resampler of `channelCount` channels; `lowestRatio` is the lowest that will be set.
  /// [main]
  package init(
    channelCount: Int, ratio: Double, lowestRatio: Double, quality: ResamplerQuality
  ) throws(AdaptiveResamplingError) {
    let type = quality == .best ? SRC_SINC_BEST_QUALITY : SRC_SINC_MEDIUM_QUALITY
    var status: Int32 = 0
    guard let state = src_new(Int32(type), Int32(channelCount), &status) else {
      throw .refused(reason: src_strerror(status).map { String(cString: $0) } ?? "error \(status)")
    }
    self.channelCount = channelCount
    self.ratio = ratio
    self.state = state
    lookAheadFrames = Self.measureLookAhead(state, channelCount: channelCount, ratio: lowestRatio)
    csamplerate_reset(state)
  }

  deinit {
    src_delete(state)
  }

  /// How many output frames the input given so far and `inputFrames` more are good for. [render]
  @_noLocks
  func outputFrames(fromInputFrames inputFrames: Int) -> Int {
    max(0, Int((pendingFrames + Double(inputFrames &- lookAheadFrames)) * ratio))
  }

  /// Takes at most `inputFrames`, gives at most `outputFrames`; returns both counts. [render]
  @_noLocks
  package mutating func convert(
    _ input: UnsafePointer<Float>, inputFrames: Int, to output: UnsafeMutablePointer<Float>,
    outputFrames: Int
  ) -> (used: Int, made: Int) {
    let counts = csamplerate_process(
      state, input, Int64(inputFrames), output, Int64(outputFrames), ratio)
    pendingFrames += Double(counts.used) - Double(counts.made) / ratio
    return (Int(counts.used), Int(counts.made))
  }

  /// Discards all input: the next input frame has the position of the next output frame. [render]
  @_noLocks
  package mutating func reset() {
    csamplerate_reset(state)
    pendingFrames = 0
  }

  /// Gives silence, a frame at a time, until something comes out: the length of half the filter is
  /// no part of the library's interface.
  private static func measureLookAhead(
    _ state: OpaquePointer, channelCount: Int, ratio: Double
  ) -> Int {
    let frame = UnsafeMutablePointer<Float>.allocate(capacity: 2 * channelCount)
    frame.initialize(repeating: 0, count: 2 * channelCount)
    defer { frame.deallocate() }
    var given = 0
    while csamplerate_process(state, frame, 1, frame + channelCount, 1, ratio).made == 0 {
      given += 1
    }
    return given + 1
  }
}
