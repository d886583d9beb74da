// Turtle.swift: Turtle syntax. SPDX-License-Identifier: MIT

/// Elements of Turtle syntax.
enum Turtle {
  /// Returns a quoted text.
  ///
  /// Non-ASCII characters are unchanged, because the files are UTF-8.
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

  /// Returns a number that reads back as the same float.
  ///
  /// A decimal needs a fraction or an exponent; otherwise it would be an integer.
  static func number(_ value: Float) -> String { "\(value)" }

  /// Returns an integer; one with more digits than a float has is unchanged.
  static func integer(_ value: Float) -> String {
    abs(value) < 0x1p24 ? "\(Int(value))" : number(value)
  }

  /// Returns a resource by its URI.
  ///
  /// All characters must be legal.
  static func resource(_ uri: String) -> String { "<\(uri)>" }

  /// The prefixes of the vocabularies in use.
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

  /// Returns a file of statements with the prefixes in use.
  static func file(_ statements: [String]) -> String {
    let body = statements.joined(separator: "\n")
    let used = prefixes.filter { body.contains("\($0.name):") }
    let heading = used.map { "@prefix \($0.name): <\($0.uri)> .\n" }.joined()
    return "\(heading)\n\(body)"
  }

  /// Returns a statement about a resource.
  static func statement(_ subject: String, _ properties: [(String, [String])]) -> String {
    let lines = properties.filter { !$0.1.isEmpty }.map {
      "    \($0.0) \($0.1.joined(separator: " , "))"
    }
    return "\(subject)\n\(lines.joined(separator: " ;\n")) .\n"
  }

  /// Returns a blank node with its properties.
  static func blank(_ properties: [(String, [String])]) -> String {
    let lines = properties.filter { !$0.1.isEmpty }.map {
      "        \($0.0) \($0.1.joined(separator: " , "))"
    }
    return "[\n\(lines.joined(separator: " ;\n"))\n    ]"
  }

  /// Returns a blank node on one line.
  static func shortBlank(_ properties: [(String, [String])]) -> String {
    "[ \(properties.map { "\($0.0) \($0.1.joined(separator: " , "))" }.joined(separator: " ; ")) ]"
  }
}
