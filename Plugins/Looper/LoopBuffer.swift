// LoopBuffer.swift: the memory of a loop and of its versions before each overdub. SPDX-License-Identifier: MIT
//
// One ring of frames holds the take and, behind it, one place for each version that an overdub made of it;
// as many as fit can be gone back to. A version is begun where the overdub begins, and filled up from
// the one below as time goes on, so that nothing is ever copied at once.

import ModuleKit

/// A version of the loop, which may be filled in part.
struct Layer {
  /// Where it begins on the tape.
  var start = 0
  /// Where the one lies that it was made from, which is whole.
  var below = 0
  /// Frames of the loop.
  var length = 0
  /// Frames from `first` on, round the loop's end, that it holds; the others are those of the one below.
  var first = 0
  var count = 0

  /// How far a frame lies behind the first one.
  @_noLocks
  @inline(__always)
  func offset(_ frame: Int) -> Int {
    let offset = frame - first
    return offset < 0 ? offset + length : offset
  }

  /// Whether it holds all frames.
  var isWhole: Bool { @_noLocks get { count == length } }

  /// Nothing.
  @_noLocks
  init() {}

  /// One that holds nothing, and is to begin at a frame.
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

/// A loop of so many frames, in versions.
struct LoopBuffer {
  /// Frames that are filled up for each that goes by.
  private static let fillFrames = 128
  /// What is louder is no sound that a loop should grow to: 18 dB above full scale.
  private static let loudest: Float = 8

  private let frames: UnsafeMutablePointer<SIMD2<Float>>
  private let capacity: Int
  /// Where the take begins.
  private var origin = 0
  /// Frames of the loop; 0 where there is none.
  private(set) var length = 0
  /// How many versions fit.
  private var places = 2
  /// The one that is heard, and the last that there is, counted from the take.
  private(set) var current = 0
  private var last = 0
  /// The versions that are heard and last; all between the take and the last one are whole.
  private(set) var heard = Layer()
  private var top = Layer()

  /// Takes memory for takes of half as many frames, silent. [main]
  init(capacity: Int) {
    self.capacity = capacity
    frames = .allocate(capacity: capacity)
    // Touched here, so that the audio thread meets no page that is not there yet.
    frames.initialize(repeating: .zero, count: capacity)
  }

  /// Gives the memory back. [main]
  func free() { frames.deallocate() }

  /// The longest take, in frames.
  var longest: Int { @_noLocks get { capacity / 2 } }
  /// How many overdubs can be taken back.
  var undoCount: Int { @_noLocks get { min(current, places - 1 - (last - current)) } }
  /// How many can be brought back.
  var redoCount: Int { @_noLocks get { last - current } }

  @_noLocks
  @inline(__always)
  private func place(_ start: Int, _ frame: Int) -> Int {
    let place = start + frame
    return place < capacity ? place : place - capacity
  }

  // MARK: - The take

  /// Forgets the loop, so that a take may begin: behind what is heard now, which stays as long as it takes to
  /// fade it out. [render]
  @_noLocks
  mutating func clear() {
    if length > 0 { origin = place(heard.start, length) }
    length = 0
    current = 0
    last = 0
    heard = Layer()
    top = heard
  }

  /// Writes a frame of the take. [render]
  @_noLocks
  @inline(__always)
  func write(_ sound: SIMD2<Float>, atTake frame: Int) {
    frames[place(origin, frame)] = Self.bounded(sound)
  }

  /// A frame of the take. [render]
  @_noLocks
  @inline(__always)
  func take(at frame: Int) -> SIMD2<Float> { frames[place(origin, frame)] }

  /// Makes a loop of the first frames of the take. [render]
  @_noLocks
  mutating func endTake(length: Int) {
    self.length = length
    places = capacity / length
    heard = Layer(start: origin, length: length)
    top = heard
  }

  // MARK: - Versions

  /// A frame of a version. [render]
  @_noLocks
  @inline(__always)
  func read(_ version: Layer, _ frame: Int) -> SIMD2<Float> {
    let isHeld = version.offset(frame) < version.count
    return frames[place(isHeld ? version.start : version.below, frame)]
  }

  /// Begins a version, from a frame on; false while the last one is still being filled up. [render]
  @_noLocks
  mutating func beginVersion(at frame: Int) -> Bool {
    guard heard.isWhole else { return false }
    let below = heard.start
    current += 1
    last = current
    let start = place(origin, current % places * length)
    heard = Layer(start: start, below: below, length: length, first: frame)
    top = heard
    return true
  }

  /// Writes a frame of the version that is heard. [render]
  @_noLocks
  @inline(__always)
  mutating func overdub(_ sound: SIMD2<Float>, at frame: Int) {
    frames[place(heard.start, frame)] = Self.bounded(sound)
    if heard.offset(frame) == heard.count { heard.count += 1 }
    top = heard
  }

  /// Fills the last version up. [render]
  @_noLocks
  @inline(__always)
  mutating func fill() {
    guard !top.isWhole else { return }
    for _ in 0 ..< min(Self.fillFrames, length - top.count) {
      var frame = top.first + top.count
      if frame >= length { frame -= length }
      frames[place(top.start, frame)] = frames[place(top.below, frame)]
      top.count += 1
    }
    if current == last { heard = top }
  }

  /// Goes back to the version before; false where there is none. [render]
  @_noLocks
  mutating func undo() -> Bool {
    guard undoCount > 0 else { return false }
    current -= 1
    heard = whole(current)
    return true
  }

  /// Brings back what was taken back; false where there is nothing. [render]
  @_noLocks
  mutating func redo() -> Bool {
    guard current < last else { return false }
    current += 1
    heard = current == last ? top : whole(current)
    return true
  }

  @_noLocks
  private func whole(_ number: Int) -> Layer {
    let start = place(origin, number % places * length)
    return Layer(start: start, length: length)
  }

  /// No number becomes silence.
  @_noLocks
  @inline(__always)
  private static func bounded(_ sound: SIMD2<Float>) -> SIMD2<Float> {
    let kept = SampleGuard.kept(sound)
    return kept.clamped(
      lowerBound: SIMD2(repeating: -loudest), upperBound: SIMD2(repeating: loudest))
  }
}
