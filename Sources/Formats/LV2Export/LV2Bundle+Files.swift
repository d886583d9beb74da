// LV2Bundle+Files.swift: the sound files of an exported module, as parameters that are paths. SPDX-License-Identifier: MIT

import PluginModel

extension LV2Bundle {
  /// Whether the module is given sound files.
  var takesFiles: Bool { !module.properties.isEmpty }

  /// What names a file in messages and states. [any]
  func fileURI(_ file: Property) -> String { part(file.symbol) }

  /// A resource of the plugin's own; behind a "#" there is no second one.
  func part(_ name: String) -> String { "\(uri)\(uri.contains("#") ? "/" : "#")\(name)" }

  /// What is said of each file, and of the one word that is in no vocabulary of LV2's.
  var fileStatements: [String] {
    let word = Turtle.statement(
      "mod:fileTypes", [("a", ["rdf:Property"]), ("rdfs:label", [Turtle.string("file types")])])
    return (takesFiles ? [word] : [])
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

  /// What stands behind `patch:writable`.
  var fileResources: [String] { module.properties.map { Turtle.resource(fileURI($0)) } }

  /// The folders in which a MOD device offers files.
  private var fileTypes: String {
    ["reverb", "simulator"].contains(module.category.lowercased())
      ? "ir,cabsim" : "audioloop,audiorecording,audiosample,audiotrack"
  }
}
