// TestBench.swift: renders a node block by block. SPDX-License-Identifier: MIT

internal import CRealtime
internal import PluginModel

/// A node with buffers whose output is checked after every block.
///
/// Inputs are written and outputs are checked between blocks. Use `BlockTimer` for CPU time and the real-time
/// test for real-time safety.
@safe final class TestBench {
  let node: any Node
  let configuration: NodeConfiguration
  let inputs: [GuardedBuffer]
  let outputs: [GuardedBuffer]
  private let pointers: [UnsafeMutablePointer<Float>]
  /// The buffer pointers of a node without channels, which must also be valid.
  private let spare = GuardedBuffer(maximumFrameCount: 16)
  /// The frames rendered since creation, or since `signal` was set.
  private(set) var position = 0
  /// The input signal.
  var signal = TestSignal.silence { didSet { position = 0 } }
  let testedPlugin: PluginUnderTest
  /// The statistics since the last reset of `seen`.
  var seen = OutputStatistics()

  /// Creates and activates a node.
  init(_ testedPlugin: PluginUnderTest, _ configuration: NodeConfiguration) throws {
    self.configuration = configuration
    self.testedPlugin = testedPlugin
    node = try testedPlugin.make(configuration)
    let frames = configuration.maximumFrameCount
    inputs = (0 ..< node.audioInputCount).map { _ in GuardedBuffer(maximumFrameCount: frames) }
    outputs = (0 ..< node.audioOutputCount).map { _ in GuardedBuffer(maximumFrameCount: frames) }
    let all = unsafe (inputs + outputs).map(\.samples)
    unsafe pointers = all.isEmpty ? [spare.samples] : all
    try node.activate()
  }

  deinit { node.deactivate() }

  /// Whether CV inputs keep their unconnected value, so that only audio inputs receive the signal.
  var restsVoltages = false

  /// Returns the sample of an input at a frame of the stream.
  private func sample(_ frame: Int, channel: Int) -> Float {
    let voltage = channel - testedPlugin.description.audioInputs.count
    guard restsVoltages, voltage >= 0 else { return signal.sample(frame, channel: channel) }
    return testedPlugin.description.cvInputs[voltage].restValue
  }

  /// Renders blocks of these lengths in frames and checks the outputs.
  func run(_ lengths: [Int]) { for length in lengths { run(length) } }

  /// Renders a number of frames in blocks of one length.
  func run(frames: Int, blocks length: Int) {
    var rest = frames
    while rest > 0 {
      run(min(rest, length))
      rest -= length
    }
  }

  /// Renders one block.
  func run(_ frameCount: Int) {
    if sendsHeartbeats { testedPlugin.sendHeartbeat() }
    fillInputs(frameCount)
    for row in outputs { row.fillWithPattern() }
    callProcess(frameCount)
    checkOutputs(frameCount)
    position += frameCount
  }

  /// Writes a block of the signal to the inputs, for any number of `callProcess` calls.
  ///
  /// The pattern follows the block, so that reads beyond it return NaN.
  func fillInputs(_ frameCount: Int) {
    for (channel, row) in inputs.enumerated() {
      row.fillWithPattern()
      for frame in 0 ..< frameCount {
        unsafe row.samples[frame] = sample(position + frame, channel: channel)
      }
    }
  }

  /// Calls the step like a driver: with denormals flushed, unless the test is about denormals.
  func callProcess(_ frameCount: Int) {
    let before = flushesDenormals ? crealtime_flush_denormals() : nil
    let step = node.step
    unsafe pointers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe step.function(step.context, base, UInt32(frameCount))
    }
    if let before { crealtime_restore_denormals(before) }
  }

  /// Whether denormals are flushed to zero, as in every driver of this host.
  var flushesDenormals = true

  /// Whether the helper process reports that it is alive while it renders blocks; false on another thread.
  var sendsHeartbeats = true

  /// Sends one MIDI message to the start of the next block; does nothing if the node accepts no MIDI.
  func send(_ bytes: [UInt8], atFrame frame: Int = 0) {
    guard let input = node.eventInput else { return }
    unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe input.function(input.context, UInt32(frame), base, UInt32(buffer.count))
    }
  }

  /// Starts a chord if notes are accepted, so that the plugin outputs sound.
  func playNotes() { for note in Self.chord { send([0x90, note, 100]) } }

  /// Ends the chord.
  func endNotes() { for note in Self.chord { send([0x80, note, 64]) } }

  private static let chord: [UInt8] = [48, 60, 64, 67]

  /// Returns the last block of an output.
  func output(_ channel: Int, _ frameCount: Int) -> [Float] {
    unsafe Array(UnsafeBufferPointer(start: outputs[channel].samples, count: frameCount))
  }

  // MARK: - Checks

  private func checkOutputs(_ frameCount: Int) {
    for (channel, row) in inputs.enumerated() {
      for frame in 0 ..< frameCount {
        let sample = sample(position + frame, channel: channel)
        if unsafe row.samples[frame].bitPattern != sample.bitPattern {
          seen.changedInputs.insert(channel)
          break
        }
      }
      if !row.isIntact(around: frameCount) { seen.overrunInputs.insert(channel) }
    }
    for (channel, row) in outputs.enumerated() {
      if !row.isIntact(around: frameCount) { seen.overrunOutputs.insert(channel) }
      seen.add(row, channel, frameCount)
    }
  }
}

/// Statistics of the channels.
struct OutputStatistics {
  /// The inputs that the plugin wrote to.
  var changedInputs: Set<Int> = []
  var overrunInputs: Set<Int> = []
  /// The channels with writes outside the block.
  var overrunOutputs: Set<Int> = []
  /// The channels with unwritten frames in the block.
  var unwrittenOutputs: Set<Int> = []
  /// The channels with NaN.
  var notANumber: Set<Int> = []
  var infinite: Set<Int> = []
  /// The greatest absolute value of finite samples.
  var peak: Float = 0
  /// The number of denormal samples.
  var denormalCount = 0

  /// Whether every sample was finite.
  var isFinite: Bool { notANumber.isEmpty && infinite.isEmpty }

  mutating func add(_ row: GuardedBuffer, _ channel: Int, _ frameCount: Int) {
    for frame in 0 ..< frameCount {
      let sample = unsafe row.samples[frame]
      if sample.isFinite {
        peak = max(peak, abs(sample))
        if sample.isSubnormal { denormalCount += 1 }
      } else if sample.isNaN {
        if row.isUntouched(frame) {
          unwrittenOutputs.insert(channel)
        } else {
          notANumber.insert(channel)
        }
      } else {
        infinite.insert(channel)
      }
    }
  }
}
