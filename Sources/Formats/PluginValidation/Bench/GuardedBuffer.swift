// GuardedBuffer.swift: a channel whose borders are watched. SPDX-License-Identifier: MIT

internal import Glibc

/// One channel of samples between a pattern that must stay and, behind the longest block, a page that
/// must not be touched.
///
/// What is written past a block changes the pattern; what reaches past the longest block ends the
/// process, which is the crash that it would be in a host sooner or later.
final class GuardedBuffer {
  /// A number that no plugin computes: a quiet NaN of our own.
  static let pattern: UInt32 = 0x7fc0_dead
  /// How many samples before the block are watched.
  private static let marginFrames = 64

  let samples: UnsafeMutablePointer<Float>
  let maximumFrameCount: Int
  private let mapping: UnsafeMutableRawPointer
  private let byteCount: Int

  /// A row of up to `maximumFrameCount` frames, starting at a multiple of 64 bytes if that number is a
  /// multiple of 16.
  init(maximumFrameCount: Int) {
    self.maximumFrameCount = maximumFrameCount
    let page = sysconf(Int32(_SC_PAGESIZE))
    let needed = (maximumFrameCount + Self.marginFrames) * MemoryLayout<Float>.stride
    let pages = (needed + page - 1) / page
    byteCount = (pages + 1) * page
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0),
      start != MAP_FAILED
    else { fatalError("no memory for a channel of \(maximumFrameCount) frames") }
    mapping = start
    mprotect(mapping + pages * page, page, PROT_NONE)
    let end = (mapping + pages * page).assumingMemoryBound(to: Float.self)
    samples = end - maximumFrameCount
    fillWithPattern()
  }

  deinit { munmap(mapping, byteCount) }

  /// Puts the pattern everywhere.
  func fillWithPattern() {
    let pattern = Float(bitPattern: Self.pattern)
    (samples - Self.marginFrames).update(
      repeating: pattern, count: maximumFrameCount + Self.marginFrames)
  }

  /// Whether the pattern stands around a block of so many frames.
  func isIntact(around frameCount: Int) -> Bool {
    (-Self.marginFrames ..< 0).allSatisfy { isPattern($0) }
      && (frameCount ..< maximumFrameCount).allSatisfy { isPattern($0) }
  }

  /// Whether nothing was written at a position.
  func isPattern(_ frame: Int) -> Bool { samples[frame].bitPattern == Self.pattern }
}
