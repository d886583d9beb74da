// SourceAdapter.swift: adapters for code of other plugin formats. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The generated file that adapts code of another format: a VST2 factory, a LADSPA descriptor, an Audio Unit entry,
/// a JUCE factory or a class of Faust.
package struct SourceAdapter: Sendable, Equatable {
  /// The format of the code.
  package enum Kind: Sendable, CaseIterable {
    case vst2
    case ladspa
    case audioUnit
    case juce
    case faust
  }

  /// The format of the code.
  package let kind: Kind
  /// Whether the code accepts MIDI.
  package let acceptsMIDI: Bool
  /// The flags for all files of the code.
  let flags: [String]
  /// The file that the adapter includes, because it lacks the declarations of Faust; nil for other formats.
  private(set) var includedFile: String?
  /// The name of a class of Faust; empty for other formats.
  private let className: String

  /// Returns the adapter that a source needs; nil for none. [any]
  ///
  /// Files that mention none of the names are not parsed.
  init?(for source: ModuleSource) {
    let names = [
      "createEffectInstance", "ladspa_descriptor", "COMPONENT_ENTRY", "createPluginFilter",
      "buildUserInterface",
    ]
    let hasName = source.files.contains { file in
      guard let data = FileManager.default.contents(atPath: file) else { return false }
      return names.contains { data.firstRange(of: Array($0.utf8)) != nil }
    }
    guard hasName else { return nil }
    let texts = source.texts
    // Code that is already a module may contain another format's code.
    let isModule = zip(source.files, texts).contains { file, text in
      let language = ModuleSource.Language(fileName: file) ?? source.language
      return !ProcessSignature.definitions(in: text.tokens, language).isEmpty
    }
    guard !isModule else { return nil }
    self.init(texts)
    if kind == .faust {
      includedFile = zip(source.files, texts).first { FaustClass.name(in: $1.tokens) != nil }?.0
    }
  }

  /// Returns the adapter that files need; nil if they export `process`, use an adapter or have no known format. [any]
  package init?(_ texts: [SourceText]) {
    let all = texts.map(\.tokens)
    // An explicit macro of the porting headers takes precedence.
    guard !all.contains(where: { $0.contains(where: Self.isPort) }),
      let kind = Kind.allCases.first(where: { kind in all.contains { kind.isDefined(in: $0) } })
    else { return nil }
    self.kind = kind
    className = kind == .faust ? all.compactMap(FaustClass.name).first ?? "" : ""
    func mentions(_ word: String) -> Bool { all.contains { $0.contains(word) } }
    switch kind {
    case .vst2:
      acceptsMIDI = mentions("processEvents")
      flags = all.contains(where: Self.hasLongFrameCount) ? ["-DOUTBOARD_VST2_LONG"] : []
    case .ladspa:
      acceptsMIDI = false
      // Old plugins initialise in functions with names of the linker.
      flags =
        (mentions("_init") ? ["-D_init=__attribute__((constructor)) outboard_set_up"] : [])
        + (mentions("_fini") ? ["-D_fini=__attribute__((destructor)) outboard_take_down"] : [])
    case .audioUnit, .faust:
      acceptsMIDI = false
      flags = []
    case .juce:
      acceptsMIDI =
        ["isNoteOn", "getNoteNumber", "isController", "isPitchWheel", "Synthesiser"]
        .contains(where: mentions) || all.contains(where: Self.acceptsMIDI)
      // Before JUCE 6, parameter values were not atomic.
      let isOld = mentions("getRawParameterValue") && !mentions("atomic") && !mentions("load")
      flags = isOld ? ["-DOUTBOARD_JUCE_FLOAT_VALUES"] : []
    }
  }

  /// Whether a file belongs to the user interface, which is never created. [any]
  func isWindow(_ file: String) -> Bool {
    let name = (file.split(separator: "/").last ?? "").lowercased()
    return kind == .juce && ["editor", "lookandfeel", "gui"].contains { name.contains($0) }
  }

  /// Whether a linker symbol belongs to a user interface class. [any]
  static func isOfWindow(_ symbol: String) -> Bool {
    ["Editor", "LookAndFeel"].contains { symbol.contains($0) }
  }

  /// The content of the file.
  var text: String {
    switch kind {
    case .vst2: "#include <outboard/vst2.h>\nOUTBOARD_VST2_FACTORY\n"
    case .ladspa: "#include <outboard/ladspa.h>\nOUTBOARD_LADSPA(0)\n"
    case .audioUnit: "#include <outboard/au.h>\nOUTBOARD_AU_COMPONENT\n"
    case .juce: "#include <outboard/juce.h>\nOUTBOARD_JUCE_FACTORY\n"
    case .faust:
      // Relative names would be those of the adapter's directory.
      "#include <outboard/faust.h>\n"
        + "#include \"\(URL(fileURLWithPath: includedFile ?? "").standardizedFileURL.path)\"\n"
        + "OUTBOARD_FAUST(\(className))\n"
    }
  }

  /// Whether the adapter depends on nothing of the source. [any]
  ///
  /// LADSPA's header may be one of the source.
  var isIndependent: Bool { kind != .ladspa && kind != .faust }

  /// The name of the file.
  var fileName: String { kind == .ladspa ? "outboard_adapter.c" : "outboard_adapter.cpp" }

  private static func isPort(_ token: String) -> Bool {
    token.hasPrefix("OUTBOARD_")
      && !["OUTBOARD_LATENCY", "OUTBOARD_VST2_LONG", "OUTBOARD_SINGLE_INSTANCE"].contains(token)
  }

  /// Whether `acceptsMidi` returns true.
  private static func acceptsMIDI(_ tokens: [String]) -> Bool {
    tokens.indices.contains { index in
      guard tokens[index] == "acceptsMidi",
        let open = tokens[index...].prefix(8).firstIndex(of: "{")
      else { return false }
      return tokens[(open + 1)...].prefix(2).elementsEqual(["return", "true"])
    }
  }

  /// Whether `processReplacing` has a `long` count, as before VST 2.4.
  private static func hasLongFrameCount(_ tokens: [String]) -> Bool {
    tokens.indices.contains { index in
      tokens[index] == "processReplacing"
        && tokens[index...].prefix(24).prefix { $0 != ")" }.contains("long")
    }
  }
}

