// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: drive, name: Drive, unit: dB, minimum: 0, default: 12, maximum: 40}
//     - {symbol: level, name: Level, unit: dB, minimum: -40, default: -6, maximum: 0}
import ModuleKit

/// A soft saturation at twice the sample rate, so that its overtones do not fold.
struct Warmth: AudioModule, ~Copyable {
  private static var tapCount: Int { 40 }
  private var up: HalfBandUpsampler
  private var down: HalfBandDownsampler
  private let frames: UnsafeMutablePointer<SIMD2<Float>>
  private let fineFrames: UnsafeMutablePointer<SIMD2<Float>>
  private var drive: Smoother
  private var level: Smoother

  init?(sampleRateHz: Double, maximumFrameCount: Int) {
    up = HalfBandUpsampler(
      tapCount: Self.tapCount, stopbandDecibels: 100, maximumFrameCount: maximumFrameCount)
    down = HalfBandDownsampler(
      tapCount: Self.tapCount, stopbandDecibels: 100, maximumFrameCount: maximumFrameCount)
    frames = .allocate(capacity: maximumFrameCount)
    fineFrames = .allocate(capacity: 2 * maximumFrameCount)
    drive = Smoother(4, timeConstantSeconds: 0.02, sampleRateHz: Float(sampleRateHz))
    level = Smoother(0.5, timeConstantSeconds: 0.02, sampleRateHz: Float(sampleRateHz))
  }

  deinit {
    up.free()
    down.free()
    frames.deallocate()
    fineFrames.deallocate()
  }

  /// Half of the sum of both filters' latencies, which are in frames of the higher rate.
  var latencyFrames: Int { Self.tapCount - 1 }

  @_noLocks mutating func process(_ block: AudioBlock) {
    drive.move(to: Decibels.amplitude(block.parameters[0]))
    level.move(to: Decibels.amplitude(block.parameters[1]))
    for i in 0 ..< block.frameCount {
      frames[i] = SIMD2(block.inputs[0][i], block.inputs[1][i]) * drive.next()
    }
    up.render(frames, to: fineFrames, frameCount: block.frameCount)
    for i in 0 ..< 2 * block.frameCount {
      let x = fineFrames[i].clamped(
        lowerBound: SIMD2(repeating: -1.5), upperBound: SIMD2(repeating: 1.5))
      fineFrames[i] = x - x * x * x * (4 / 27)
    }
    down.render(fineFrames, to: frames, frameCount: block.frameCount)
    for i in 0 ..< block.frameCount {
      let frame = frames[i] * level.next()
      block.outputs[0][i] = frame.x
      block.outputs[1][i] = frame.y
    }
  }

  @_noLocks mutating func reset() {
    up.clear()
    down.clear()
    drive.finish()
    level.finish()
  }
}
