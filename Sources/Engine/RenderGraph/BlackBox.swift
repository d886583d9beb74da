// BlackBox.swift: the last seconds of what was rendered, for when something goes wrong. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift. BlackBox+Setup.swift makes it and reads it.

import RealtimeKit
import Synchronization

/// The last seconds of what came in, went out and was played, and how long each block took; at a fixed
/// address.
///
/// The audio thread writes round and round; another thread reads what is not about to be overwritten. So
/// more is kept than is asked for.
struct BlackBox: ~Copyable {
  /// One block.
  struct Block: BitwiseCopyable {
    /// The frame, since the start, that it begins with.
    var frame = 0
    var frameCount = 0
    /// When it began, on CLOCK_MONOTONIC, and how long it took, in ns.
    var startedAt: UInt64 = 0
    var nanoseconds: UInt64 = 0
    /// The node that took longest, by its step's context, and how long; nil where none was measured.
    var slowestNode: UnsafeRawPointer?
    var slowestNanoseconds: UInt64 = 0

    @_noLocks init() {}
  }

  /// The start of one MIDI message.
  struct Message: BitwiseCopyable {
    var frame = 0
    var byteCount = 0
    /// Its first three bytes, the first one lowest.
    var bytes: UInt32 = 0
  }

  let inputs: PlanarBuffer
  let outputs: PlanarBuffer
  /// How many frames, blocks and messages are kept.
  let frameCapacity: Int
  let blockCapacity: Int
  let messageCapacity: Int
  let blocks: UnsafeMutablePointer<Block>
  let messages: UnsafeMutablePointer<Message>
  /// What was written since the start; they wrap only after millennia.
  let frameCount = Atomic<Int>(0)
  let blockCount = Atomic<Int>(0)
  let messageCount = Atomic<Int>(0)

  deinit {
    blocks.deallocate()
    messages.deallocate()
  }

  /// Keeps the MIDI of a block that is about to be rendered. [render]
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
      for place in 0 ..< min(3, byteCount) {
        bytes |= UInt32(message[place]) &<< UInt32(truncatingIfNeeded: place &* 8)
      }
      messages[(first &+ index) % messageCapacity] = Message(
        frame: start &+ Int(queue.pointee.frame(at: index)), byteCount: byteCount, bytes: bytes)
    }
    // Pairs with the acquiring load in `snapshot`, as those below.
    messageCount.store(first &+ count, ordering: .releasing)
  }

  /// Keeps a block that was rendered; its place in time and its cost are in `block`. [render]
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
