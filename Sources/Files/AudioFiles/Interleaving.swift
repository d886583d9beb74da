// Interleaving.swift: converts between interleaved and planar frames. SPDX-License-Identifier: MIT

/// Converts between interleaved frames of files and planar channel buffers of the graph.
///
/// Mono is a copy, stereo is processed eight frames at a time, other counts channel by channel.
package enum Interleaving {
  /// Deinterleaves `frameCount` frames to `channelCount` channel buffers. [any]
  package static func split(
    _ frames: UnsafePointer<Float>,
    to channels: UnsafePointer<UnsafeMutablePointer<Float>>,
    channelCount: Int,
    frameCount: Int
  ) {
    switch channelCount {
    case 1: unsafe channels[0].update(from: frames, count: frameCount)
    case 2: unsafe splitStereo(frames, channels[0], channels[1], frameCount)
    default:
      for channel in 0 ..< channelCount {
        let row = unsafe channels[channel]
        var next = unsafe frames + channel
        for frame in 0 ..< frameCount {
          unsafe row[frame] = next.pointee
          unsafe next += channelCount
        }
      }
    }
  }

  /// Interleaves `frameCount` frames, from frame `start` of `channelCount` channel buffers on.
  /// [any]
  package static func join(
    _ channels: UnsafePointer<UnsafeMutablePointer<Float>>,
    from start: Int,
    to frames: UnsafeMutablePointer<Float>,
    channelCount: Int,
    frameCount: Int
  ) {
    switch channelCount {
    case 1: unsafe frames.update(from: channels[0] + start, count: frameCount)
    case 2: unsafe joinStereo(channels[0] + start, channels[1] + start, frames, frameCount)
    default:
      for channel in 0 ..< channelCount {
        let row = unsafe channels[channel] + start
        var next = unsafe frames + channel
        for frame in 0 ..< frameCount {
          unsafe next.pointee = row[frame]
          unsafe next += channelCount
        }
      }
    }
  }

  private static func splitStereo(
    _ frames: UnsafePointer<Float>, _ left: UnsafeMutablePointer<Float>,
    _ right: UnsafeMutablePointer<Float>, _ frameCount: Int
  ) {
    let source = unsafe UnsafeRawPointer(frames)
    let (toLeft, toRight) = (UnsafeMutableRawPointer(left), UnsafeMutableRawPointer(right))
    var frame = 0
    while frame + 8 <= frameCount {
      let pairs = unsafe source.loadUnaligned(fromByteOffset: frame &* 8, as: SIMD16<Float>.self)
      unsafe toLeft.storeBytes(of: pairs.evenHalf, toByteOffset: frame &* 4, as: SIMD8<Float>.self)
      unsafe toRight.storeBytes(of: pairs.oddHalf, toByteOffset: frame &* 4, as: SIMD8<Float>.self)
      frame &+= 8
    }
    while frame < frameCount {
      unsafe left[frame] = frames[2 &* frame]
      unsafe right[frame] = frames[2 &* frame &+ 1]
      frame &+= 1
    }
  }

  private static func joinStereo(
    _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>,
    _ frames: UnsafeMutablePointer<Float>, _ frameCount: Int
  ) {
    let (fromLeft, fromRight) = unsafe (UnsafeRawPointer(left), UnsafeRawPointer(right))
    let target = UnsafeMutableRawPointer(frames)
    var frame = 0
    while frame + 8 <= frameCount {
      var pairs = SIMD16<Float>()
      pairs.evenHalf = unsafe fromLeft.loadUnaligned(
        fromByteOffset: frame &* 4, as: SIMD8<Float>.self)
      pairs.oddHalf = unsafe fromRight.loadUnaligned(
        fromByteOffset: frame &* 4, as: SIMD8<Float>.self)
      unsafe target.storeBytes(of: pairs, toByteOffset: frame &* 8, as: SIMD16<Float>.self)
      frame &+= 8
    }
    while frame < frameCount {
      unsafe frames[2 &* frame] = left[frame]
      unsafe frames[2 &* frame &+ 1] = right[frame]
      frame &+= 1
    }
  }
}
