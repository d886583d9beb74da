// Keyboard.swift: which voice plays what, by MIDI. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// A message of three bytes, and when it takes effect.
struct Message {
  var frame: Int
  var status: UInt8
  var first: UInt8
  var second: UInt8
}

/// Voices, wheels and pedals.
struct Keyboard {
  static let voiceCount = 16
  static let channelCount = 16
  static let messageCapacity = 1_024

  let voices: UnsafeMutablePointer<Voice>
  let controllers: UnsafeMutablePointer<Controller>
  private let messages: UnsafeMutablePointer<Message>  // of the block to come
  private var messageCount = 0
  private var nextMessage = 0
  private var hasLostMessages = false
  private var noteCount: UInt64 = 0
  private var lastSemitones: Double?
  /// How many voices may sound, 1 to `voiceCount`.
  var limit = voiceCount
  /// How much softly played notes are softer, 0 to 1.
  var velocityShare: Float = 0
  /// Whether a note's pitch comes from the one before.
  var isGliding = false

  /// Takes memory. [main]
  init() {
    voices = .allocate(capacity: Self.voiceCount)
    controllers = .allocate(capacity: Self.channelCount)
    messages = .allocate(capacity: Self.messageCapacity)
    for index in 0 ..< Self.voiceCount {
      (voices + index).initialize(to: Voice(index: index, of: Self.voiceCount))
    }
    controllers.initialize(repeating: Controller(), count: Self.channelCount)
  }

  /// Gives the memory back. [main]
  func free() {
    voices.deallocate()
    controllers.deallocate()
    messages.deallocate()
  }

  @_noLocks
  mutating func clear() {
    for index in 0 ..< Self.voiceCount { voices[index] = Voice(index: index, of: Self.voiceCount) }
    for channel in 0 ..< Self.channelCount { controllers[channel] = Controller() }
    messageCount = 0
    nextMessage = 0
    hasLostMessages = false
    noteCount = 0
    lastSemitones = nil
  }

  // MARK: - Messages

  /// Keeps a message for the next block. [render]
  @_noLocks
  mutating func take(_ message: Message) {
    if messageCount == Self.messageCapacity {
      hasLostMessages = true
      return
    }
    messages[messageCount] = message
    messageCount += 1
  }

  /// Does what is due, and says when the next message is, or `end`. [render]
  @_noLocks
  mutating func obey(upTo frame: Int, end: Int) -> Int {
    while nextMessage < messageCount, messages[nextMessage].frame <= frame {
      obey(messages[nextMessage])
      nextMessage += 1
    }
    return nextMessage < messageCount ? min(messages[nextMessage].frame, end) : end
  }

  /// Ends a block. [render]
  @_noLocks
  mutating func endBlock() {
    while nextMessage < messageCount {
      obey(messages[nextMessage])
      nextMessage += 1
    }
    // The end of a note may be among what was lost, so none may stay.
    if hasLostMessages { for channel in 0 ..< Self.channelCount { endAll(channel) } }
    hasLostMessages = false
    messageCount = 0
    nextMessage = 0
  }

  @_noLocks
  private mutating func obey(_ message: Message) {
    let channel = Int(message.status & 0x0f)
    switch message.status & 0xf0 {
    case 0x80: noteOff(channel, Int(message.first))
    case 0x90:
      if message.second > 0 {
        noteOn(channel, Int(message.first), message.second)
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

  @_noLocks
  private mutating func control(_ channel: Int, _ number: UInt8, _ value: UInt8) {
    switch number {
    case 1: controllers[channel].wheel = Float(value) / 127
    case 64: setPedal(channel, isDown: value >= 64)
    case 121:
      setPedal(channel, isDown: false)
      controllers[channel] = Controller()
    case 120: endAll(channel)
    // All notes off, and the changes of mode that include it.
    case 123...: for index in 0 ..< Self.voiceCount { keyUp(index, channel) }
    default: break
    }
  }

  /// Sets pitch and filter of the notes that have just begun. [render]
  @_noLocks
  func prepareNew(_ patch: Patch) {
    for index in 0 ..< Self.voiceCount where voices[index].isNew {
      voices[index].prepare(patch, controllers[voices[index].channel])
    }
  }

  // MARK: - Notes

  /// The voice of the key itself, a free one, the softest of those let go, or else the oldest.
  @_noLocks
  private func choose(_ channel: Int, _ key: Int) -> Int {
    var best = 0
    var bestRank = -Double.infinity
    for index in 0 ..< limit {
      let voice = voices[index]
      if !voice.isFree, voice.channel == channel, voice.key == key { return index }
      let rank: Double
      if voice.isFree {
        rank = 1e18
      } else if voice.isHeld() {
        rank = Double(noteCount - voice.age)
      } else {
        rank = 1e15 - voice.loudness.level
      }
      if rank > bestRank { (best, bestRank) = (index, rank) }
    }
    return best
  }

  @_noLocks
  private mutating func noteOn(_ channel: Int, _ key: Int, _ velocity: UInt8) {
    noteCount += 1
    let force = Float(velocity) / 127
    voices[choose(channel, key)].begin(
      channel: channel, key: key, velocity: force,
      level: 1 - velocityShare + velocityShare * force * force,
      from: isGliding ? lastSemitones : nil, age: noteCount)
    lastSemitones = Double(key - 69)
  }

  @_noLocks
  private mutating func noteOff(_ channel: Int, _ key: Int) {
    for index in 0 ..< Self.voiceCount where voices[index].key == key { keyUp(index, channel) }
  }

  /// A voice's key goes up; the pedal may hold it on.
  @_noLocks
  private mutating func keyUp(_ index: Int, _ channel: Int) {
    guard voices[index].channel == channel, voices[index].isHeld() else { return }
    voices[index].isKeyDown = false
    if !controllers[channel].isPedalDown { voices[index].letGo() }
  }

  @_noLocks
  private mutating func setPedal(_ channel: Int, isDown: Bool) {
    controllers[channel].isPedalDown = isDown
    guard !isDown else { return }
    for index in 0 ..< Self.voiceCount
    where voices[index].channel == channel && !voices[index].isKeyDown { voices[index].letGo() }
  }

  /// All sound off: a release, whatever keys and pedal say.
  @_noLocks
  private mutating func endAll(_ channel: Int) {
    for index in 0 ..< Self.voiceCount where voices[index].channel == channel {
      voices[index].isKeyDown = false
      voices[index].letGo()
    }
  }
}
