// HeldNotes.swift: the notes that would hang if their source was lost. SPDX-License-Identifier: MIT

/// The held notes and pedals, by their source.
struct HeldNotes {
  /// A key or a pedal: the status byte of its message, and its number.
  private struct HeldKey: Hashable {
    var status: UInt8
    var number: UInt8

    /// The message that releases it.
    var release: [UInt8] {
      let channel = status & 0x0f
      // 64 is the release velocity of keyboards that do not measure it.
      return status & 0xf0 == 0x90 ? [0x80 | channel, number, 64] : [0xb0 | channel, number, 0]
    }
  }

  private var held: [SequencerAddress: Set<HeldKey>] = [:]

  /// Sustain and sostenuto: they hold notes after the keys are released.
  private static let pedals: Set<UInt8> = [64, 66]
  private static let resetControllers: UInt8 = 121
  /// All sound off, all notes off, and the mode changes that imply it.
  private static let allNotesOff: Set<UInt8> = [120, 123, 124, 125, 126, 127]

  /// Processes one complete message from a source.
  mutating func follow(_ message: [UInt8], from source: SequencerAddress) {
    guard message.count == 3 else { return }
    let channel = message[0] & 0x0f
    switch message[0] & 0xf0 {
    case 0x90 where message[2] > 0:
      held[source, default: []].insert(HeldKey(status: message[0], number: message[1]))
    case 0x80, 0x90:
      held[source]?.remove(HeldKey(status: 0x90 | channel, number: message[1]))
    case 0xb0: followController(message, from: source)
    default: break
    }
    if held[source]?.isEmpty == true { held[source] = nil }
  }

  private mutating func followController(_ message: [UInt8], from source: SequencerAddress) {
    let press = HeldKey(status: message[0], number: message[1])
    if Self.pedals.contains(message[1]) {
      if message[2] >= 64 {
        held[source, default: []].insert(press)
      } else {
        held[source]?.remove(press)
      }
    } else if message[1] == Self.resetControllers {
      held[source] = held[source]?.filter {
        !(Self.pedals.contains($0.number) && $0.status == message[0])
      }
    } else if Self.allNotesOff.contains(message[1]) {
      let keys = 0x90 | message[0] & 0x0f
      held[source] = held[source]?.filter { $0.status != keys }
    }
  }

  /// Removes a source, and returns the messages that release what only this source held: notes
  /// first, then pedals.
  mutating func release(_ source: SequencerAddress) -> [[UInt8]] {
    guard let presses = held.removeValue(forKey: source) else { return [] }
    let still = held.values.reduce(into: Set<HeldKey>()) { $0.formUnion($1) }
    return presses.subtracting(still)
      .sorted { ($0.status, $0.number) < ($1.status, $1.number) }
      .map(\.release)
  }

  /// The sources that hold notes or pedals.
  var sources: [SequencerAddress] { held.keys.sorted() }
}
