// BlackBox.swift: the last seconds of the rendering, for fault reports. SPDX-License-Identifier:
// MIT
//
// Real-time code: see RenderEngine.swift for its rules. BlackBox+Setup.swift creates and reads it.

import RealtimeKit
import Synchronization

/// The input, output, MIDI and block times of the last seconds, at a fixed address.
///
/// The audio thread writes into rings. Another thread reads only what is not about to be
/// overwritten, so the rings are longer than the time that is requested.
struct BlackBox: ~Copyable {
  /// One rendered block.
  struct Block: BitwiseCopyable {
    /// The first frame, counted from the start of the stream.
    var frame = 0
    var frameCount = 0
    /// When it began, on CLOCK_MONOTONIC, and how long it took, in ns.
    var startedAt: UInt64 = 0
    var nanoseconds: UInt64 = 0
    /// The node that took longest, by its step's context, and its time in ns; nil if none was
    /// measured.
    var slowestNode: UnsafeRawPointer?
    var slowestNanoseconds: UInt64 = 0

    @_noLocks init() {}
  }

  /// The first bytes of one MIDI message.
  struct Message: BitwiseCopyable {
    var frame = 0
    var byteCount = 0
    /// The first three bytes; the first one is the lowest.
    var bytes: UInt32 = 0
  }

  let inputs: PlanarBuffer
  let outputs: PlanarBuffer
  /// The capacity of the rings, in frames, blocks and messages.
  let frameCapacity: Int
  let blockCapacity: Int
  let messageCapacity: Int
  let blocks: UnsafeMutablePointer<Block>
  let messages: UnsafeMutablePointer<Message>
  /// The numbers that were written since the start; they wrap only after millennia.
  let frameCount = Atomic<Int>(0)
  let blockCount = Atomic<Int>(0)
  let messageCount = Atomic<Int>(0)

  deinit {
    blocks.deallocate()
    messages.deallocate()
  }

  /// Stores the MIDI of a block before it is rendered. [render]
  @_noLocks
  func keep(_ queue: UnsafeMutablePointer<EventQueue>) {
    let count = queue.pointee.count
    guard count > 0 else { return }
    let start = frameCount.load(ordering: .relaxed)
    let first = messageCount.load(ordering: .relaxed)
    for index in 0 ..< count {
      let byteCount = Int(queue.pointee.byteCount(at: index))
      let message = queue.pointee.message(at: index)
      var bytes: UInt32 = 0
      for byte in 0 ..< min(3, byteCount) {
        bytes |= UInt32(message[byte]) &<< UInt32(truncatingIfNeeded: byte &* 8)
      }
      messages[(first &+ index) % messageCapacity] = Message(
        frame: start &+ Int(queue.pointee.frame(at: index)), byteCount: byteCount, bytes: bytes)
    }
    // Pairs with the acquiring load in `snapshot`, as do the stores below.
    messageCount.store(first &+ count, ordering: .releasing)
  }

  /// Stores a block that was rendered, with its time and duration from `block`. [render]
  @_noLocks
  func keep(_ from: borrowing RenderEngine, _ block: Block) {
    let start = frameCount.load(ordering: .relaxed)
    copy(from.inputs, to: inputs, at: start, block.frameCount)
    copy(from.outputs, to: outputs, at: start, block.frameCount)
    let number = blockCount.load(ordering: .relaxed)
    blocks[number % blockCapacity] = block
    blocks[number % blockCapacity].frame = start
    blockCount.store(number &+ 1, ordering: .releasing)
    frameCount.store(start &+ block.frameCount, ordering: .releasing)
  }

  @_noLocks
  private func copy(
    _ source: borrowing PlanarBuffer, to rows: borrowing PlanarBuffer, at start: Int, _ count: Int
  ) {
    for channel in 0 ..< rows.channelCount {
      copyIntoRing(
        source[channel], rows[channel], at: start % frameCapacity, capacity: frameCapacity,
        count: count)
    }
  }
}
