// LV2Vocabulary.swift: LV2 terms for manifest values. SPDX-License-Identifier: MIT

internal import LV2Host

/// Licences with a URI.
enum LicenseURI {
  /// SPDX tags in common use; others are exported as text.
  private static let known: Set<String> = [
    "0BSD", "AGPL-3.0", "AGPL-3.0-only", "AGPL-3.0-or-later", "Apache-2.0", "Artistic-2.0",
    "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0",
    "EPL-2.0", "EUPL-1.2", "GPL-2.0", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0",
    "GPL-3.0-only", "GPL-3.0-or-later", "ISC", "LGPL-2.1", "LGPL-2.1-only", "LGPL-2.1-or-later",
    "LGPL-3.0", "LGPL-3.0-only", "LGPL-3.0-or-later", "MIT", "MIT-0", "MPL-2.0", "NCSA",
    "Unlicense", "WTFPL", "Zlib",
  ]

  /// Returns the URI of a licence; nil if there is none.
  static func uri(of licence: String) -> String? {
    if licence.contains("://") { return LV2Bundle.isLegal(uri: licence) ? licence : nil }
    let tag = known.first { $0.lowercased() == licence.lowercased() }
    return tag.map { "https://spdx.org/licenses/\($0)" }
  }
}

/// Classes of plugins.
enum LV2Category {
  /// Other words for terms of the vocabulary.
  private static let synonyms: [String: String] = [
    "equalizer": "EQPlugin", "eq": "EQPlugin", "parametric equalizer": "ParaEQPlugin",
    "synthesiser": "InstrumentPlugin", "synthesizer": "InstrumentPlugin",
    "synth": "InstrumentPlugin",
    "analyzer": "AnalyserPlugin", "meter": "AnalyserPlugin", "tuner": "AnalyserPlugin",
    "gain": "AmplifierPlugin", "overdrive": "DistortionPlugin", "echo": "DelayPlugin",
    "pitch shifter": "PitchPlugin", "utility": "UtilityPlugin", "generator": "GeneratorPlugin",
  ]

  /// Returns the class of a category in lower case; nil if there is none.
  static func className(of category: String) -> String? {
    synonyms[category] ?? LV2.categories.first { $0.value.lowercased() == category }?.key
  }
}

/// Units of parameters.
enum LV2Unit {
  private static let synonyms: [String: String] = [
    "cents": "cent", "cent": "cent", "semitones": "semitone12TET", "semitone": "semitone12TET",
    "st": "semitone12TET", "octaves": "oct", "octave": "oct", "percent": "pc", "seconds": "s",
    "minutes": "min", "°": "degree", "degrees": "degree", "samples": "frame",
  ]

  /// Returns the object of `units:unit` for a unit.
  static func term(for unit: String) -> String {
    // In the vocabulary `mhz` is a megahertz; a small m is a thousandth.
    let word = unit.lowercased()
    let known =
      synonyms[word]
      ?? LV2.unitSymbols.first { !$0.value.isEmpty && $0.value.lowercased() == word }?.key
    if let known, !(word == "mhz" && unit.hasPrefix("m")) { return "units:\(known)" }
    let format = unit.split(separator: "%", omittingEmptySubsequences: false)
      .joined(separator: "%%")
    return Turtle.shortBlank([
      ("a", ["units:Unit"]), ("rdfs:label", [Turtle.string(unit)]),
      ("units:symbol", [Turtle.string(unit)]), ("units:render", [Turtle.string("%f \(format)")]),
    ])
  }
}
