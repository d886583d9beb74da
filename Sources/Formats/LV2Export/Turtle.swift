// Turtle.swift: text in the syntax of LV2's data. SPDX-License-Identifier: MIT

/// The pieces that Turtle is written of.
enum Turtle {
  /// A quoted text; what is not ASCII stays as it is, as the files are UTF-8.
  static func string(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// A number that is read as the same float again.
  ///
  /// What has no fraction and no exponent would be taken for an integer, which is no decimal.
  static func number(_ value: Float) -> String { "\(value)" }

  /// A whole number; one of more digits than floats have stays as it is.
  static func integer(_ value: Float) -> String {
    abs(value) < 0x1p24 ? "\(Int(value))" : number(value)
  }

  /// A resource by its URI, of which all characters are legal.
  static func resource(_ uri: String) -> String { "<\(uri)>" }

  /// The short names of the vocabularies that are used.
  static let prefixes: [(name: String, uri: String)] = [
    ("atom", "http://lv2plug.in/ns/ext/atom#"),
    ("bufsz", "http://lv2plug.in/ns/ext/buf-size#"),
    ("doap", "http://usefulinc.com/ns/doap#"),
    ("foaf", "http://xmlns.com/foaf/0.1/"),
    ("log", "http://lv2plug.in/ns/ext/log#"),
    ("lv2", "http://lv2plug.in/ns/lv2core#"),
    ("midi", "http://lv2plug.in/ns/ext/midi#"),
    ("mod", "http://moddevices.com/ns/mod#"),
    ("opts", "http://lv2plug.in/ns/ext/options#"),
    ("patch", "http://lv2plug.in/ns/ext/patch#"),
    ("pg", "http://lv2plug.in/ns/ext/port-groups#"),
    ("pprops", "http://lv2plug.in/ns/ext/port-props#"),
    ("pset", "http://lv2plug.in/ns/ext/presets#"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("rsz", "http://lv2plug.in/ns/ext/resize-port#"),
    ("state", "http://lv2plug.in/ns/ext/state#"),
    ("units", "http://lv2plug.in/ns/extensions/units#"),
    ("urid", "http://lv2plug.in/ns/ext/urid#"),
    ("work", "http://lv2plug.in/ns/ext/worker#"),
  ]

  /// A whole file of some statements, with the prefixes that they use.
  static func file(_ statements: [String]) -> String {
    let body = statements.joined(separator: "\n")
    let used = prefixes.filter { body.contains("\($0.name):") }
    let heading = used.map { "@prefix \($0.name): <\($0.uri)> .\n" }.joined()
    return "\(heading)\n\(body)"
  }

  /// A resource with what is said of it, as a statement of its own.
  static func statement(_ subject: String, _ properties: [(String, [String])]) -> String {
    let lines = properties.filter { !$0.1.isEmpty }.map {
      "    \($0.0) \($0.1.joined(separator: " , "))"
    }
    return "\(subject)\n\(lines.joined(separator: " ;\n")) .\n"
  }

  /// A resource without a name, with what is said of it.
  static func blank(_ properties: [(String, [String])]) -> String {
    let lines = properties.filter { !$0.1.isEmpty }.map {
      "        \($0.0) \($0.1.joined(separator: " , "))"
    }
    return "[\n\(lines.joined(separator: " ;\n"))\n    ]"
  }

  /// The same on one line.
  static func shortBlank(_ properties: [(String, [String])]) -> String {
    "[ \(properties.map { "\($0.0) \($0.1.joined(separator: " , "))" }.joined(separator: " ; ")) ]"
  }
}
