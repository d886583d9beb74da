// Reblocker.swift: blocks of one length for a module that takes no other. SPDX-License-Identifier: MIT
//
// A run file: see ModuleState.swift.

import CRealtime
import RealtimeKit
import Synchronization

/// Collects frames until a block is full and gives the last block out meanwhile.
///
/// A block of N frames can be rendered once its last frame has come in, and its first frame goes out
/// at that moment: the delay is N - 1 frames, whatever the host's blocks are, and the least possible.
struct Reblocker: ~Copyable {
  let module: UnsafeMutablePointer<ModuleState>
  let frameCount: Int
  /// Frames collected of the block to come.
  var filled = 0
  let collected: PlanarBuffer
  let rendered: PlanarBuffer
  /// The channels of both, as a step wants them.
  let buffers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

  deinit {
    buffers.deallocate()
  }
}

/// Runs a module of fixed blocks under blocks of any length. [render]
@_noLocks @c(outboard_reblocked_module_step)
func reblockedModuleStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let reblocker = context.assumingMemoryBound(to: Reblocker.self)
  let total = Int(frameCount)
  var done = 0
  while done < total {
    let filled = reblocker.pointee.filled
    let part = min(total &- done, reblocker.pointee.frameCount &- filled)
    collect(reblocker, buffers, from: done, part)
    let isFull = filled &+ part == reblocker.pointee.frameCount
    // Frame `filled` of this block goes out with frame `filled + 1` of the last one, and the last
    // frame with the first of the block that it completes.
    giveOut(reblocker, buffers, from: done, isFull ? part &- 1 : part)
    done &+= part
    reblocker.pointee.filled = isFull ? 0 : filled &+ part
    if isFull {
      renderBlock(reblocker)
      giveFirst(reblocker, buffers, at: done &- 1)
    }
  }
}

/// Takes a message of the block that comes next, of which the frames follow those collected. [render]
@_noLocks @c(outboard_reblocked_module_event)
func takeReblockedModuleEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let reblocker = context.assumingMemoryBound(to: Reblocker.self)
  let module = reblocker.pointee.module
  let position = module.pointee.position.load(ordering: .relaxed)
  let filled = UInt64(truncatingIfNeeded: reblocker.pointee.filled)
  keepEvent(module, at: position &+ filled &+ UInt64(frame), bytes, byteCount)
}

@_noLocks
private func collect(
  _ reblocker: UnsafeMutablePointer<Reblocker>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, _ count: Int
) {
  for channel in 0 ..< reblocker.pointee.collected.channelCount {
    crealtime_copy(
      reblocker.pointee.collected[channel] + reblocker.pointee.filled, buffers[channel] + start,
      UInt32(truncatingIfNeeded: count))
  }
}

@_noLocks
private func giveOut(
  _ reblocker: UnsafeMutablePointer<Reblocker>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, _ count: Int
) {
  let inputCount = reblocker.pointee.collected.channelCount
  for channel in 0 ..< reblocker.pointee.rendered.channelCount {
    crealtime_copy(
      buffers[inputCount &+ channel] + start,
      reblocker.pointee.rendered[channel] + (reblocker.pointee.filled &+ 1),
      UInt32(truncatingIfNeeded: count))
  }
}

@_noLocks
private func giveFirst(
  _ reblocker: UnsafeMutablePointer<Reblocker>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, at frame: Int
) {
  let inputCount = reblocker.pointee.collected.channelCount
  for channel in 0 ..< reblocker.pointee.rendered.channelCount {
    buffers[inputCount &+ channel][frame] = reblocker.pointee.rendered[channel][0]
  }
}

/// Runs the module once on what was collected; a ramp moves by as many slices as begin in the block.
@_noLocks
private func renderBlock(_ reblocker: UnsafeMutablePointer<Reblocker>) {
  let module = reblocker.pointee.module
  takeParameters(module)
  let start = Int(truncatingIfNeeded: module.pointee.position.load(ordering: .relaxed))
  let end = start &+ reblocker.pointee.frameCount
  var slices = slicesBegun(before: end) &- slicesBegun(before: start)
  while slices > 0, module.pointee.isGliding {
    moveParameters(module)
    slices &-= 1
  }
  runWhole(module, UnsafePointer(reblocker.pointee.buffers), reblocker.pointee.frameCount)
}

/// How many slices of the stream's grid begin before a frame.
@_noLocks
private func slicesBegun(before frame: Int) -> Int {
  (frame &+ (ModuleState.sliceFrames &- 1)) / ModuleState.sliceFrames
}
