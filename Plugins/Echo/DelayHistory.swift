// DelayHistory.swift: the last seconds of two channels. SPDX-License-Identifier: MIT

/// Stereo frames in memory that the owner allocates and frees; ages are counted from the newest, 0.
struct DelayHistory {
  private let frames: UnsafeMutablePointer<SIMD2<Float>>
  private let mask: Int
  private var newest: Int

  /// Allocates memory for delays up to `maximumDelay` frames, filled with silence. [main]
  init(maximumDelay: Int) {
    var length = 8
    while length <= maximumDelay { length *= 2 }
    frames = .allocate(capacity: length)
    mask = length - 1
    newest = mask
    clear()
  }

  /// Frees the memory. [main]
  func free() { frames.deallocate() }

  /// Forgets everything. [render]
  @_noLocks
  func clear() { frames.update(repeating: .zero, count: mask + 1) }

  /// Writes the next frame. [render]
  @_noLocks
  @inline(__always)
  mutating func write(_ frame: SIMD2<Float>) {
    newest = (newest + 1) & mask
    frames[newest] = frame
  }

  /// The frame of an age, 0 to the maximum. [render]
  @_noLocks
  @inline(__always)
  func read(age: Int) -> SIMD2<Float> { frames[(newest - age) & mask] }
}
