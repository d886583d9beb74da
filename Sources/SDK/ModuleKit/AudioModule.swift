// AudioModule.swift: a module as one struct. SPDX-License-Identifier: MIT

/// What the host hands over at a time: planar channels, and the values of the parameters.
public struct AudioBlock {
  /// A row of `frameCount` samples for each input channel, nominal range -1 to 1.
  public let inputs: UnsafePointer<UnsafePointer<Float>>
  /// A row for each output channel, of which every sample is to be written.
  public let outputs: UnsafePointer<UnsafeMutablePointer<Float>>
  /// A value for each parameter, in the order of the manifest, within its range.
  public let parameters: UnsafePointer<Float>
  /// Frames, 1 to the maximum that the module was made for.
  public let frameCount: Int

  /// A block of what `process` is given.
  @_noLocks
  public init(
    inputs: UnsafePointer<UnsafePointer<Float>>,
    outputs: UnsafePointer<UnsafeMutablePointer<Float>>, parameters: UnsafePointer<Float>,
    frameCount: UInt32
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.parameters = parameters
    self.frameCount = Int(frameCount)
  }
}

/// The first two channels of a block in each direction, which most modules have.
///
/// Inputs and outputs may be the same memory: a frame is read before it is written.
public struct StereoBlock {
  /// The left input.
  public let leftIn: UnsafePointer<Float>
  /// The right input.
  public let rightIn: UnsafePointer<Float>
  /// The left output.
  public let leftOut: UnsafeMutablePointer<Float>
  /// The right output.
  public let rightOut: UnsafeMutablePointer<Float>

  /// One frame of both inputs. [render]
  @_noLocks @inline(__always)
  public func input(at frame: Int) -> SIMD2<Float> { SIMD2(leftIn[frame], rightIn[frame]) }

  /// Writes one frame of both outputs. [render]
  @_noLocks @inline(__always)
  public func output(_ sound: SIMD2<Float>, at frame: Int) {
    leftOut[frame] = sound.x
    rightOut[frame] = sound.y
  }
}

extension AudioBlock {
  /// Its channels, for a module that has two or more in each direction. [render]
  public var stereo: StereoBlock {
    @_noLocks @inline(__always)
    get {
      StereoBlock(
        leftIn: inputs[0], rightIn: inputs[1], leftOut: outputs[0], rightOut: outputs[1])
    }
  }

  /// The same with what it listens to beside, for a module whose third and fourth input are a side chain.
  /// [render]
  public var sideChain: StereoBlock {
    @_noLocks @inline(__always)
    get {
      StereoBlock(
        leftIn: inputs[2], rightIn: inputs[3], leftOut: outputs[0], rightOut: outputs[1])
    }
  }
}

/// The sound of a file: planar channels at the module's own sample rate, gone after the call.
public struct AudioFile {
  /// A row of `frameCount` samples for each channel.
  public let channels: UnsafePointer<UnsafePointer<Float>>
  /// At least 1.
  public let channelCount: Int
  /// Frames, at least 1.
  public let frameCount: Int

  /// A sound of what `load` is given.
  public init(
    channels: UnsafePointer<UnsafePointer<Float>>, channelCount: UInt32, frameCount: UInt32
  ) {
    self.channels = channels
    self.channelCount = Int(channelCount)
    self.frameCount = Int(frameCount)
  }
}

/// A module as one struct: what it needs to remember, and what it does with a block.
///
/// The host exports it: a source with one such struct, and no `@c` function of its own, is a module.
/// ```
/// import ModuleKit
///
/// // outboard: inputs: 1, outputs: 1, parameters: [{symbol: gain, name: Gain, minimum: 0, default: 1, maximum: 2}]
/// struct Level: AudioModule {
///   init?(sampleRateHz: Double, maximumFrameCount: Int) {}
///
///   @_noLocks mutating func process(_ block: AudioBlock) {
///     for i in 0 ..< block.frameCount { block.outputs[0][i] = block.inputs[0][i] * block.parameters[0] }
///   }
/// }
/// ```
public protocol AudioModule: ~Copyable {
  /// Makes an instance, the only place that takes memory; nil if it cannot be made. [main]
  init?(sampleRateHz: Double, maximumFrameCount: Int)
  /// Renders one block. [render]
  @_noLocks mutating func process(_ block: AudioBlock)
  /// Goes back to silence. [render]
  @_noLocks mutating func reset()
  /// Gives memory back, at the end: for a struct that can be copied, and so has no `deinit`. [main]
  mutating func free()
  /// Takes a MIDI message that takes effect `frame` frames after the start of the next block. [render]
  @_noLocks mutating func midi(frame: Int, _ bytes: UnsafePointer<UInt8>, byteCount: Int)
  /// Frames from input to output. [main]
  var latencyFrames: Int { get }
  /// Takes one of the manifest's `files`, counted from 0, before the first block; false if it cannot be
  /// used. [main]
  mutating func load(_ file: Int, _ sound: AudioFile) -> Bool
  /// Writes a value for each of the manifest's `readouts`. [render]
  @_noLocks func readouts(_ values: UnsafeMutablePointer<Float>)
}

extension AudioModule where Self: ~Copyable {
  /// Nothing to give back, or done by `deinit`.
  public mutating func free() {}
  /// Nothing to forget.
  @_noLocks public mutating func reset() {}
  /// Messages are passed over.
  @_noLocks public mutating func midi(frame: Int, _ bytes: UnsafePointer<UInt8>, byteCount: Int) {}
  /// None.
  public var latencyFrames: Int { 0 }
  /// Not taken.
  public mutating func load(_ file: Int, _ sound: AudioFile) -> Bool { false }
  /// Nothing is measured.
  @_noLocks public func readouts(_ values: UnsafeMutablePointer<Float>) {}
}
