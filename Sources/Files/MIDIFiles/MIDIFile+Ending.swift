// MIDIFile+Ending.swift: ends held notes at the end of a MIDI file. SPDX-License-Identifier: MIT

extension MIDIFile {
  /// Messages that end, at the end of the file, notes and pedals that are still held. [any]
  package var endings: [Message] {
    var heldNotes = [[Int]](repeating: [Int](repeating: 0, count: 128), count: 16)
    var isPedalDown = [Bool](repeating: false, count: 16)
    for message in messages where message.bytes.count == 3 {
      let channel = Int(message.bytes[0] & 0x0F)
      let (first, second) = (Int(message.bytes[1] & 0x7F), message.bytes[2])
      switch message.bytes[0] & 0xF0 {
      // A note on of no velocity is a note off.
      case 0x90 where second > 0: heldNotes[channel][first] += 1
      case 0x80, 0x90: heldNotes[channel][first] = max(0, heldNotes[channel][first] - 1)
      case 0xB0 where first == Self.sustainPedal: isPedalDown[channel] = second >= 64
      default: break
      }
    }
    var endings: [Message] = []
    for channel in 0 ..< 16 {
      for note in 0 ..< 128 {
        for _ in 0 ..< heldNotes[channel][note] {
          endings.append(
            Message(seconds: seconds, bytes: [0x80 | UInt8(channel), UInt8(note), 64]))
        }
      }
      if isPedalDown[channel] {
        endings.append(
          Message(seconds: seconds, bytes: [0xB0 | UInt8(channel), UInt8(Self.sustainPedal), 0]))
      }
    }
    return endings
  }

  private static let sustainPedal = 64
}
