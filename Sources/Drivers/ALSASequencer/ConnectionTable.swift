// ConnectionTable.swift: who is connected to our ports. SPDX-License-Identifier: MIT

/// The connections of our two ports, as announced by the system.
struct ConnectionTable {
  private(set) var sources: [SequencerAddress: String] = [:]
  private(set) var destinations: [SequencerAddress: String] = [:]

  /// Adds what sends to us; false where it is known.
  mutating func addSource(_ address: SequencerAddress, _ name: String) -> Bool {
    sources.updateValue(name, forKey: address) == nil
  }

  /// Adds what we send to; false where it is known.
  mutating func addDestination(_ address: SequencerAddress, _ name: String) -> Bool {
    destinations.updateValue(name, forKey: address) == nil
  }

  /// Takes a source away; its name, or nil where it is not known.
  mutating func removeSource(_ address: SequencerAddress) -> String? {
    sources.removeValue(forKey: address)
  }

  /// Takes a destination away; its name, or nil where it is not known.
  mutating func removeDestination(_ address: SequencerAddress) -> String? {
    destinations.removeValue(forKey: address)
  }

  /// Names in the order of their addresses.
  static func names(_ side: [SequencerAddress: String]) -> [String] {
    side.sorted { $0.key < $1.key }.map(\.value)
  }
}
