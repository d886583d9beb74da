// MIDIQueue.swift: the MIDI messages of a block. SPDX-License-Identifier: MIT

/// A MIDI message of three bytes with its time.
public struct MIDIMessage {
  /// Frames after the start of the block.
  public let frame: Int
  /// The status byte, with the channel in the low four bits.
  public let status: UInt8
  /// The first data byte: a key or controller.
  public let first: UInt8
  /// The second data byte: a velocity or value.
  public let second: UInt8
}

/// The messages of the next block, from `AudioModule.midi`.
public struct MIDIQueue {
  private static let capacity = 1_024
  private let messages: UnsafeMutablePointer<MIDIMessage>
  private var count = 0
  private var next = 0
  /// Whether messages were lost because the queue was full.
  ///
  /// Note-offs may be among them.
  public private(set) var hasLostSome = false

  /// Allocates memory. [main]
  public init() { messages = .allocate(capacity: Self.capacity) }

  /// Frees the memory. [main]
  public func free() { messages.deallocate() }

  /// Removes all messages. [render]
  @_noLocks
  public mutating func clear() {
    count = 0
    next = 0
    hasLostSome = false
  }

  /// Adds a message for the next block.
  ///
  /// Ignores messages that are not three bytes long. [render]
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

  /// Returns the next message due at or before a frame. [render]
  @_noLocks
  public mutating func pop(upTo frame: Int) -> MIDIMessage? {
    guard next < count, messages[next].frame <= frame else { return nil }
    next += 1
    return messages[next - 1]
  }

  /// Returns the frame of the next message, or `end` if that is earlier. [render]
  @_noLocks
  public func nextFrame(end: Int) -> Int { next < count ? min(messages[next].frame, end) : end }
}
