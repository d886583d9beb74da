// VariableRatioResampler.swift: libsamplerate with an exact position. SPDX-License-Identifier: MIT

import CSampleRate

/// A resampler of interleaved frames whose ratio may change between calls without a click.
///
/// It uses libsamplerate, which is C code that neither allocates nor locks after its creation,
/// accepts any number of frames, and can change its ratio at any time. Its position in the input is
/// known to a fraction of a frame, so the fill of the buffer is a smooth value.
package struct VariableRatioResampler: ~Copyable {
  /// The number of channels.
  package let channelCount: Int
  /// The input frames beyond the position of an output frame that must be given before it is
  /// produced.
  package let lookAheadFrames: Int
  /// The input frames given minus the position of the next output frame.
  private(set) var pendingFrames = 0.0
  /// The output rate divided by the input rate.
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

  /// Returns the number of output frames for the input so far plus `inputFrames`. [render]
  @_noLocks
  func outputFrames(fromInputFrames inputFrames: Int) -> Int {
    max(0, Int((pendingFrames + Double(inputFrames &- lookAheadFrames)) * ratio))
  }

  /// Consumes at most `inputFrames` and produces at most `outputFrames`; returns both counts.
  /// [render]
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

  /// Returns the look-ahead.
  ///
  /// It feeds silence, a frame at a time, until there is output, because the library does not
  /// expose the filter length.
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
