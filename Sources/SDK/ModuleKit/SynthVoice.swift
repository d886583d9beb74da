// SynthVoice.swift: the interface between a voice allocator and its voices. SPDX-License-Identifier: MIT

/// A note-on event.
public struct NoteOn {
  /// The MIDI channel, 0 to 15.
  public let channel: Int
  /// The MIDI key, 0 to 127; 69 is A4.
  public let key: Int
  /// The velocity, above 0 to 1.
  public let velocity: Float
  /// The level of the note, 0 to 1.
  public let level: Float
  /// The key from which the pitch glides.
  public let previousKey: Int?
}

/// The key that a voice plays.
public struct NoteID {
  /// Whether the voice is silent and free.
  ///
  /// The voice sets it.
  public var isFree = true
  /// The MIDI channel, 0 to 15.
  public internal(set) var channel = 0
  /// The MIDI key, 0 to 127; 69 is A4.
  public internal(set) var key = 0
  var isKeyDown = false
  var number: UInt64 = 0  // counted over all keys

  /// Creates the ID of a free voice.
  @_noLocks
  public init() {}
}

/// A voice that a `VoiceAllocator` controls.
public protocol SynthVoice {
  /// The note that it plays.
  ///
  /// The allocator sets it, except `isFree`.
  var note: NoteID { get set }
  /// Creates a silent voice, one of `count`. [render]
  @_noLocks init(index: Int, of count: Int)
  /// Whether the voice is released. [render]
  @_noLocks func isReleased() -> Bool
  /// The loudness, 0 to 1.
  ///
  /// A new note steals the softest released voice. [render]
  @_noLocks func loudness() -> Double
  /// Starts a note: from silence if `note.isFree`, otherwise from the current level, without a jump. [render]
  @_noLocks mutating func begin(_ stroke: NoteOn)
  /// Starts the release. [render]
  @_noLocks mutating func noteOff()
  /// Starts the release for "all sound off", even if the voice ignores note-offs. [render]
  @_noLocks mutating func end()
}

extension SynthVoice {
  /// Releases the note.
  public mutating func end() { noteOff() }
}

/// The controllers of a MIDI channel.
public struct ChannelControllers {
  /// The pitch wheel, -1 to 1.
  public internal(set) var bend: Float = 0
  /// The modulation wheel, 0 to 1.
  public internal(set) var wheel: Float = 0
  var isPedalDown = false
}
