// AudioModule.swift: a module as one struct. SPDX-License-Identifier: MIT

/// A block that the host passes to a module: planar channels and parameter values.
public struct AudioBlock {
  /// The input channels: a planar buffer of `frameCount` samples each, nominal range -1 to 1.
  public let inputs: UnsafePointer<UnsafePointer<Float>>
  /// The output channels: a planar buffer each.
  ///
  /// Write every sample.
  public let outputs: UnsafePointer<UnsafeMutablePointer<Float>>
  /// The parameter values in the order of the manifest, within their ranges.
  public let parameters: UnsafePointer<Float>
  /// The number of frames, from 1 to the maximum that was passed to `init`.
  public let frameCount: Int

  /// Creates a block from the arguments of `process`.
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

/// The first two input and output channels of a block.
///
/// Inputs and outputs may share memory. Read a frame before you write it.
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
  /// Returns the first two channels, for a module with at least two inputs and outputs. [render]
  public var stereo: StereoBlock {
    @_noLocks @inline(__always)
    get {
      StereoBlock(
        leftIn: inputs[0], rightIn: inputs[1], leftOut: outputs[0], rightOut: outputs[1])
    }
  }

  /// Returns the block with inputs 3 and 4 as the side chain, for a module with four inputs.
  /// [render]
  public var sideChain: StereoBlock {
    @_noLocks @inline(__always)
    get {
      StereoBlock(
        leftIn: inputs[2], rightIn: inputs[3], leftOut: outputs[0], rightOut: outputs[1])
    }
  }
}

/// The audio of a file: planar channels at the module's sample rate, valid only during the call.
public struct AudioFile {
  /// The channels: a planar buffer of `frameCount` samples each.
  public let channels: UnsafePointer<UnsafePointer<Float>>
  /// The number of channels, at least 1.
  public let channelCount: Int
  /// The number of frames, at least 1.
  public let frameCount: Int

  /// Creates a file from the arguments of the C function `load_file`.
  public init(
    channels: UnsafePointer<UnsafePointer<Float>>, channelCount: UInt32, frameCount: UInt32
  ) {
    self.channels = channels
    self.channelCount = Int(channelCount)
    self.frameCount = Int(frameCount)
  }
}

/// A module as one struct with its state.
///
/// A source with one such struct, and no `@c` function, is a module. The build exports its functions.
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
  /// Creates an instance and allocates all memory; nil on failure. [main]
  init?(sampleRateHz: Double, maximumFrameCount: Int)
  /// Renders one block. [render]
  @_noLocks mutating func process(_ block: AudioBlock)
  /// Clears the signal state. [render]
  @_noLocks mutating func reset()
  /// Frees all memory.
  ///
  /// Needed only for a copyable struct, which has no `deinit`. [main]
  mutating func free()
  /// Receives a MIDI message for frame `frame` of the next block. [render]
  @_noLocks mutating func midi(frame: Int, _ bytes: UnsafePointer<UInt8>, byteCount: Int)
  /// The latency in frames. [main]
  var latencyFrames: Int { get }
  /// Loads one of the manifest's `files` (index from 0), before the first block; false if the file is not
  /// usable. [main]
  mutating func load(_ file: Int, _ sound: AudioFile) -> Bool
  /// Writes the values of the manifest's `readouts`. [render]
  @_noLocks func readouts(_ values: UnsafeMutablePointer<Float>)
}

extension AudioModule where Self: ~Copyable {
  /// Does nothing: no memory to free, or `deinit` frees it.
  public mutating func free() {}
  /// Does nothing: no state to clear.
  @_noLocks public mutating func reset() {}
  /// Ignores the message.
  @_noLocks public mutating func midi(frame: Int, _ bytes: UnsafePointer<UInt8>, byteCount: Int) {}
  /// 0: no latency.
  public var latencyFrames: Int { 0 }
  /// Rejects the file.
  public mutating func load(_ file: Int, _ sound: AudioFile) -> Bool { false }
  /// Does nothing: no readouts.
  @_noLocks public func readouts(_ values: UnsafeMutablePointer<Float>) {}
}
