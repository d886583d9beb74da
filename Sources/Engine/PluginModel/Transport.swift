// Transport.swift: musical time, which all nodes of a graph share. SPDX-License-Identifier: MIT

import Synchronization

/// Tempo, time signature, and whether the transport rolls.
package struct TransportSettings: Sendable, Equatable {
  /// The tempos that there are, in beats a minute.
  package static let temposBPM = 1.0 ... 999.0
  /// The numbers of beats that a bar may have.
  package static let barBeats = 1 ... 64
  /// The note values that may count as one beat: 4 is a quarter note.
  package static let beatUnits = [1, 2, 4, 8, 16, 32, 64]

  /// Beats of the meter a minute.
  package var beatsPerMinute = 120.0
  /// Beats in a bar.
  package var beatsPerBar = 4
  /// The note value that counts as one beat: 4 is a quarter note.
  package var beatUnit = 4
  /// Whether the transport rolls; if it does not, audio continues.
  package var isRolling = true

  /// 120 beats a minute in four quarters, rolling.
  package init() {}
}

/// The musical position at the first frame of a block.
package struct TransportPosition: BitwiseCopyable, Sendable {
  /// Frames since the start of the transport; negative before it.
  package var frame: Int64 = 0
  /// Beats since the beginning.
  package var beat = 0.0
  /// Bars since the beginning, the first being 0.
  package var bar: Int64 = 0
  /// Beats since the beginning of the bar, below `beatsPerBar`.
  package var barBeat = 0.0
  /// Beats in a bar.
  package var beatsPerBar = 4.0
  /// The note value that counts as one beat.
  package var beatUnit: Int32 = 4
  /// Beats a minute.
  package var beatsPerMinute = 120.0
  /// Frames a second.
  package var framesPerSecond = 48_000.0
  /// 1 while the transport rolls, otherwise 0.
  package var speed = 0.0
  /// Counts starts, jumps and changes: while it is the same, time has advanced continuously; 0
  /// before the first block.
  package var changeCount: UInt32 = 0

  /// Returns the position for a node whose input is delayed by this number of frames. [render]
  @_noLocks
  package func position(delayedBy frameCount: Int) -> TransportPosition {
    guard frameCount != 0 else { return self }
    var position = self
    position.frame &-= Int64(frameCount)
    position.setBeat(
      beat - Double(frameCount) * speed * beatsPerMinute / (60 * framesPerSecond))
    return position
  }

  @_noLocks
  mutating func setBeat(_ beat: Double) {
    self.beat = beat
    var bar = Int64(beat / beatsPerBar)
    if Double(bar) * beatsPerBar > beat { bar &-= 1 }
    self.bar = bar
    barBeat = max(0, beat - Double(bar) * beatsPerBar)
  }
}

/// The time of an engine's current block.
package struct BlockTime: BitwiseCopyable {
  /// The earliest time at which the block could be rendered, on CLOCK_MONOTONIC in ns.
  package var start: UnsafePointer<UInt64>
  /// The length in frames.
  package var frameCount: UnsafePointer<Int>

  /// The time of an engine that lives as long as its nodes render.
  package init(start: UnsafePointer<UInt64>, frameCount: UnsafePointer<Int>) {
    (self.start, self.frameCount) = (start, frameCount)
  }
}

/// The audio thread's state of a transport, at a fixed address.
package struct TransportState: ~Copyable {
  /// The position of the current block; written at its start, read by nodes.
  package internal(set) var position = TransportPosition()

  /// The frame from which positions are computed: sums over blocks would depend on the block
  /// length.
  var anchorFrame: Int64 = 0
  var anchorBeat = 0.0
  fileprivate var nextFrame: Int64 = 0

  // Changes from the main thread, which take effect at the next block.
  fileprivate let requestedChangeCount = Atomic<UInt32>(1)
  fileprivate var appliedChangeCount: UInt32 = 0
  let tempoBits: Atomic<UInt64>
  let isRolling: Atomic<Bool>
  fileprivate let locateCount = Atomic<UInt32>(0)
  fileprivate var appliedLocateCount: UInt32 = 0
  fileprivate let locateFrame = Atomic<Int64>(0)

  /// The time of the current block, for nodes that wait for a deadline; nil before there is an
  /// engine. [set: main, not rendering]
  package var blockTime: BlockTime?
  /// The external clock; nil if there is none. [set: main, not rendering]
  var follower: ClockFollower?

  fileprivate init(_ settings: TransportSettings, sampleRateHz: Double) {
    tempoBits = Atomic(settings.beatsPerMinute.bitPattern)
    isRolling = Atomic(settings.isRolling)
    position.beatsPerBar = Double(settings.beatsPerBar)
    position.beatUnit = Int32(settings.beatUnit)
    position.beatsPerMinute = settings.beatsPerMinute
    position.framesPerSecond = sampleRateHz
  }
}

extension TransportState {
  /// Returns the frame of a beat, and the distance after it, at the current tempo.
  ///
  /// The result is the same within any block until the next change. [render]
  @_noLocks
  package func frame(ofBeat beat: Double) -> Double {
    Double(anchorFrame)
      + (beat - anchorBeat) * (60 * position.framesPerSecond / position.beatsPerMinute)
  }

