// SynthVoice.swift: what a keyboard and its voices know of each other. SPDX-License-Identifier: MIT

/// A key that is struck.
public struct NoteOn {
  /// The MIDI channel, 0 to 15.
  public let channel: Int
  /// The MIDI key, 0 to 127; 69 is A4.
  public let key: Int
  /// How hard, above 0 to 1.
  public let velocity: Float
  /// How loud that is to sound, 0 to 1.
  public let level: Float
  /// The key that the pitch comes from, where pitches glide.
  public let previousKey: Int?
}

/// Whose key a voice plays.
public struct NoteID {
  /// Whether nothing is to be heard of it: set by the voice, once it is silent.
  public var isFree = true
  /// The MIDI channel, 0 to 15.
  public internal(set) var channel = 0
  /// The MIDI key, 0 to 127; 69 is A4.
  public internal(set) var key = 0
  var isKeyDown = false
  var number: UInt64 = 0  // counted over all keys

  /// Plays nothing.
  @_noLocks
  public init() {}
}

/// A voice that a `VoiceAllocator` plays.
public protocol SynthVoice {
  /// What it plays; kept by the keyboard, but for `isFree`.
  var note: NoteID { get set }
  /// Silent, one of `count`. [render]
  @_noLocks init(index: Int, of count: Int)
  /// Whether it has been let go. [render]
  @_noLocks func isLetGo() -> Bool
  /// How loud it is, 0 to 1: of those let go the softest makes way for a new key. [render]
  @_noLocks func loudness() -> Double
  /// Begins a note, from silence if `note.isFree`, else from where it is, without a jump. [render]
  @_noLocks mutating func begin(_ stroke: NoteOn)
  /// Begins to end. [render]
  @_noLocks mutating func letGo()
  /// Begins to end even if it does not care for its key: all sound off. [render]
  @_noLocks mutating func end()
}

extension SynthVoice {
  /// As when it is let go.
  public mutating func end() { letGo() }
}

/// The wheels and the pedal of a channel.
public struct ChannelControllers {
  /// The pitch wheel, -1 to 1.
  public internal(set) var bend: Float = 0
  /// The modulation wheel, 0 to 1.
  public internal(set) var wheel: Float = 0
  var isPedalDown = false
}
