// ConnectionTable.swift: the connections of our ports. SPDX-License-Identifier: MIT

/// The connections of our two ports, as announced by the system.
struct ConnectionTable {
  private(set) var sources: [SequencerAddress: String] = [:]
  private(set) var destinations: [SequencerAddress: String] = [:]

  /// Adds a source; returns false if it is known.
  mutating func addSource(_ address: SequencerAddress, _ name: String) -> Bool {
    sources.updateValue(name, forKey: address) == nil
  }

  /// Adds a destination; returns false if it is known.
  mutating func addDestination(_ address: SequencerAddress, _ name: String) -> Bool {
    destinations.updateValue(name, forKey: address) == nil
  }

  /// Removes a source; returns its name, or nil if it is unknown.
  mutating func removeSource(_ address: SequencerAddress) -> String? {
    sources.removeValue(forKey: address)
  }

  /// Removes a destination; returns its name, or nil if it is unknown.
  mutating func removeDestination(_ address: SequencerAddress) -> String? {
    destinations.removeValue(forKey: address)
  }

  /// Returns names in the order of their addresses.
  static func names(_ side: [SequencerAddress: String]) -> [String] {
    side.sorted { $0.key < $1.key }.map(\.value)
  }
}