  /// Returns the beat at a frame, at the current tempo. [render]
  @_noLocks
  package func beat(ofFrame frame: Int64) -> Double {
    anchorBeat
      + Double(frame &- anchorFrame) * position.beatsPerMinute / (60 * position.framesPerSecond)
  }
}

/// Brings musical time to the first frame of a block that is about to be rendered. [render]
@_noLocks
package func advanceTransport(_ state: UnsafeMutablePointer<TransportState>, _ frameCount: Int) {
  state.pointee.position.frame = state.pointee.nextFrame
  // Pairs with the releasing additions in `Transport`.
  let requested = state.pointee.requestedChangeCount.load(ordering: .acquiring)
  if requested != state.pointee.appliedChangeCount {
    state.pointee.appliedChangeCount = requested
    applyPendingChanges(state)
  }
  if state.pointee.follower != nil { followClock(state, frameCount) }
  let position = state.pointee.position
  state.pointee.position.setBeat(state.pointee.beat(ofFrame: position.frame))
  let isMoving = position.speed > 0
  state.pointee.nextFrame = position.frame &+ (isMoving ? Int64(frameCount) : 0)
}

/// Sets the position of the next block, in a process that gets it from another one. [render]
@_noLocks
package func setTransportPosition(
  _ state: UnsafeMutablePointer<TransportState>, _ position: TransportPosition
) {
  state.pointee.position = position
}

@_noLocks
private func applyPendingChanges(_ state: UnsafeMutablePointer<TransportState>) {
  let position = state.pointee.position
  // The beat continues from its position at any new tempo.
  let beat = state.pointee.beat(ofFrame: position.frame)
  let tempo = Double(bitPattern: state.pointee.tempoBits.load(ordering: .relaxed))
  state.pointee.position.beatsPerMinute = tempo
  state.pointee.position.speed = state.pointee.isRolling.load(ordering: .relaxed) ? 1 : 0
  state.pointee.anchorFrame = position.frame
  state.pointee.anchorBeat = beat
  let locates = state.pointee.locateCount.load(ordering: .relaxed)
  if locates != state.pointee.appliedLocateCount {
    state.pointee.appliedLocateCount = locates
    let frame = state.pointee.locateFrame.load(ordering: .relaxed)
    state.pointee.position.frame = frame
    state.pointee.anchorFrame = frame
    state.pointee.anchorBeat = Double(frame) * tempo / (60 * position.framesPerSecond)
  }
  state.pointee.position.changeCount &+= 1
}

/// The owner of a graph's musical time: the engine advances it, nodes read it.
package final class Transport: Sendable {
  /// For the render path and for nodes; valid as long as this object lives.
  ///
  /// Written only by the audio thread; data for other threads is atomic.
  package nonisolated(unsafe) let pointer: UnsafeMutablePointer<TransportState>

  /// Musical time at its beginning. [main]
  package init(_ settings: TransportSettings = TransportSettings(), sampleRateHz: Double) {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: TransportState(settings, sampleRateHz: sampleRateHz))
  }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }

  /// The tempo in beats a minute; that of the external clock while it is followed. [any]
  package var beatsPerMinute: Double {
    Double(bitPattern: pointer.pointee.tempoBits.load(ordering: .relaxed))
  }

  /// Whether the transport rolls. [any]
  package var isRolling: Bool { pointer.pointee.isRolling.load(ordering: .relaxed) }

  /// Changes the tempo, in beats a minute, from the next block on. [main]
  package func setTempo(_ beatsPerMinute: Double) {
    pointer.pointee.tempoBits.store(beatsPerMinute.bitPattern, ordering: .relaxed)
    pointer.pointee.requestedChangeCount.add(1, ordering: .releasing)
  }

  /// Starts or stops the transport from the next block on. [main]
  package func setRolling(_ isRolling: Bool) {
    pointer.pointee.isRolling.store(isRolling, ordering: .relaxed)
    pointer.pointee.requestedChangeCount.add(1, ordering: .releasing)
  }

  /// Jumps to a frame, counted from the beginning at the present tempo, at the next block. [main]
  package func locate(frame: Int64) {
    pointer.pointee.locateFrame.store(frame, ordering: .relaxed)
    pointer.pointee.locateCount.add(1, ordering: .relaxed)
    pointer.pointee.requestedChangeCount.add(1, ordering: .releasing)
  }

  /// Continues from the beat of another transport, whose rate may differ. [main, neither rendering]
  package func proceed(from other: Transport) {
    let position = other.pointer.pointee.position
    let tempo = other.beatsPerMinute
    setTempo(tempo)
    setRolling(other.isRolling)
    let beatFrames = 60 * pointer.pointee.position.framesPerSecond / tempo
    locate(frame: Int64((position.beat * beatFrames).rounded()))
  }
}

extension Transport: Equatable {
  /// Whether both are the same object. [any]
  package static func == (one: Transport, other: Transport) -> Bool { one === other }
}
