// CardNames.swift: finds the card of a device name. SPDX-License-Identifier: MIT

/// The names that identify a card independently of its number.
package struct CardNames: Sendable, Equatable {
  /// The kernel's short name, such as `PCH`; the device name if it has no card, as `default`.
  package let card: String
  /// The driver and the readable name of the card; empty for a device without a card.
  package let name: String

  /// Finds the card of a device name, such as `hw:1,0`; it may be in use. [main]
  package init(device: String) {
    let identity = HardwareAddress(name: device).flatMap { CardIdentity(card: $0.card) }
    card = identity?.id ?? device
    name = identity?.name ?? ""
  }
}
