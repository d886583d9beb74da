// MIDIQueue.swift: MIDI messages of a block, each in its time. SPDX-License-Identifier: MIT

/// A message of three bytes, and when it takes effect.
public struct MIDIMessage {
  /// Frames after the start of the block.
  public let frame: Int
  /// What it is, with the channel in the low four bits.
  public let status: UInt8
  /// The first byte after the status: a key, a controller.
  public let first: UInt8
  /// The second one: a velocity, a value.
  public let second: UInt8
}

/// What `AudioModule.midi` has handed over for the block to come.
public struct MIDIQueue {
  private static let capacity = 1_024
  private let messages: UnsafeMutablePointer<MIDIMessage>
  private var count = 0
  private var next = 0
  /// Whether there was no room for some: the end of a note may be among them.
  public private(set) var hasLostSome = false

  /// Takes memory. [main]
  public init() { messages = .allocate(capacity: Self.capacity) }

  /// Gives the memory back. [main]
  public func free() { messages.deallocate() }

  /// Forgets all messages. [render]
  @_noLocks
  public mutating func clear() {
    count = 0
    next = 0
    hasLostSome = false
  }

  /// Keeps a message for the next block; those of another length than three bytes are passed over. [render]
  @_noLocks
  public mutating func take(frame: Int, _ bytes: UnsafePointer<UInt8>, byteCount: Int) {
    guard byteCount == 3 else { return }
    guard count < Self.capacity else {
      hasLostSome = true
      return
    }
    messages[count] = MIDIMessage(frame: frame, status: bytes[0], first: bytes[1], second: bytes[2])
    count += 1
  }

  /// The next message that is due at a frame or before it. [render]
  @_noLocks
  public mutating func pop(upTo frame: Int) -> MIDIMessage? {
    guard next < count, messages[next].frame <= frame else { return nil }
    next += 1
    return messages[next - 1]
  }

  /// When the next message is due, or `end` if that is earlier. [render]
  @_noLocks
  public func nextFrame(end: Int) -> Int { next < count ? min(messages[next].frame, end) : end }
}
