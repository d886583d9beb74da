// BlockLayout.swift: where the parts of a node's shared memory begin. SPDX-License-Identifier: MIT

internal import CIsolation
internal import Glibc

/// The addresses of the areas in the memory that host and worker share for one node: plain data.
struct BlockLayout: BitwiseCopyable {
  /// The size of the whole memory, in bytes.
  let byteCount: Int
  /// The distance between two channels, in frames.
  let strideFrames: Int
  /// The most parameter values of a request.
  let changeCapacity: Int
  private let changesOffset: Int
  private let eventsOffset: Int
  private let sentOffset: Int
  private let audioOffset: Int

  /// Computes the layout, the same in both processes. [any]
  init(parameterCount: Int, inputCount: Int, outputCount: Int, maximumFrameCount: Int) {
    func padded(_ count: Int) -> Int { (count + 63) / 64 * 64 }
    changeCapacity = 2 * parameterCount + 64
    strideFrames = padded(maximumFrameCount)
    changesOffset = padded(
      MemoryLayout<cisolation_block>.size + inputCount * MemoryLayout<UInt32>.stride)
    eventsOffset =
      changesOffset + padded(changeCapacity * MemoryLayout<cisolation_change>.stride)
    sentOffset = eventsOffset + Int(CISOLATION_EVENT_BYTES)
    audioOffset = sentOffset + Int(CISOLATION_EVENT_BYTES)
    byteCount =
      audioOffset + (inputCount + outputCount) * strideFrames * MemoryLayout<Float>.stride
  }

  /// Where each input comes from, such as `CISOLATION_OWN`. [any]
  @_noLocks
  func sources(_ block: UnsafeMutablePointer<cisolation_block>) -> UnsafeMutablePointer<UInt32> {
    (UnsafeMutableRawPointer(block) + MemoryLayout<cisolation_block>.size)
      .assumingMemoryBound(to: UInt32.self)
  }

  /// The parameter values of a request. [any]
  @_noLocks
  func changes(
    _ block: UnsafeMutablePointer<cisolation_block>
  ) -> UnsafeMutablePointer<cisolation_change> {
    (UnsafeMutableRawPointer(block) + changesOffset)
      .assumingMemoryBound(to: cisolation_change.self)
  }

  /// The MIDI for the worker. [any]
  @_noLocks
  func events(_ block: UnsafeMutablePointer<cisolation_block>) -> UnsafeMutablePointer<UInt8> {
    (UnsafeMutableRawPointer(block) + eventsOffset).assumingMemoryBound(to: UInt8.self)
  }

  /// The MIDI of the worker. [any]
  @_noLocks
  func sentEvents(_ block: UnsafeMutablePointer<cisolation_block>) -> UnsafeMutablePointer<UInt8> {
    (UnsafeMutableRawPointer(block) + sentOffset).assumingMemoryBound(to: UInt8.self)
  }

  /// A channel: the inputs, then the outputs. [any]
  @_noLocks
  func channel(
    _ block: UnsafeMutablePointer<cisolation_block>, _ index: Int
  ) -> UnsafeMutablePointer<Float> {
    (UnsafeMutableRawPointer(block) + audioOffset).assumingMemoryBound(to: Float.self)
      + index &* strideFrames
  }
}

/// Shared memory of one node, mapped in this process until it is freed.
final class SharedMemory {
  /// The start of the memory.
  let block: UnsafeMutablePointer<cisolation_block>
  /// Where its parts begin.
  let layout: BlockLayout
  /// The descriptor; closed with this object.
  let descriptor: Int32

  /// Creates memory of a layout. [main]
  ///
  /// - Returns: nil with errno set if there is not enough.
  init?(_ layout: BlockLayout) {
    let descriptor = cisolation_create_memory(layout.byteCount)
    guard descriptor >= 0 else {
      errno = -descriptor
      return nil
    }
    guard let address = cisolation_map(descriptor, layout.byteCount) else {
      let code = errno
      close(descriptor)
      errno = code
      return nil
    }
    self.descriptor = descriptor
    self.layout = layout
    block = address.assumingMemoryBound(to: cisolation_block.self)
  }

  /// Maps the memory of another process. [main]
  init?(_ layout: BlockLayout, descriptor: Int32) {
    guard let address = cisolation_map(descriptor, layout.byteCount) else { return nil }
    self.descriptor = descriptor
    self.layout = layout
    block = address.assumingMemoryBound(to: cisolation_block.self)
  }

  deinit {
    cisolation_unmap(block, layout.byteCount)
    close(descriptor)
  }
}
