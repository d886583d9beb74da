// SourceManifest+Described.swift: the description that compiled code reports. SPDX-License-Identifier: MIT

import Manifests
import ModuleBuild

extension SourceManifest {
  /// Manifest keys with one-line values, as written by `outboard_describe` of the porting kit.
  struct DescribedKeys {
    /// The keys that code with a description reports.
    static let keys = ["inputs", "outputs", "parameters"]
    /// The keys that it may report.
    private static let allKeys = keys + ["readouts"]

    private var values: [String: String] = [:]

    /// Whether the code reports nothing.
    var isEmpty: Bool { values.isEmpty }

    subscript(key: String) -> String? { values[key] }

    /// Parses lines of `key: value`, and lists with one item per line.
    ///
    /// - Throws: `ManifestError` if it is not valid YAML, because of the names in the code.
    init(_ text: String?, _ source: ModuleSource) throws(ManifestError) {
      guard let text else { return }
      _ = try YAMLParser.parse(text, file: source.path)
      var items: [String] = []
      for line in text.split(separator: "\n") {
        if line.hasPrefix("  - ") {
          items.append(String(line.dropFirst(4)))
        } else if let colon = line.firstIndex(of: ":"),
          Self.allKeys.contains(String(line[..<colon]))
        {
          let value = line[line.index(after: colon)...].drop { $0 == " " }
          if !value.isEmpty { values[String(line[..<colon])] = String(value) }
        }
      }
      if !items.isEmpty { values["parameters"] = "[\(items.joined(separator: ", "))]" }
    }
  }
}
