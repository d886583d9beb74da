// RigReader+MIDI.swift: which MIDI devices a rig is connected to. SPDX-License-Identifier: MIT

import Manifests

extension RigReader {
  private static let midiKeys = ["input", "output", "map"]
  /// Words that mean several devices or none, so they cannot be combined with names.
  private static let reservedNames = ["none", "hardware", "all"]

  /// Reads `midi`; returns the default devices if it is missing.
  static func readMIDI(_ cursor: ManifestCursor) -> (devices: RigMIDI, maps: [RigMap]) {
    let expected = ExpectedValue(
      what: "a mapping of input, output and map", example: "midi: {input: Keystation}")
    var midi = RigMIDI()
    guard let fields = cursor.fields(known: midiKeys, expected) else { return (midi, []) }
    midi.inputs = fields.field("input").map(readDeviceNames) ?? []
    midi.outputs = fields.field("output").map(readDeviceNames) ?? []
    return (midi, fields.field("map").map(readMaps) ?? [])
  }

  /// One mapping of a control per item.
  private static func readMaps(_ field: ManifestField) -> [RigMap] {
    let expected = ExpectedValue(
      what: "a list of mappings", example: "map: [cc 21 -> reverb.mix 0..60 %]")
    var maps: [RigMap] = []
    for item in field.value.items(expected) ?? [] {
      guard let text = item.text(expected) else { continue }
      do throws(RigMapError) {
        var map = try RigMap(text)
        map.position = item.node.position
        maps.append(map)
      } catch {
        item.report(.broken(rule: error.description))
      }
    }
    return maps
  }

  /// One name or a list of names.
  static func readDeviceNames(_ field: ManifestField) -> [String] {
    let cursor = field.value
    let expected = ExpectedValue(
      what: "the name of a MIDI device, or a list of names", example: "\(field.key): Keystation")
    guard case .list = cursor.node.content else {
      return cursor.text(expected).map { [$0] } ?? []
    }
    let items = cursor.items(expected) ?? []
    if items.isEmpty {
      cursor.report(
        .wrongType(found: "nothing", expected: expected.what, example: expected.example))
    }
    let names = items.compactMap { $0.text(expected) }
    for (item, name) in zip(items, names) where names.count == items.count {
      guard names.count > 1, reservedNames.contains(name.lowercased()) else { continue }
      item.report(
        .broken(
          rule: "\"\(name)\" cannot be combined with other MIDI devices. Remove one."))
    }
    return names
  }
}
