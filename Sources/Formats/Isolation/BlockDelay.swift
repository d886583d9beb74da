// BlockDelay.swift: delays the output of an isolated node by one block. SPDX-License-Identifier: MIT
//
// Real-time code, apart from the creation: nothing here allocates, locks, waits or throws.

internal import CIsolation
internal import CRealtime
internal import PluginModel
internal import RealtimeKit

/// What a node needs whose answers are used one block later: the answers until they are due, and the inputs of its
/// bypass, both delayed by the longest block.
///
/// A ring of as many frames as the delay suffices: each block reads the frames that it then replaces.
struct BlockDelay: ~Copyable {
  /// The room for MIDI, in bytes.
  private static let eventCapacityBytes = 1 << 16
  /// The part of it that is reserved for ends of notes.
  private static var sparedEventBytes: Int { @_noLocks get { 16_384 } }

  /// The delay in frames.
  let frameCount: Int
  private let answers: PlanarBuffer
  private let inputs: PlanarBuffer
  /// The delayed inputs of the current block.
  private let delayed: PlanarBuffer
  private let silence: UnsafeMutablePointer<Float>
  private let events: MessageRing
  private let eventBytes: UnsafeMutableRawPointer

  /// The number of frames that the node has received, and how many of them were before the request.
  private var position: Int64 = 0
  private var requestStart: Int64 = 0
  /// The frames whose answers are available, and whether those of later frames are missing.
  private var valid: (from: Int64, to: Int64)
  private var hasGap = false
  /// The number of frames of the open request, and when it was passed to the worker, in ns.
  var requestFrameCount: UInt32 = 0
  var requestTime: UInt64 = 0
  /// The start of the block whose pieces are collected, in ns, and the number of its frames that have come.
  var blockStart: UInt64 = 0
  var blockFrameCount = 0

  /// Creates a delay of the longest block. [main]
  init(_ shape: NodeShape, _ configuration: NodeConfiguration) {
    frameCount = configuration.maximumFrameCount
    let dryCount = shape.inputCount == 1 ? 1 : min(shape.inputCount, shape.outputCount)
    answers = PlanarBuffer(channelCount: shape.outputCount, frameCapacity: frameCount)
    inputs = PlanarBuffer(channelCount: dryCount, frameCapacity: frameCount)
    delayed = PlanarBuffer(channelCount: dryCount, frameCapacity: frameCount)
    silence = .allocate(capacity: frameCount)
    silence.initialize(repeating: 0, count: frameCount)
    events = MessageRing(
      capacityBytes: shape.flags.contains(.sendsEvents) ? Self.eventCapacityBytes : 64)
    eventBytes = .allocate(byteCount: events.maximumByteCount, alignment: 16)
    valid = (-Int64(frameCount), 0)
  }

  deinit {
    silence.deallocate()
    eventBytes.deallocate()
  }

  /// Forgets all frames. [main, not rendering]
  mutating func reset() {
    for channel in 0 ..< answers.channelCount {
      crealtime_zero(answers[channel], UInt32(truncatingIfNeeded: frameCount))
    }
    for channel in 0 ..< inputs.channelCount {
      crealtime_zero(inputs[channel], UInt32(truncatingIfNeeded: frameCount))
    }
    while events.nextTime() != nil { _ = events.take(into: eventBytes) }
    (position, valid, hasGap) = (0, (-Int64(frameCount), 0), false)
  }

  // MARK: - Answers

  /// Begins a request with the next frame. [render]
  @_noLocks
  mutating func beginRequest() {
    requestStart = position
    guard hasGap else { return }
    (valid, hasGap) = ((position, position), false)
  }

  /// Records that the frames since the last answer get none. [render]
  @_noLocks
  mutating func markGap() { hasGap = true }

  /// Keeps the answer to the request. [render]
  @_noLocks
  mutating func keep(
    _ layout: BlockLayout, _ block: UnsafeMutablePointer<cisolation_block>, firstOutput: Int
  ) {
    for channel in 0 ..< answers.channelCount {
      copyIntoRing(
        layout.channel(block, firstOutput &+ channel), answers[channel],
        at: ringIndex(of: requestStart), capacity: frameCount, count: Int(requestFrameCount))
    }
    valid.to = requestStart &+ Int64(requestFrameCount)
    let used = cisolation_sent_bytes(block)
    var offset: UInt32 = 0
    while true {
      let event = cisolation_next_event(layout.sentEvents(block), used, &offset)
      guard let bytes = event.bytes else { return }
      let frame = requestStart &+ Int64(min(event.frame, max(requestFrameCount, 1) &- 1))
      let spared = endsNote(bytes, Int(event.count)) ? 0 : Self.sparedEventBytes
      _ = events.write(
        time: UInt64(frame &+ Int64(frameCount)), bytes, Int(event.count), sparingBytes: spared)
    }
  }

  /// Writes the answers that are due in the next frames; returns false if they are missing. [render]
  @_noLocks
  func write(
    to outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: UInt32
  ) -> Bool {
    let first = position &- Int64(frameCount)
    guard first >= valid.from, first &+ Int64(count) <= valid.to else { return false }
    for channel in 0 ..< answers.channelCount {
      copyOutOfRing(
        answers[channel], at: ringIndex(of: position), capacity: frameCount, outputs[channel],
        count: Int(count))
    }
    return true
  }

  /// Adds the MIDI that is due in the next frames. [render]
  @_noLocks
  func write(to queue: UnsafeMutablePointer<EventQueue>, _ count: UInt32) {
    let end = UInt64(position &+ Int64(count))
    while let time = events.nextTime(), time < end {
      let byteCount = events.take(into: eventBytes)
      let frame = max(0, Int64(time) &- position)
      queue.pointee.add(
        frame: UInt32(truncatingIfNeeded: frame), eventBytes.assumingMemoryBound(to: UInt8.self),
        byteCount)
    }
  }

  // MARK: - Inputs

  /// Delays the inputs of the next frames. [render]
  @_noLocks
  func delay(
    _ channels: UnsafePointer<UnsafeMutablePointer<Float>>,
    unconnected: UnsafeMutablePointer<Float>, _ count: UInt32
  ) {
    let index = ringIndex(of: position)
    for channel in 0 ..< inputs.channelCount {
      copyOutOfRing(
        inputs[channel], at: index, capacity: frameCount, delayed[channel], count: Int(count))
      copyIntoRing(
        channels[channel] == unconnected ? silence : channels[channel], inputs[channel],
        at: index, capacity: frameCount, count: Int(count))
    }
  }

  /// The delayed inputs of the next frames. [render]
  var delayedInputs: UnsafePointer<UnsafeMutablePointer<Float>> {
    @_noLocks get { UnsafePointer(delayed.channels) }
  }

  /// Advances by a number of frames. [render]
  @_noLocks
  mutating func advance(_ count: UInt32) { position &+= Int64(count) }

  @_noLocks
  private func ringIndex(of frame: Int64) -> Int { Int(frame % Int64(frameCount)) }
}
