// LV2PatchVocabulary.swift: URIDs of properties and musical time. SPDX-License-Identifier: MIT

internal import PluginModel

extension LV2 {
  static let patch = "http://lv2plug.in/ns/ext/patch#"
  static let resizePort = "http://lv2plug.in/ns/ext/resize-port#"
  static let time = "http://lv2plug.in/ns/ext/time#"
  static let schema = "http://www.w3.org/2000/01/rdf-schema#"
  static let syntax = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  static let xmlSchema = "http://www.w3.org/2001/XMLSchema#"

  /// Returns the type of a property by the URI of its range.
  static let propertyTypes: [String: PropertyType] = [
    atom + "Bool": .bool, atom + "Int": .int, atom + "Long": .long, atom + "Float": .float,
    atom + "Double": .double, atom + "String": .string, atom + "Literal": .string,
    atom + "Path": .path, atom + "URI": .uri, atom + "URID": .uri, atom + "Vector": .vector,
    xmlSchema + "boolean": .bool, xmlSchema + "int": .int, xmlSchema + "integer": .int,
    xmlSchema + "nonNegativeInteger": .int, xmlSchema + "long": .long,
    xmlSchema + "float": .float, xmlSchema + "decimal": .double, xmlSchema + "double": .double,
    xmlSchema + "string": .string, xmlSchema + "anyURI": .uri,
  ]
}

/// A field of musical time on a control port; the raw value is the last part of its URI.
enum LV2TimeField: String, CaseIterable {
  case bar
  case barBeat
  case beat
  case beatUnit
  case beatsPerBar
  case beatsPerMinute
  case frame
  case framesPerSecond
  case speed

  /// Returns the field of a designation; nil for others. [any]
  init?(designation: String) {
    guard let word = designation.tail(after: LV2.time) else { return nil }
    self.init(rawValue: word)
  }
}

extension TransportPosition {
  /// Returns the value of a field for a control port. [render]
  @_noLocks
  func control(_ field: LV2TimeField) -> Float {
    switch field {
    case .bar: Float(bar)
    case .barBeat: Float(barBeat)
    case .beat: Float(beat)
    case .beatUnit: Float(beatUnit)
    case .beatsPerBar: Float(beatsPerBar)
    case .beatsPerMinute: Float(beatsPerMinute)
    case .frame: Float(frame)
    case .framesPerSecond: Float(framesPerSecond)
    case .speed: Float(speed)
    }
  }
}
