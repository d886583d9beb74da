// LV2Bundle+Files.swift: file properties of an exported module. SPDX-License-Identifier: MIT

import PluginModel

extension LV2Bundle {
  /// Whether the module has file properties.
  var acceptsFiles: Bool { !module.properties.isEmpty }

  /// Returns the URI of a file property. [any]
  func fileURI(_ file: Property) -> String { part(file.symbol) }

  /// Appends a fragment; a URI has at most one "#".
  func part(_ name: String) -> String { "\(uri)\(uri.contains("#") ? "/" : "#")\(name)" }

  /// Returns the statements about each file property, and about the one term that LV2 does not define.
  var fileStatements: [String] {
    let word = Turtle.statement(
      "mod:fileTypes", [("a", ["rdf:Property"]), ("rdfs:label", [Turtle.string("file types")])])
    return (acceptsFiles ? [word] : [])
      + module.properties.map { file in
        Turtle.statement(
          Turtle.resource(fileURI(file)),
          [
            ("a", ["lv2:Parameter"]), ("rdfs:label", [Turtle.string(file.name)]),
            ("rdfs:comment", file.summary.isEmpty ? [] : [Turtle.string(file.summary)]),
            ("rdfs:range", ["atom:Path"]), ("mod:fileTypes", [Turtle.string(fileTypes)]),
          ])
      }
  }

  /// Returns the objects of `patch:writable`.
  var fileResources: [String] { module.properties.map { Turtle.resource(fileURI($0)) } }

  /// The file types of MOD devices.
  private var fileTypes: String {
    ["reverb", "simulator"].contains(module.category.lowercased())
      ? "ir,cabsim" : "audioloop,audiorecording,audiosample,audiotrack"
  }
}
