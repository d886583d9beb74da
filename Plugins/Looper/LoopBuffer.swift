// LoopBuffer.swift: the memory of a loop and its versions before each overdub. SPDX-License-Identifier: MIT
//
// One ring of frames holds the take and after it one slot for each version that an overdub created; as many
// overdubs as fit can be undone. A version begins where its overdub begins, and is gradually filled from the
// previous version, so that nothing is copied at once.

import ModuleKit

/// A version of the loop, which may be partly filled.
struct Layer {
  /// The start in the memory.
  var start = 0
  /// The start of the version that it was made from, which is complete.
  var below = 0
  /// Frames of the loop.
  var length = 0
  /// The frames that it contains, from `first` on around the loop's end; other frames are those of the
  /// previous version.
  var first = 0
  var count = 0

  /// Returns the distance of a frame from the first one.
  @_noLocks
  @inline(__always)
  func offset(_ frame: Int) -> Int {
    let offset = frame - first
    return offset < 0 ? offset + length : offset
  }

  /// Whether the layer contains all frames.
  var isWhole: Bool { @_noLocks get { count == length } }

  /// An empty layer.
  @_noLocks
  init() {}

  /// Creates an empty version that begins at a frame.
  @_noLocks
  init(start: Int, below: Int, length: Int, first: Int) {
    self.start = start
    self.below = below
    self.length = length
    self.first = first
  }

  /// One that is whole.
  @_noLocks
  init(start: Int, length: Int) {
    self.start = start
    below = start
    self.length = length
    count = length
  }
}

/// A loop with its versions.
struct LoopBuffer {
  /// The number of frames that are filled for each frame that is played.
  private static let fillFrames = 128
  /// The limit of a loop's samples: 18 dB above full scale.
  private static let loudest: Float = 8

  private let frames: UnsafeMutablePointer<SIMD2<Float>>
  private let capacity: Int
  /// The start of the take.
  private var origin = 0
  /// The length of the loop in frames; 0 if there is none.
  private(set) var length = 0
  /// The number of versions that fit.
  private var layerCapacity = 2
  /// The active version, and the last one, counted from the take.
  private(set) var current = 0
  private var last = 0
  /// The active and the last version; all between the take and the last one are complete.
  private(set) var audible = Layer()
  private var top = Layer()

  /// Takes memory for takes of half as many frames, silent. [main]
  init(capacity: Int) {
    self.capacity = capacity
    frames = .allocate(capacity: capacity)
    // Touched here, so that the audio thread meets no page that is not there yet.
    frames.initialize(repeating: .zero, count: capacity)
  }

  /// Frees the memory. [main]
  func free() { frames.deallocate() }

  /// The longest take, in frames.
  var longest: Int { @_noLocks get { capacity / 2 } }
  /// The number of overdubs that can be undone.
  var undoCount: Int { @_noLocks get { min(current, layerCapacity - 1 - (last - current)) } }
  /// The number of overdubs that can be redone.
  var redoCount: Int { @_noLocks get { last - current } }

  @_noLocks
  @inline(__always)
  private func position(_ start: Int, _ frame: Int) -> Int {
    let position = start + frame
    return position < capacity ? position : position - capacity
  }

  // MARK: - The take

  /// Clears the loop before a take.
  ///
  /// The take begins after the active version, which stays until it has faded out. [render]
  @_noLocks
  mutating func clear() {
    if length > 0 { origin = position(audible.start, length) }
    length = 0
    current = 0
    last = 0
    audible = Layer()
    top = audible
  }

  /// Writes a frame of the take. [render]
  @_noLocks
  @inline(__always)
  func write(_ sound: SIMD2<Float>, atTake frame: Int) {
    frames[position(origin, frame)] = Self.bounded(sound)
  }

  /// A frame of the take. [render]
  @_noLocks
  @inline(__always)
  func take(at frame: Int) -> SIMD2<Float> { frames[position(origin, frame)] }

  /// Makes a loop of the first frames of the take. [render]
  @_noLocks
  mutating func endTake(length: Int) {
    self.length = length
    layerCapacity = capacity / length
    audible = Layer(start: origin, length: length)
    top = audible
  }

  // MARK: - Versions

  /// A frame of a version. [render]
  @_noLocks
  @inline(__always)
  func read(_ version: Layer, _ frame: Int) -> SIMD2<Float> {
    let isHeld = version.offset(frame) < version.count
    return frames[position(isHeld ? version.start : version.below, frame)]
  }

  /// Begins a version at a frame; returns false while the last one is still being filled. [render]
  @_noLocks
  mutating func beginVersion(at frame: Int) -> Bool {
    guard audible.isWhole else { return false }
    let below = audible.start
    current += 1
    last = current
    let start = position(origin, current % layerCapacity * length)
    audible = Layer(start: start, below: below, length: length, first: frame)
    top = audible
    return true
  }

  /// Writes a frame of the active version. [render]
  @_noLocks
  @inline(__always)
  mutating func overdub(_ sound: SIMD2<Float>, at frame: Int) {
    frames[position(audible.start, frame)] = Self.bounded(sound)
    if audible.offset(frame) == audible.count { audible.count += 1 }
    top = audible
  }

  /// Fills the last version up. [render]
  @_noLocks
  @inline(__always)
  mutating func fill() {
    guard !top.isWhole else { return }
    for _ in 0 ..< min(Self.fillFrames, length - top.count) {
      var frame = top.first + top.count
      if frame >= length { frame -= length }
      frames[position(top.start, frame)] = frames[position(top.below, frame)]
      top.count += 1
    }
    if current == last { audible = top }
  }

  /// Returns to the previous version; returns false if there is none. [render]
  @_noLocks
  mutating func undo() -> Bool {
    guard undoCount > 0 else { return false }
    current -= 1
    audible = whole(current)
    return true
  }

  /// Redoes the last undone overdub; returns false if there is none. [render]
  @_noLocks
  mutating func redo() -> Bool {
    guard current < last else { return false }
    current += 1
    audible = current == last ? top : whole(current)
    return true
  }

  @_noLocks
  private func whole(_ number: Int) -> Layer {
    let start = position(origin, number % layerCapacity * length)
    return Layer(start: start, length: length)
  }

  /// Replaces NaN and infinity by silence.
  @_noLocks
  @inline(__always)
  private static func bounded(_ sound: SIMD2<Float>) -> SIMD2<Float> {
    let kept = SampleGuard.flushed(sound)
    return kept.clamped(
      lowerBound: SIMD2(repeating: -loudest), upperBound: SIMD2(repeating: loudest))
  }
}
