// VoiceAllocator.swift: assigns MIDI notes to voices. SPDX-License-Identifier: MIT

/// Assigns MIDI notes on sixteen channels to voices.
///
/// Handles sustain, all sound off and all notes off.
///
/// Messages are stored for the next block and processed at their frames:
/// ```
/// while done < end {
///   let next = keyboard.obey(upTo: done, end: end)
///   // Render the frames from done to next.
///   done = next
/// }
/// keyboard.endBlock()
/// ```
/// The compiler cannot check generic functions for locks; it checks them where a module's own function calls them.
public struct VoiceAllocator<Voice: SynthVoice> {
  /// All voices.
  public let voices: UnsafeMutablePointer<Voice>
  /// The number of voices.
  public let voiceCount: Int
  /// The maximum number of sounding voices, 1 to `voiceCount`.
  public var limit: Int
  /// The velocity sensitivity, 0 to 1; at 1 the level is the square of the velocity.
  public var velocitySensitivity: Float = 0
  /// Whether a note-on reports the previous key.
  public var isGliding = false
  /// The number of note-ons since the start.
  public private(set) var noteCount: UInt64 = 0
  private let controllers: UnsafeMutablePointer<ChannelControllers>
  private let channelCount = 16
  private var queue = MIDIQueue()
  private var lastKey: Int?

  /// Allocates memory. [main]
  public init(voiceCount: Int) {
    self.voiceCount = voiceCount
    limit = voiceCount
    voices = .allocate(capacity: voiceCount)
    controllers = .allocate(capacity: channelCount)
    for index in 0 ..< voiceCount {
      (voices + index).initialize(to: Voice(index: index, of: voiceCount))
    }
    controllers.initialize(repeating: ChannelControllers(), count: channelCount)
  }

  /// Frees the memory. [main]
  public func free() {
    voices.deallocate()
    controllers.deallocate()
    queue.free()
  }

  /// Clears all voices and messages. [render]
  public mutating func clear() {
    for index in 0 ..< voiceCount { voices[index] = Voice(index: index, of: voiceCount) }
    for channel in 0 ..< channelCount { controllers[channel] = ChannelControllers() }
    queue.clear()
    noteCount = 0
    lastKey = nil
  }

  /// The controllers that apply to a voice. [render]
  public func controller(of voice: Int) -> ChannelControllers {
    controllers[voices[voice].note.channel]
  }

  // MARK: - Messages

  /// Stores a message for the next block. [render]
  public mutating func take(frame: Int, _ bytes: UnsafePointer<UInt8>, byteCount: Int) {
    queue.take(frame: frame, bytes, byteCount: byteCount)
  }

  /// Processes due messages and returns the frame of the next one, or `end`. [render]
  public mutating func processMessages(upTo frame: Int, end: Int) -> Int {
    while let message = queue.pop(upTo: frame) { processMessages(message) }
    return queue.nextFrame(end: end)
  }

  /// Ends a block. [render]
  public mutating func endBlock() {
    while let message = queue.pop(upTo: .max) { processMessages(message) }
    // A note-off may be among the lost messages, so all notes end.
    if queue.hasLostSome { for channel in 0 ..< channelCount { allNotesOff(channel) } }
    queue.clear()
  }

  private mutating func processMessages(_ message: MIDIMessage) {
    let channel = Int(message.status & 0x0f)
    switch message.status & 0xf0 {
    case 0x80: noteOff(channel, Int(message.first))
    case 0x90:
      if message.second > 0 {
        noteOn(channel, Int(message.first), Float(message.second) / 127)
      } else {
        noteOff(channel, Int(message.first))
      }
    case 0xb0: control(channel, message.first, message.second)
    case 0xe0:
      let value = Int(message.second) << 7 | Int(message.first)
      controllers[channel].bend = Float(value - 8_192) / 8_192
    default: break
    }
  }

  private mutating func control(_ channel: Int, _ number: UInt8, _ value: UInt8) {
    switch number {
    case 1: controllers[channel].wheel = Float(value) / 127
    case 64: setPedal(channel, isDown: value >= 64)
    case 121:
      setPedal(channel, isDown: false)
      controllers[channel] = ChannelControllers()
    case 120: allNotesOff(channel)
    // All notes off, and the mode changes that include it.
    case 123...: for index in 0 ..< voiceCount { releaseKey(index, channel) }
    default: break
    }
  }

  // MARK: - Notes

  /// Returns the voice of the same key, a free one, the softest released one, or the oldest.
  private func choose(_ channel: Int, _ key: Int) -> Int {
    var best = 0
    var bestRank = -Double.infinity
    for index in 0 ..< limit {
      let note = voices[index].note
      if !note.isFree, note.channel == channel, note.key == key { return index }
      let rank: Double
      if note.isFree {
        rank = 1e18
      } else if isHeld(index) {
        rank = Double(noteCount - note.number)
      } else {
        rank = 1e15 - voices[index].loudness()
      }
      if rank > bestRank { (best, bestRank) = (index, rank) }
    }
    return best
  }

  private mutating func noteOn(_ channel: Int, _ key: Int, _ velocity: Float) {
    noteCount += 1
    let index = choose(channel, key)
    voices[index].note.channel = channel
    voices[index].note.key = key
    voices[index].note.isKeyDown = true
    voices[index].note.number = noteCount
    voices[index].begin(
      NoteOn(
        channel: channel, key: key, velocity: velocity,
        level: 1 - velocitySensitivity + velocitySensitivity * velocity * velocity,
        previousKey: isGliding ? lastKey : nil))
    voices[index].note.isFree = false
    lastKey = key
  }

  private mutating func noteOff(_ channel: Int, _ key: Int) {
    for index in 0 ..< voiceCount where voices[index].note.key == key { releaseKey(index, channel) }
  }

  /// Whether a key or the pedal still holds a voice.
  private func isHeld(_ index: Int) -> Bool {
    !voices[index].note.isFree && !voices[index].isReleased()
  }

  /// Releases a voice's key; the pedal may hold the voice.
  private mutating func releaseKey(_ index: Int, _ channel: Int) {
    guard voices[index].note.channel == channel, isHeld(index) else { return }
    voices[index].note.isKeyDown = false
    if !controllers[channel].isPedalDown { voices[index].noteOff() }
  }

  private mutating func setPedal(_ channel: Int, isDown: Bool) {
    controllers[channel].isPedalDown = isDown
    guard !isDown else { return }
    for index in 0 ..< voiceCount
    where voices[index].note.channel == channel && !voices[index].note.isKeyDown {
      voices[index].noteOff()
    }
  }

  /// Releases all voices for "all sound off", even if keys or the pedal hold them.
  private mutating func allNotesOff(_ channel: Int) {
    for index in 0 ..< voiceCount where voices[index].note.channel == channel {
      voices[index].note.isKeyDown = false
      voices[index].end()
    }
  }
}
