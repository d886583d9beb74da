// SourceManifest+Described.swift: what compiled code says of itself. SPDX-License-Identifier: MIT

import ModuleBuild

extension SourceManifest {
  /// Keys of a manifest with values on one line each, as `outboard_describe` of the porting kit writes them.
  struct DescribedKeys {
    /// The keys that code can speak of.
    static let keys = ["inputs", "outputs", "parameters"]

    private var values: [String: String] = [:]

    /// Whether the code says nothing.
    var isEmpty: Bool { values.isEmpty }

    subscript(key: String) -> String? { values[key] }

    /// Lines `key: value`, and lists whose items stand below, one on a line.
    ///
    /// - Throws: `ManifestError` where it is no YAML: then the code's names are at fault.
    init(_ text: String?, _ source: ModuleSource) throws(ManifestError) {
      guard let text else { return }
      _ = try YAMLParser.parse(text, file: source.path)
      var items: [String] = []
      for line in text.split(separator: "\n") {
        if line.hasPrefix("  - ") {
          items.append(String(line.dropFirst(4)))
        } else if let colon = line.firstIndex(of: ":"), Self.keys.contains(String(line[..<colon])) {
          let value = line[line.index(after: colon)...].drop { $0 == " " }
          if !value.isEmpty { values[String(line[..<colon])] = String(value) }
        }
      }
      if !items.isEmpty { values["parameters"] = "[\(items.joined(separator: ", "))]" }
    }
  }
}
