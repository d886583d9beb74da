// StoredDevice.swift: the saved period settings of a sound card. SPDX-License-Identifier: MIT

/// The smallest stable period of a card at one rate.
package struct StoredDevice: Sendable, Equatable {
  /// The identity of a card, independent of its number.
  package struct Key: Sendable, Hashable {
    /// The short kernel name of the card, e.g.
    ///
    /// `PCH`, or the device name if there is no card, e.g. `default`.
    package var card: String
    /// The long name of the card, e.g.
    ///
    /// `USB-Audio - Scarlett 2i2 USB`; empty if there is no card.
    package var name: String
    /// The sample rate in Hz.
    package var sampleRateHz: Int

    /// Creates the key of a card at a rate.
    package init(card: String, name: String, sampleRateHz: Int) {
      self.card = card
      self.name = name
      self.sampleRateHz = sampleRateHz
    }
  }

  /// The card and rate.
  package var key: Key
  /// The period in frames.
  package var periodFrames: Int
  /// The number of periods in the buffer.
  package var periodCount: Int

  /// Creates an entry.
  package init(key: Key, periodFrames: Int, periodCount: Int) {
    self.key = key
    self.periodFrames = periodFrames
    self.periodCount = periodCount
  }
}
