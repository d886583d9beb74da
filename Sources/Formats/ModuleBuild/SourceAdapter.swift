// SourceAdapter.swift: code of another shape that needs no lines of its own. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The file that makes a module of code which exports what hosts of another kind call: a VST2 factory, a LADSPA
/// descriptor, the entry of an Audio Unit, a JUCE factory.
package struct SourceAdapter: Sendable, Equatable {
  /// What the code was written for.
  package enum Kind: Sendable, CaseIterable {
    case vst2
    case ladspa
    case audioUnit
    case juce
  }

  /// What the code was written for.
  package let kind: Kind
  /// Whether the code takes MIDI.
  package let acceptsMIDI: Bool
  /// What every file of the code is to be compiled with.
  let flags: [String]

  /// The adapter that a source wants; nil for none. [any]
  ///
  /// Files without any of the names are not read piece by piece.
  init?(for source: ModuleSource) {
    let names = [
      "createEffectInstance", "ladspa_descriptor", "COMPONENT_ENTRY", "createPluginFilter",
    ]
    let hasName = source.files.contains { file in
      guard let data = FileManager.default.contents(atPath: file) else { return false }
      return names.contains { data.firstRange(of: Array($0.utf8)) != nil }
    }
    guard hasName else { return nil }
    let texts = source.texts
    // Code that is a module already may have another's beside it.
    let isModule = zip(source.files, texts).contains { file, text in
      let language = ModuleSource.Language(fileName: file) ?? source.language
      return !ProcessSignature.definitions(in: text.tokens, language).isEmpty
    }
    guard !isModule else { return nil }
    self.init(texts)
  }

  /// The adapter that files want; nil where they export `process`, have an adapter, or are of no known shape. [any]
  package init?(_ texts: [SourceText]) {
    let all = texts.map(\.tokens)
    // Whoever writes a line of the kit means it.
    guard !all.contains(where: { $0.contains(where: Self.isPort) }),
      let kind = Kind.allCases.first(where: { kind in all.contains { kind.isDefined(in: $0) } })
    else { return nil }
    self.kind = kind
    func mentions(_ word: String) -> Bool { all.contains { $0.contains(word) } }
    switch kind {
    case .vst2:
      acceptsMIDI = mentions("processEvents")
      flags = all.contains(where: Self.takesLong) ? ["-DOUTBOARD_VST2_LONG"] : []
    case .ladspa:
      acceptsMIDI = false
      // Old plugins set themselves up in functions of the linker's names.
      flags =
        (mentions("_init") ? ["-D_init=__attribute__((constructor)) outboard_set_up"] : [])
        + (mentions("_fini") ? ["-D_fini=__attribute__((destructor)) outboard_take_down"] : [])
    case .audioUnit:
      acceptsMIDI = false
      flags = []
    case .juce:
      acceptsMIDI = ["isNoteOn", "getNoteNumber", "Synthesiser"].contains(where: mentions)
      // Before JUCE 6 values were no atomics.
      let isOld = mentions("getRawParameterValue") && !mentions("atomic") && !mentions("load")
      flags = isOld ? ["-DOUTBOARD_JUCE_FLOAT_VALUES"] : []
    }
  }

  /// Whether a file is of a window of the code, which is compiled where that is possible: no window is made. [any]
  func isWindow(_ file: String) -> Bool {
    let name = (file.split(separator: "/").last ?? "").lowercased()
    return kind == .juce && ["editor", "lookandfeel", "gui"].contains { name.contains($0) }
  }

  /// Whether a symbol, as the linker has it, is of a window's class. [any]
  static func isOfWindow(_ symbol: String) -> Bool {
    ["Editor", "LookAndFeel"].contains { symbol.contains($0) }
  }

  /// The file's content.
  var text: String {
    switch kind {
    case .vst2: "#include <outboard/vst2.h>\nOUTBOARD_VST2_FACTORY\n"
    case .ladspa: "#include <outboard/ladspa.h>\nOUTBOARD_LADSPA(0)\n"
    case .audioUnit: "#include <outboard/au.h>\nOUTBOARD_AU_COMPONENT\n"
    case .juce: "#include <outboard/juce.h>\nOUTBOARD_JUCE_FACTORY\n"
    }
  }

  /// The file's name.
  var fileName: String { kind == .ladspa ? "outboard_adapter.c" : "outboard_adapter.cpp" }

  private static func isPort(_ token: String) -> Bool {
    token.hasPrefix("OUTBOARD_")
      && !["OUTBOARD_LATENCY", "OUTBOARD_VST2_LONG", "OUTBOARD_SINGLE_INSTANCE"].contains(token)
  }

  /// Whether `processReplacing` counts in `long`, as it did before VST 2.4.
  private static func takesLong(_ tokens: [String]) -> Bool {
    tokens.indices.contains { place in
      tokens[place] == "processReplacing"
        && tokens[place...].prefix(24).prefix { $0 != ")" }.contains("long")
    }
  }
}

extension SourceAdapter.Kind {
  /// Whether code defines what hosts of the kind call.
  fileprivate func isDefined(in tokens: [String]) -> Bool {
    switch self {
    case .vst2: SourceAdapter.defines("createEffectInstance", in: tokens)
    case .ladspa: SourceAdapter.defines("ladspa_descriptor", in: tokens)
    case .audioUnit:
      ["AUDIOCOMPONENT_ENTRY", "COMPONENT_ENTRY"].contains { SourceAdapter.calls($0, in: tokens) }
    case .juce: SourceAdapter.defines("createPluginFilter", in: tokens)
    }
  }
}

extension SourceAdapter {
  /// Whether a function of that name has a body.
  fileprivate static func defines(_ name: String, in tokens: [String]) -> Bool {
    tokens.indices.contains { place in
      guard tokens[place] == name, place + 1 < tokens.count, tokens[place + 1] == "(",
        let close = tokens[place...].firstIndex(of: ")")
      else { return false }
      // Old C names the types of arguments between the bracket and the body.
      let rest = tokens[(close + 1)...].prefix(8)
      return rest.first == "{" || (rest.first != ";" && rest.contains("{"))
    }
  }

  /// Whether a macro of that name is used, and not defined.
  fileprivate static func calls(_ name: String, in tokens: [String]) -> Bool {
    tokens.indices.contains { place in
      tokens[place] == name && place + 1 < tokens.count && tokens[place + 1] == "("
        && tokens[..<place].last != "define"
    }
  }
}
