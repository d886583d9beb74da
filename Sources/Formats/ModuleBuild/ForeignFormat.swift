// ForeignFormat.swift: plugin formats and audio interfaces that sources cannot use. SPDX-License-Identifier: MIT

import FoundationEssentials

/// A plugin format or audio interface whose sources cannot be compiled to a module.
struct ForeignFormat {
  /// The name with its article.
  private let name: String
  /// The start of the header names that only such sources include.
  private let headers: [String]

  private static let known = [
    ForeignFormat(name: "a CLAP plugin", headers: ["clap/"]),
    ForeignFormat(
      name: "a VST3 plugin",
      headers: [
        "public.sdk/source/vst/", "public.sdk/source/main/", "pluginterfaces/vst/",
        "pluginterfaces/base/",
      ]),
    ForeignFormat(name: "a DPF plugin", headers: ["DistrhoPlugin.hpp"]),
    ForeignFormat(name: "an iPlug plugin", headers: ["IPlug"]),
    ForeignFormat(name: "a JACK client", headers: ["jack/jack.h"]),
    ForeignFormat(name: "a PortAudio program", headers: ["portaudio.h"]),
    ForeignFormat(
      name: "a Daisy program",
      headers: ["daisy.h", "daisy_seed.h", "daisy_pod.h", "daisy_patch.h", "daisy_field.h"]),
    ForeignFormat(name: "a SuperCollider unit generator", headers: ["SC_PlugIn"]),
    ForeignFormat(name: "a Pure Data external", headers: ["m_pd.h"]),
  ]

  /// The VST2 headers, whose classes are supported; the structure `AEffect` with functions of C is not.
  private static let vst2 = ["aeffect.h", "aeffectx.h"]

  /// Returns what a source is and how to use its code; nil for modules and other code. [any]
  ///
  /// The names of its `#include` lines decide, because its identifiers can have other meanings.
  static func hint(for source: ModuleSource) -> String? {
    let texts = source.texts
    guard source.language != .swift, !ProcessSignature.isModule(source, texts) else { return nil }
    let headers = source.files.flatMap(includedHeaders)
    if let format = known.first(where: { $0.includes(headers) }) {
      return "The source looks like \(format.name), which is not supported. \(advice)"
    }
    let isPlain = !texts.contains { $0.mentions("AudioEffectX") || $0.mentions("AudioEffect") }
    guard headers.contains(where: vst2.contains), isPlain,
      texts.contains(where: { $0.mentions("AEffect") })
    else { return nil }
    return
      "The source looks like a VST2 plugin that fills the structure AEffect. Only classes derived from AudioEffectX,"
      + " in C++ files (.cpp), are supported. \(advice)"
  }

  private static let advice =
    "Call its DSP from a source file with the functions that `outboard help porting` shows."

  private func includes(_ included: [String]) -> Bool {
    included.contains { header in headers.contains { header.hasPrefix($0) } }
  }

  /// Returns the names in the `#include` lines of a file.
  private static func includedHeaders(_ file: String) -> [String] {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return [] }
    return text.split(whereSeparator: \.isNewline).compactMap { line in
      var line = String(line).trimming(while: \.isWhitespace)
      for word in ["#", "include"] {
        guard line.hasPrefix(word) else { return nil }
        line = String(line.dropFirst(word.count)).trimming(while: \.isWhitespace)
      }
      guard line.first == "<" || line.first == "\"" else { return nil }
      return String(line.dropFirst().prefix { $0 != ">" && $0 != "\"" })
    }
  }
}

extension ModuleSource {
  /// The plugin format of a source that cannot be compiled, and how to use its code; nil for other code.
  /// [any]
  package var foreignFormatHint: String? { ForeignFormat.hint(for: self) }

  /// What a function in the source lacks to be the exported `process`; nil if nothing is missing. [any]
  package var almostProcessHint: String? { ProcessSignature.almost(in: self, texts) }
}
