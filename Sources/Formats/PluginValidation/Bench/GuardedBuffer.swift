// GuardedBuffer.swift: a channel buffer with guards. SPDX-License-Identifier: MIT

internal import Glibc

/// A channel buffer between guard patterns, with an inaccessible page after the longest block.
///
/// A write outside the block changes the pattern. A write after the longest block crashes the process, as it
/// might in a host.
@safe final class GuardedBuffer {
  /// A value that no plugin computes: a specific quiet NaN.
  static let pattern: UInt32 = 0x7fc0_dead
  /// The number of guarded samples before the block.
  private static let marginFrames = 64

  let samples: UnsafeMutablePointer<Float>
  let maximumFrameCount: Int
  private let mapping: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Allocates a buffer for up to `maximumFrameCount` frames; aligned to 64 bytes if that is a multiple of 16.
  init(maximumFrameCount: Int) {
    self.maximumFrameCount = maximumFrameCount
    let page = sysconf(Int32(_SC_PAGESIZE))
    let needed = (maximumFrameCount + Self.marginFrames) * MemoryLayout<Float>.stride
    let pages = (needed + page - 1) / page
    byteCount = (pages + 1) * page
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let start = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0),
      unsafe start != MAP_FAILED
    else { fatalError("no memory for a channel of \(maximumFrameCount) frames") }
    unsafe mapping = start
    unsafe mprotect(mapping + pages * page, page, PROT_NONE)
    let end = unsafe (mapping + pages * page).assumingMemoryBound(to: Float.self)
    unsafe samples = end - maximumFrameCount
    fillWithPattern()
  }

  deinit { unsafe munmap(mapping, byteCount) }

  /// Fills the buffer and the guards with the pattern.
  func fillWithPattern() {
    let pattern = Float(bitPattern: Self.pattern)
    unsafe (samples - Self.marginFrames).update(
      repeating: pattern, count: maximumFrameCount + Self.marginFrames)
  }

  /// Whether the guards around a block are unchanged.
  func isIntact(around frameCount: Int) -> Bool {
    (-Self.marginFrames ..< 0).allSatisfy { isUntouched($0) }
      && (frameCount ..< maximumFrameCount).allSatisfy { isUntouched($0) }
  }

  /// Whether a position is unwritten.
  func isUntouched(_ frame: Int) -> Bool { unsafe samples[frame].bitPattern == Self.pattern }
}
