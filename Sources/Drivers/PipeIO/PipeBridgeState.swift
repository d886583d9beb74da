// PipeBridgeState.swift: streams within the blocks of a driver that knows nothing of them. SPDX-License-Identifier: MIT
//
// The second half is a run file: nothing there allocates, frees, locks, waits, throws or logs.

import CRealtime
import Glibc
import RealtimeKit
import RenderGraph
import Synchronization

/// All that a block's sides know, at a fixed address.
struct PipeBridgeState: ~Copyable {
  /// What is read, and the engine's rows of its channels; nil for nothing.
  var feed: UnsafeMutablePointer<PipeInputState>?
  var feedCount = 0
  /// What is written, likewise.
  var drain: UnsafeMutablePointer<PipeOutputState>?
  /// Whether the end of the input's tail can be heard.
  var listens = false
  /// Whether the input has ended and what followed it has rung out.
  let isOver = Atomic<Bool>(false)

  private let engine: UnsafeMutablePointer<RenderEngine>
  private let firstInput: Int
  private let firstOutput: Int
  private let inputRows: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  private let outputRows: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// For channels of a stream that the engine does not have.
  private let spare: PlanarBuffer
  private let calls: UnsafeMutablePointer<crealtime_block_hooks>
  private static let mostRows = 256

  /// Frames of the engine since the end of the input, and since it was last loud.
  private var tailFrames = 0
  private var quietFrames = 0
  private let quietLimit: Int
  private let tailLimit: Int

  /// Of no stream yet. [main]
  init(_ engine: Engine, firstInput: Int, firstOutput: Int) {
    self.engine = engine.pointer
    self.firstInput = firstInput
    self.firstOutput = firstOutput
    inputRows = .allocate(capacity: Self.mostRows)
    outputRows = .allocate(capacity: Self.mostRows)
    spare = PlanarBuffer(channelCount: 2, frameCapacity: engine.settings.maximumFrameCount)
    inputRows.initialize(repeating: spare[0], count: Self.mostRows)
    // Silent for good: nobody writes to it.
    outputRows.initialize(repeating: spare[1], count: Self.mostRows)
    calls = .allocate(capacity: 1)
    // As after a file: -90 dBFS for half a second, and half a minute at most.
    quietLimit = Int(engine.settings.sampleRateHz / 2)
    tailLimit = Int(engine.settings.sampleRateHz * 30)
  }

  deinit {
    inputRows.deallocate()
    outputRows.deallocate()
    calls.deallocate()
  }

  /// Finds the rows of the streams. [main]
  func finishRows() {
    let (inputs, outputs) = (
      engine.pointee.inputs.channelCount, engine.pointee.outputs.channelCount
    )
    for row in 0 ..< max(0, min(Self.mostRows, inputs - firstInput)) {
      inputRows[row] = engine.pointee.inputs[firstInput + row]
    }
    for row in 0 ..< max(0, min(Self.mostRows, outputs - firstOutput)) {
      outputRows[row] = engine.pointee.outputs[firstOutput + row]
    }
  }

  /// What the engine calls; lives as long as this. [main]
  func sides(at place: UnsafeMutablePointer<Self>) -> UnsafePointer<crealtime_block_hooks> {
    calls.initialize(
      to: crealtime_block_hooks(before: sidesBefore, after: sidesAfter, context: place))
    return UnsafePointer(calls)
  }

  // MARK: - Render

  @_noLocks
  func before(_ frameCount: Int) {
    if let feed {
      feedBlock(feed, UnsafePointer(inputRows), frameCount, at: crealtime_nanoseconds())
    }
  }

  @_noLocks
  mutating func after(_ frameCount: Int) {
    if let drain {
      drainBlock(drain, UnsafePointer(outputRows), frameCount, at: crealtime_nanoseconds())
    }
    if let feed, feed.pointee.isOver.load(ordering: .relaxed) { listen(frameCount) }
  }

  /// Waits until the sound that follows the input's end is over.
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
    for channel in 0 ..< engine.pointee.outputs.channelCount {
      let row = engine.pointee.outputs[channel]
      for frame in 0 ..< frameCount where !(abs(row[frame]) <= 0x1p-15) { return false }
    }
    return true
  }
}

/// Before a block; `context` is a `PipeBridgeState`. [render]
nonisolated private func sidesBefore(_ context: UnsafeMutableRawPointer, _ frameCount: UInt32) {
  context.assumingMemoryBound(to: PipeBridgeState.self).pointee.before(Int(frameCount))
}

/// After a block; `context` is a `PipeBridgeState`. [render]
nonisolated private func sidesAfter(_ context: UnsafeMutableRawPointer, _ frameCount: UInt32) {
  context.assumingMemoryBound(to: PipeBridgeState.self).pointee.after(Int(frameCount))
}
