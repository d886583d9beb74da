// EndpointSelection.swift: selects MIDI devices. SPDX-License-Identifier: MIT

import PluginModel

/// The devices of one direction to connect.
package enum EndpointSelection: Equatable, Sendable {
  /// No endpoint; other programs may still connect to the port.
  case none
  /// All present and future hardware devices, but no programs.
  case hardware
  /// All present and future devices and programs.
  case all
  /// All present and future devices with these names.
  case named([EndpointName])
  /// All present and future hardware devices, and devices and programs with these names.
  case hardwareAnd([EndpointName])

  /// Parses the user's names, or one of the words `none`, `hardware` and `all`; returns nil for an
  /// empty list. [any]
  package init?(_ words: [String]) throws(SequencerError) {
    let known: [String: Self] = ["none": .none, "hardware": .hardware, "all": .all]
    guard let first = words.first else { return nil }
    let word = words.first { known[$0.lowercased()] != nil }
    if let word, words.count > 1 { throw .wordWithNames(word: word) }
    self = known[first.lowercased()] ?? .named(words.map(EndpointName.init))
  }

  /// Returns the selected devices among the present ones.
  ///
  /// Missing and ambiguous names are skipped.
  func selects(_ endpoints: [SequencerEndpoint]) -> [SequencerEndpoint] {
    switch self {
    case .none: return []
    case .hardware: return endpoints.filter(\.isHardware)
    case .all: return endpoints
    case .named(let names):
      let matches = Self.addresses(names, endpoints)
      return endpoints.filter { matches.contains($0.address) }
    case .hardwareAnd(let names):
      let matches = Self.addresses(names, endpoints)
      return endpoints.filter { $0.isHardware || matches.contains($0.address) }
    }
  }

  private static func addresses(
    _ names: [EndpointName], _ endpoints: [SequencerEndpoint]
  ) -> Set<SequencerAddress> { Set(names.flatMap { $0.matches(endpoints).map(\.address) }) }

  /// Checks that every name selects exactly one device.
  func check(
    _ endpoints: [SequencerEndpoint], _ direction: SequencerError.Direction
  ) throws(SequencerError) {
    guard case .named(let names) = self else { return }
    for name in names {
      let candidates = name.candidates(endpoints)
      let clients = name.clients(of: candidates)
      if clients.count > 1 {
        throw .ambiguous(name: name.text, direction: direction, candidates: clients)
      }
      if candidates.isEmpty {
        let spellings = endpoints.flatMap { [$0.clientName, $0.portName, $0.name] }
        throw .noSuchDevice(
          name: name.text, direction: direction,
          suggestion: nearest(to: name.text, among: spellings),
          available: endpoints.map(\.name))
      }
    }
  }

  /// Returns the selection with names instead of numbers: a device that returns may have other
  /// numbers.
  func withoutNumbers(_ endpoints: [SequencerEndpoint]) -> Self {
    guard case .named(let names) = self else { return self }
    return .named(
      names.flatMap { name in
        guard name.isNumeric else { return [name] }
        let matches = name.candidates(endpoints)
        return matches.isEmpty
          ? [name] : matches.map { EndpointName("\($0.clientName):\($0.address.port)") }
      })
  }
}

/// A device as the user names it.
///
/// `Keystation`, `Keystation:0`, `Keystation:MIDI 1`, `20`, `20:0`, or a part of a name that only
/// one device has. Case is ignored.
package struct EndpointName: Equatable, Sendable {
  /// The text from the user.
  package let text: String

  /// Creates a name from a text.
  package init(_ text: String) {
    self.text = text
  }

  /// Whether the name is the number of a client, or of a client and a port.
  var isNumeric: Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return (1 ... 2).contains(parts.count) && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Returns the devices that it means; none if it is ambiguous.
  func matches(_ endpoints: [SequencerEndpoint]) -> [SequencerEndpoint] {
    let candidates = candidates(endpoints)
    return clients(of: candidates).count > 1 ? [] : candidates
  }

  /// Returns the names of the devices that match.
  ///
  /// Several devices of one name count as one, because only their numbers differ.
  func clients(of candidates: [SequencerEndpoint]) -> [String] {
    var names: [String] = []
    for candidate in candidates where !names.contains(candidate.clientName) {
      names.append(candidate.clientName)
    }
    return names
  }

  /// Returns the devices that it may mean: exact matches, otherwise those whose name contains it.
  func candidates(_ endpoints: [SequencerEndpoint]) -> [SequencerEndpoint] {
    let wanted = text.lowercased()
    guard !wanted.isEmpty else { return [] }
    let rules: [(SequencerEndpoint) -> Bool] = [
      { Self.isAddress(wanted, $0) },
      { $0.clientName.lowercased() == wanted },
      { Self.isClientAndPort(wanted, $0) },
      { $0.portName.lowercased() == wanted },
      { Self.isPart(wanted, of: $0.clientName) },
      { Self.isPart(wanted, of: $0.portName) },
      { Self.isPart(wanted, of: "\($0.clientName):\($0.portName)") },
    ]
    for rule in rules {
      let found = endpoints.filter(rule)
      if !found.isEmpty { return found }
    }
    return []
  }

  private static func isAddress(_ wanted: String, _ endpoint: SequencerEndpoint) -> Bool {
    wanted == endpoint.address.description || wanted == String(endpoint.address.client)
  }

  /// Returns whether it is `client:port`, the port by name or by number.
  ///
  /// The name of a client may contain a colon.
  private static func isClientAndPort(_ wanted: String, _ endpoint: SequencerEndpoint) -> Bool {
    let client = endpoint.clientName.lowercased() + ":"
    guard wanted.hasPrefix(client) else { return false }
    let port = wanted.dropFirst(client.count)
    return port == endpoint.portName.lowercased() || port == String(endpoint.address.port)
  }

  private static func isPart(_ wanted: String, of name: String) -> Bool {
    let letters = Array(name.lowercased().utf8)
    let target = Array(wanted.utf8)
    guard letters.count >= target.count else { return false }
    return (0 ... letters.count - target.count).contains { start in
      letters[start ..< start + target.count].elementsEqual(target)
    }
  }
}
