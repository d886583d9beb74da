// StreamBlocks.swift: serves streams within the blocks of another driver. SPDX-License-Identifier:
// MIT
//
// The second half is real-time code: nothing there allocates, frees, locks, waits, throws or logs.

import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// The context of the render callback of streams next to a card, at a fixed address.
///
/// The callback replaces the renderer's own callback: it fills the stream's inputs, calls the
/// renderer, and takes the outputs.
struct StreamBlocks: ~Copyable {
  /// The renderer.
  let callback: RenderCallback
  /// The input stream; nil for none.
  var feed: UnsafeMutablePointer<PipeInputState>?
  var feedCount = 0
  /// The output stream; nil for none.
  var drain: UnsafeMutablePointer<PipeOutputState>?
  /// Whether the end of the input's tail can be detected.
  var listens = false
  /// Whether the input and its tail have ended.
  let isOver = Atomic<Bool>(false)

  private let firstInput: Int
  private let firstOutput: Int
  private let inputBuffers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  private let outputBuffers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// Buffers for channels of a stream that the graph does not have.
  private let spare: PlanarBuffer
  private static let maximumChannelCount = 256

  /// Frames of the graph since the end of the input, and since the last loud frame.
  private var tailFrames = 0
  private var quietFrames = 0
  private let quietLimit: Int
  private let tailLimit: Int

  /// Creates a context without streams. [main]
  init(_ renderer: Renderer, firstInput: Int, firstOutput: Int) {
    callback = renderer.callback
    self.firstInput = firstInput
    self.firstOutput = firstOutput
    inputBuffers = .allocate(capacity: Self.maximumChannelCount)
    outputBuffers = .allocate(capacity: Self.maximumChannelCount)
    spare = PlanarBuffer(channelCount: 2, frameCapacity: renderer.format.maximumFrameCount)
    inputBuffers.initialize(repeating: spare[0], count: Self.maximumChannelCount)
    // Always silent, because it is never written.
    outputBuffers.initialize(repeating: spare[1], count: Self.maximumChannelCount)
    // As for files: -90 dBFS for half a second, and at most half a minute.
    quietLimit = Int(renderer.format.sampleRateHz / 2)
    tailLimit = Int(renderer.format.sampleRateHz * 30)
  }

  deinit {
    inputBuffers.deallocate()
    outputBuffers.deallocate()
  }

  /// Determines the channel buffers of the streams. [main]
  func finishBuffers() {
    let (inputs, outputs) = (callback.inputs, callback.outputs)
    for row in 0 ..< max(0, min(Self.maximumChannelCount, inputs.channelCount - firstInput)) {
      inputBuffers[row] = inputs[firstInput + row]
    }
    for row in 0 ..< max(0, min(Self.maximumChannelCount, outputs.channelCount - firstOutput)) {
      outputBuffers[row] = outputs[firstOutput + row]
    }
  }

  /// Returns the callback that serves the streams and renders; valid as long as `address` contains
  /// this value. [main]
  func callback(at address: UnsafeMutablePointer<Self>) -> RenderCallback {
    RenderCallback(
      crealtime_render_callback(function: renderStreams, context: address),
      inputs: callback.inputs, outputs: callback.outputs)
  }

  // MARK: - Render

  @_noLocks
  func before(_ frameCount: Int) {
    if let feed {
      readInputBlock(feed, UnsafePointer(inputBuffers), frameCount, at: crealtime_nanoseconds())
    }
  }

  @_noLocks
  mutating func after(_ frameCount: Int) {
    if let drain {
      writeOutputBlock(drain, UnsafePointer(outputBuffers), frameCount, at: crealtime_nanoseconds())
    }
    if let feed, feed.pointee.isOver.load(ordering: .relaxed) { listen(frameCount) }
  }

  /// Waits for the end of the input's tail.
  @_noLocks
  private mutating func listen(_ frameCount: Int) {
    tailFrames &+= frameCount
    quietFrames = isQuiet(frameCount) ? quietFrames &+ frameCount : 0
    if !listens || quietFrames >= quietLimit || tailFrames >= tailLimit {
      isOver.store(true, ordering: .releasing)
    }
  }

  @_noLocks
  private func isQuiet(_ frameCount: Int) -> Bool {
    for channel in 0 ..< callback.outputs.channelCount {
      let row = callback.outputs[channel]
      for frame in 0 ..< frameCount where !(abs(row[frame]) <= 0x1p-15) { return false }
    }
    return true
  }
}

/// The render callback of the streams and their driver; `context` is a `StreamBlocks`. [render]
@_noLocks
nonisolated private func renderStreams(
  _ context: UnsafeMutableRawPointer, _ frameCount: UInt32, _ started: UInt64
) {
  let streams = context.assumingMemoryBound(to: StreamBlocks.self)
  let mode = crealtime_flush_denormals()
  crealtime_enter()
  streams.pointee.before(Int(frameCount))
  crealtime_exit()
  crealtime_render(streams.pointee.callback.function, frameCount, started)
  crealtime_enter()
  streams.pointee.after(Int(frameCount))
  crealtime_exit()
  crealtime_restore_denormals(mode)
}
