// StoredDevice.swift: what is remembered of a sound card. SPDX-License-Identifier: MIT

/// The smallest period that a card was found to hold, at one rate.
package struct StoredDevice: Sendable, Equatable {
  /// What tells a card from others, whatever its number is today.
  package struct Key: Sendable, Hashable {
    /// The kernel's short name of the card, for instance `PCH`; of a device without a card, such as
    /// `default`, the device's own name.
    package var card: String
    /// The card's own name, for instance `USB-Audio - Scarlett 2i2 USB`; empty without a card.
    package var name: String
    /// Frames a second.
    package var sampleRateHz: Int

    /// A card at a rate.
    package init(card: String, name: String, sampleRateHz: Int) {
      self.card = card
      self.name = name
      self.sampleRateHz = sampleRateHz
    }
  }

  /// Which card, at which rate.
  package var key: Key
  /// Frames in a period.
  package var periodFrames: Int
  /// Periods in the buffer.
  package var periodCount: Int

  /// All of it.
  package init(key: Key, periodFrames: Int, periodCount: Int) {
    self.key = key
    self.periodFrames = periodFrames
    self.periodCount = periodCount
  }
}
