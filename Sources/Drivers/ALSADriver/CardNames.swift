// CardNames.swift: which card a device's name leads to. SPDX-License-Identifier: MIT

/// The names that identify a card independently of its number.
package struct CardNames: Sendable, Equatable {
  /// The kernel's short name, such as `PCH`; a device without a card, such as `default`, has its own.
  package let card: String
  /// The driver and the card's own name; empty for a device without a card.
  package let name: String

  /// Looks up the card behind a device's name, such as `hw:1,0`; it need not be free. [main]
  package init(device: String) {
    let identity = HardwareAddress(name: device).flatMap { CardIdentity(card: $0.card) }
    card = identity?.id ?? device
    name = identity?.name ?? ""
  }
}
