// ModuleManifest.swift: the parts of a module's manifest that tests need. SPDX-License-Identifier: MIT

import Foundation

/// The ports and parameters that `manifests/modules/NAME.yaml` declares, in its order.
///
/// This is not a YAML reader. It supports the flow style of the shipped manifests, one `- {symbol: ...}` for each
/// parameter, and refuses anything else. The real reader is in a higher layer, on which the tests of modules must
/// not depend.
package struct ModuleManifest: Sendable {
  /// One parameter as declared.
  package struct Parameter: Sendable {
    /// The name for programs.
    package let symbol: String
    /// The minimum, in the parameter's unit.
    package let minimum: Float
    /// The default value.
    package let initial: Float
    /// The maximum, in the parameter's unit.
    package let maximum: Float
    /// Whether only whole numbers are valid.
    package let isInteger: Bool
  }

  /// The existing modules, by library name.
  package static let shipped: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
  }()

  /// Whether an output may share the memory of the input with the same number.
  package let canRunInPlace: Bool
  /// Whether the module is played by MIDI.
  package let acceptsMIDI: Bool
  /// The number of audio inputs.
  package let inputCount: Int
  /// The number of audio outputs.
  package let outputCount: Int
  /// In the order in which `process` receives them.
  package let parameters: [Parameter]

  /// Reads the manifest of a shipped module.
  ///
  /// - Parameter name: the library's name without `lib` and `.so`.
  /// - Throws: `ModuleTestError`, or the error of Foundation for a missing file.
  package init(module name: String) throws {
    let url = Self.directory.appending(path: "\(name).yaml")
    let text = try Self.text(of: name)
    acceptsMIDI = text.contains("\nmidi: true")
    canRunInPlace = text.contains("\nin_place: true")
    inputCount = Self.flowMaps(under: "inputs", of: text).count
    outputCount = Self.flowMaps(under: "outputs", of: text).count
    parameters = try Self.flowMaps(under: "parameters", of: text).map { map in
      guard
        let symbol = map["symbol"],
        let minimum = map["minimum"].flatMap(Float.init),
        let initial = map["default"].flatMap(Float.init),
        let maximum = map["maximum"].flatMap(Float.init),
        minimum <= initial, initial <= maximum, minimum < maximum
      else { throw ModuleTestError.unreadableParameter(manifest: url.path, entry: "\(map)") }
      return Parameter(
        symbol: symbol, minimum: minimum, initial: initial, maximum: maximum,
        isInteger: map["scale"] == "integer" || map["scale"] == "toggle")
    }
  }

  static var directory: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "manifests/modules")
  }

  /// The `{...}` maps between a top-level key and the next one, without nested maps.
  private static func flowMaps(under key: String, of text: String) -> [[String: String]] {
    var section = ""
    var isInside = false
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if let first = line.first, !first.isWhitespace, first != "-" {
        isInside = line.hasPrefix("\(key):")
      }
      if isInside { section += line + "\n" }
    }
    return topLevelBraces(of: section).map(entries)
  }

  private static func topLevelBraces(of section: String) -> [String] {
    var maps: [String] = []
    var depth = 0
    var map = ""
    for character in section {
      if character == "}" { depth -= 1 }
      if character == "}", depth == 0 {
        maps.append(map)
        map = ""
      }
      if depth == 1, character != "}" { map.append(character) }
      if character == "{" { depth += 1 }
    }
    return maps
  }

  private static func entries(of map: String) -> [String: String] {
    var result: [String: String] = [:]
    for pair in map.split(separator: ",") {
      let halves = pair.split(separator: ":", maxSplits: 1)
      guard halves.count == 2 else { continue }
      result[halves[0].trimmingCharacters(in: .whitespacesAndNewlines)] =
        halves[1].trimmingCharacters(in: .whitespacesAndNewlines)
    }
    return result
  }
}