extension SourceAdapter.Kind {
  /// Whether code defines the entry function of the format.
  fileprivate func isDefined(in tokens: [String]) -> Bool {
    switch self {
    case .vst2: SourceAdapter.defines("createEffectInstance", in: tokens)
    case .ladspa: SourceAdapter.defines("ladspa_descriptor", in: tokens)
    case .audioUnit:
      ["AUDIOCOMPONENT_ENTRY", "COMPONENT_ENTRY"].contains { SourceAdapter.calls($0, in: tokens) }
    case .juce: SourceAdapter.defines("createPluginFilter", in: tokens)
    case .faust: FaustClass.name(in: tokens) != nil
    }
  }
}

extension SourceAdapter {
  /// Whether a function with this name has a body.
  fileprivate static func defines(_ name: String, in tokens: [String]) -> Bool {
    tokens.indices.contains { index in
      guard tokens[index] == name, index + 1 < tokens.count, tokens[index + 1] == "(",
        let close = tokens[index...].firstIndex(of: ")")
      else { return false }
      // Old C declares argument types between the bracket and the body.
      let rest = tokens[(close + 1)...].prefix(8)
      return rest.first == "{" || (rest.first != ";" && rest.contains("{"))
    }
  }

  /// Whether a macro with this name is used but not defined.
  fileprivate static func calls(_ name: String, in tokens: [String]) -> Bool {
    tokens.indices.contains { index in
      tokens[index] == name && index + 1 < tokens.count && tokens[index + 1] == "("
        && tokens[..<index].last != "define"
    }
  }
}
