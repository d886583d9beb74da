// FilterCascade.swift: a series of stereo second-order filters. SPDX-License-Identifier: MIT

import ModuleABI

/// Second-order filters in series.
///
/// Each filter can change at any time without a click.
///
/// A change blends the coefficients over some milliseconds (see `FilterCoefficients` for stability).
/// Flat filters are skipped: if all filters are flat, every bit passes unchanged.
public struct FilterCascade {
  /// The input of the block and, after `render`, its output.
  public let frames: UnsafeMutablePointer<SIMD2<Double>>
  private let bands: UnsafeMutablePointer<Band>
  private let bandCount: Int
  private let glide: CoefficientRamp

  /// Allocates memory and makes all filters flat. [main]
  ///
  /// - Parameters:
  ///   - bandCount: above 0.
  ///   - maximumFrameCount: the longest block.
  ///   - glideSeconds: the time for 63 % of a change.
  ///   - sampleRateHz: above 0.
  public init(bandCount: Int, maximumFrameCount: Int, glideSeconds: Double, sampleRateHz: Double) {
    self.bandCount = bandCount
    glide = CoefficientRamp(seconds: glideSeconds, sampleRateHz: sampleRateHz)
    bands = .allocate(capacity: bandCount)
    bands.initialize(repeating: Band(), count: bandCount)
    frames = .allocate(capacity: maximumFrameCount)
    frames.initialize(repeating: SIMD2(), count: maximumFrameCount)
  }

  /// Frees the memory.
  ///
  /// Do not use the cascade afterwards. [main]
  public func free() {
    bands.deallocate()
    frames.deallocate()
  }

  /// Changes a filter. [render]
  ///
  /// - Parameters:
  ///   - index: the filter's index, from 0.
  ///   - target: the new coefficients.
  ///   - isFlat: whether the new coefficients pass the signal unchanged.
  ///   - isFresh: whether the filter starts at once, from silence.
  @_noLocks
  public func set(_ index: Int, to target: FilterCoefficients, isFlat: Bool, isFresh: Bool) {
    bands[index].target = target
    let wasBypassed = bands[index].isAsleep() && isFlat
    if isFresh || wasBypassed {
      bands[index].coefficients = target
      bands[index].filter = FilterState()
      bands[index].glideFrames = 0
    } else {
      if bands[index].isAsleep() {
        // The integrators are silent, so only the output needs a ramp, not the poles.
        bands[index].coefficients = target.bypassed()
        bands[index].filter = FilterState()
      }
      bands[index].glideFrames = glide.frames
    }
    bands[index].isFlat = isFlat
  }

  /// Renders `frames` through all filters that are not flat, in order. [render]
  @_noLocks
  public func render(frameCount: Int) {
    var waiting = -1
    for b in 0 ..< bandCount where !bands[b].isAsleep() {
      if bands[b].isGliding() {
        if waiting >= 0 { bands[waiting].render(frames, frameCount) }
        waiting = -1
        bands[b].renderGliding(glide, frames, frameCount)
      } else if waiting >= 0 {
        Band.render(&bands[waiting], &bands[b], frames, frameCount)
        waiting = -1
      } else {
        waiting = b
      }
    }
    if waiting >= 0 { bands[waiting].render(frames, frameCount) }
  }
}

/// Constants of coefficient ramps.
private struct CoefficientRamp {
  /// The number of time constants after which a ramp ends.
  ///
  /// The rest, 2e-9, is inaudible.
  private static let timeConstants = 20.0
  let frames: Int32
  let fraction: Double  // of the remaining change per frame

  init(seconds: Double, sampleRateHz: Double) {
    frames = Int32(seconds * Self.timeConstants * sampleRateHz)
    fraction = 1 - realtime_exp(-1 / (seconds * sampleRateHz))
  }
}

/// One filter: steady, changing or skipped.
private struct Band {
  var target = FilterCoefficients()
  var isFlat = true
  // Running state.
  var coefficients = FilterCoefficients()
  var filter = FilterState()
  var glideFrames: Int32 = 0  // frames that the glide still lasts

  @_noLocks
  func isGliding() -> Bool { glideFrames > 0 }

  @_noLocks
  func isAsleep() -> Bool { isFlat && glideFrames == 0 }

  /// Renders a filter with changing coefficients.
  @_noLocks
  mutating func renderGliding(
    _ glide: CoefficientRamp, _ frames: UnsafeMutablePointer<SIMD2<Double>>, _ count: Int
  ) {
    var coefficients = self.coefficients
    var filter = self.filter
    var left = glideFrames
    for i in 0 ..< count {
      if left > 1 {
        coefficients.approach(target, by: glide.fraction)
        left -= 1
      } else {
        coefficients = target
        left = 0
        // The filter is skipped from here on, at any block length.
        if isFlat { break }
      }
      frames[i] = coefficients.step(frames[i], &filter)
    }
    self.coefficients = coefficients
    self.filter = filter
    glideFrames = left
  }

  /// Renders a filter with steady coefficients.
  @_noLocks
  mutating func render(_ frames: UnsafeMutablePointer<SIMD2<Double>>, _ count: Int) {
    let coefficients = self.coefficients
    var filter = self.filter
    for i in 0 ..< count { frames[i] = coefficients.step(frames[i], &filter) }
    self.filter = filter
  }

  /// Renders two steady filters in one pass, which hides their latencies.
  @_noLocks
  static func render(
    _ first: inout Band, _ second: inout Band, _ frames: UnsafeMutablePointer<SIMD2<Double>>,
    _ count: Int
  ) {
    let coefficients = (first.coefficients, second.coefficients)
    var filters = (first.filter, second.filter)
    for i in 0 ..< count {
      frames[i] = coefficients.1.step(coefficients.0.step(frames[i], &filters.0), &filters.1)
    }
    first.filter = filters.0
    second.filter = filters.1
  }
}
