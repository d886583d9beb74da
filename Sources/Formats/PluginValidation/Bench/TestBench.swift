// TestBench.swift: a node with its channels, run block by block. SPDX-License-Identifier: MIT

internal import CRealtime
internal import PluginModel

/// A node on the bench: fed, run, and looked at after every block.
///
/// Input is written and output judged between the blocks, so a bench is for what a plugin does; what
/// it takes is measured by `BlockTimer` and watched by the examination of real time.
final class TestBench {
  let node: any Node
  let configuration: NodeConfiguration
  let inputs: [GuardedBuffer]
  let outputs: [GuardedBuffer]
  private let pointers: [UnsafeMutablePointer<Float>]
  /// What a node without a channel is handed, as it is promised an address.
  private let spare = GuardedBuffer(maximumFrameCount: 16)
  /// Frames rendered since it was made, or since `signal` was set.
  private(set) var position = 0
  /// What the inputs are fed with.
  var signal = TestSignal.silence { didSet { position = 0 } }
  let specimen: PluginUnderTest
  /// What was seen since `seen` was last emptied.
  var seen = OutputStatistics()

  /// Makes and activates a node.
  init(_ specimen: PluginUnderTest, _ configuration: NodeConfiguration) throws {
    self.configuration = configuration
    self.specimen = specimen
    node = try specimen.make(configuration)
    let frames = configuration.maximumFrameCount
    inputs = (0 ..< node.audioInputCount).map { _ in GuardedBuffer(maximumFrameCount: frames) }
    outputs = (0 ..< node.audioOutputCount).map { _ in GuardedBuffer(maximumFrameCount: frames) }
    let all = (inputs + outputs).map(\.samples)
    pointers = all.isEmpty ? [spare.samples] : all
    try node.activate()
  }

  deinit { node.deactivate() }

  /// Whether control voltages stay at what they are where nothing is connected, and only audio has the
  /// signal.
  var restsVoltages = false

  /// The sample of an input at a frame of the stream.
  private func sample(_ frame: Int, channel: Int) -> Float {
    let voltage = channel - specimen.description.audioInputs.count
    guard restsVoltages, voltage >= 0 else { return signal.sample(frame, channel: channel) }
    return specimen.description.cvInputs[voltage].restValue
  }

  /// Renders blocks of these lengths, in frames, and looks at what came out.
  func run(_ lengths: [Int]) { for length in lengths { run(length) } }

  /// Renders so many frames in blocks of a length.
  func run(frames: Int, blocks length: Int) {
    var rest = frames
    while rest > 0 {
      run(min(rest, length))
      rest -= length
    }
  }

  /// Renders one block.
  func run(_ frameCount: Int) {
    if givesSigns { specimen.giveSign() }
    hold(frameCount)
    for row in outputs { row.fillWithPattern() }
    renderOnly(frameCount)
    look(frameCount)
    position += frameCount
  }

  /// Gives the inputs a block of the signal, which `renderOnly` then renders however often it is called.
  ///
  /// What stands behind it is the pattern: to a longer block that would be sound that is no number.
  func hold(_ frameCount: Int) {
    for (channel, row) in inputs.enumerated() {
      row.fillWithPattern()
      for frame in 0 ..< frameCount {
        row.samples[frame] = sample(position + frame, channel: channel)
      }
    }
  }

  /// Calls the step as a driver does: with denormals flushed, unless that is what is examined.
  func renderOnly(_ frameCount: Int) {
    let before = flushesDenormals ? crealtime_flush_denormals() : nil
    let step = node.step
    pointers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      step.function(step.context, base, UInt32(frameCount))
    }
    if let before { crealtime_restore_denormals(before) }
  }

  /// Whether numbers too small to matter are taken for 0, as in every driver of this host.
  var flushesDenormals = true

  /// Whether the parent hears now and then that blocks are still rendered; not from another thread.
  var givesSigns = true

  /// Sends one MIDI message to the next block, at its start; nothing if it takes none.
  func send(_ bytes: [UInt8], atFrame frame: Int = 0) {
    guard let input = node.eventInput else { return }
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      input.function(input.context, UInt32(frame), base, UInt32(buffer.count))
    }
  }

  /// A chord, where notes are taken, so that there is something to hear.
  func playNotes() { for note in Self.chord { send([0x90, note, 100]) } }

  /// The end of the chord.
  func endNotes() { for note in Self.chord { send([0x80, note, 64]) } }

  private static let chord: [UInt8] = [48, 60, 64, 67]

  /// The last block of an output.
  func output(_ channel: Int, _ frameCount: Int) -> [Float] {
    Array(UnsafeBufferPointer(start: outputs[channel].samples, count: frameCount))
  }

  // MARK: - Looking

  private func look(_ frameCount: Int) {
    for (channel, row) in inputs.enumerated() {
      for frame in 0 ..< frameCount {
        let sample = sample(position + frame, channel: channel)
        if row.samples[frame].bitPattern != sample.bitPattern {
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

/// What was seen of the channels.
struct OutputStatistics {
  /// Channels whose input the plugin wrote to.
  var changedInputs: Set<Int> = []
  var overrunInputs: Set<Int> = []
  /// Channels in which something was written outside the block.
  var overrunOutputs: Set<Int> = []
  /// Channels in which frames of the block were not written.
  var unwrittenOutputs: Set<Int> = []
  /// Channels that held something that is no number.
  var notANumber: Set<Int> = []
  var infinite: Set<Int> = []
  /// The greatest absolute value of a finite sample.
  var peak: Float = 0
  /// Samples too small to be normal.
  var denormalCount = 0

  /// Whether every sample was a finite number.
  var isFinite: Bool { notANumber.isEmpty && infinite.isEmpty }

  mutating func add(_ row: GuardedBuffer, _ channel: Int, _ frameCount: Int) {
    for frame in 0 ..< frameCount {
      let sample = row.samples[frame]
      if sample.isFinite {
        peak = max(peak, abs(sample))
        if sample.isSubnormal { denormalCount += 1 }
      } else if sample.isNaN {
        if row.isPattern(frame) {
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
