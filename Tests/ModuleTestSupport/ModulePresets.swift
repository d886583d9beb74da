// ModulePresets.swift: the presets of a module's manifest. SPDX-License-Identifier: MIT

import Foundation

/// One preset of a shipped module.
package struct ModulePreset: Sendable, CustomStringConvertible {
  /// The library's name of the module.
  package let module: String
  /// The preset's name; nil means the defaults.
  package let name: String?
  /// Symbols and values, in the parameters' units.
  package let values: [(String, Float)]

  /// `module` or `module/name`.
  package var description: String { name.map { "\(module)/\($0)" } ?? module }
}

extension ModulePreset {
  /// The defaults of every shipped module, and all presets.
  package static let shipped: [ModulePreset] = ModuleManifest.shipped.flatMap { module in
    [ModulePreset(module: module, name: nil, values: [])] + presets(of: module)
  }

  private static func presets(of module: String) -> [ModulePreset] {
    guard
      let text = try? ModuleManifest.text(of: module),
      let section = ModuleManifest.section("presets", of: text)
    else { return [] }
    let parameters = ModuleManifest.section("parameters", of: text) ?? ""
    return section.matches(of: /name:\s*([^{\n]*?),?\s*parameters:\s*\{([^}]*)\}/).map { match in
      ModulePreset(
        module: module, name: unquoted(String(match.1)),
        values: String(match.2).split(separator: ",").map { pair in
          let halves = pair.split(separator: ":", maxSplits: 1).map { unquoted(String($0)) }
          let declaration = declaration(of: halves[0], in: parameters)
          return (halves[0], value(halves[1], declaration))
        })
    }
  }

  /// Returns the manifest's declaration of one parameter.
  private static func declaration(of symbol: String, in parameters: String) -> String {
    parameters.components(separatedBy: "{symbol: ").first { $0.hasPrefix(symbol + ",") } ?? ""
  }

  /// A number in the parameter's unit, a switch, or the name of a choice.
  private static func value(_ text: String, _ declaration: String) -> Float {
    if text == "on" { return 1 }
    if text == "off" { return 0 }
    if let choices = declaration.firstMatch(of: /choices:\s*\{([^}]*)\}/) {
      for choice in choices.1.split(separator: ",") {
        let halves = choice.split(separator: ":", maxSplits: 1).map { unquoted(String($0)) }
        if halves[1] == text { return Float(halves[0]) ?? .nan }
      }
    }
    guard let match = text.wholeMatch(of: /(-?[0-9.]+)\s*(\S*)/) else { return .nan }
    let unit = declaration.firstMatch(of: /unit:\s*("[^"]*"|[^,}]*)/).map { unquoted(String($0.1)) }
    let factor: Float =
      switch (String(match.2), unit) {
      case ("kHz", _): 1_000
      case ("s", "ms"): 1_000
      case ("ms", "s"): 0.001
      default: 1
      }
    return (Float(match.1) ?? .nan) * factor
  }

  private static func unquoted(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: "\"")))
  }
}

extension ModuleManifest {
  /// The text of a shipped module's manifest.
  static func text(of module: String) throws -> String {
    try String(contentsOf: directory.appending(path: "\(module).yaml"), encoding: .utf8)
  }

  /// Returns the text under a top-level key; nil if the manifest has none.
  static func section(_ key: String, of text: String) -> String? {
    let lines = text.split(separator: "\n")
    guard let first = lines.firstIndex(where: { $0.hasPrefix("\(key):") }) else { return nil }
    let rest = lines[(first + 1)...].prefix {
      $0.first == " " || $0.first == "-" || $0.first == "#"
    }
    return ([lines[first]] + rest).joined(separator: "\n")
  }

  /// The category of a shipped module.
  package static func category(of module: String) throws -> String {
    let text = try text(of: module)
    return text.firstMatch(of: /\ncategory:\s*(.*)/).map { String($0.1) } ?? ""
  }

  /// The symbols of a shipped module's readouts.
  package static func readouts(of module: String) throws -> [String] {
    let section = try section("readouts", of: text(of: module)) ?? ""
    return section.matches(of: /symbol:\s*(\w+)/).map { String($0.1) }
  }
}
