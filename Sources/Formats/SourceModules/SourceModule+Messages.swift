// SourceModule+Messages.swift: messages about a library, rewritten for its source. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import ModuleBuild

extension SourceModule {
  /// Rewrites a message about the library as a message about its source.
  package func replacingLibraryPath(_ message: String, _ product: Product) -> String {
    var words = message.replacing(product.built.library, with: source.path)
      .replacing(product.built.manifest, with: source.path)
    let declared = (try? SourceManifest(for: source))?.declaredKeys ?? []
    words = Self.withoutGuessedText(words, declared: declared)
    return hint(on: words, declared).map { "\(words) \($0)" } ?? words
  }

  /// Returns a hint, if the code shows how to fix the problem.
  private func hint(on words: String, _ declared: Set<String>) -> String? {
    if words.contains("does not export the required function `process`") {
      return hintWithoutProcess
    }
    if words.contains("`create` returned NULL"), words.contains("e.g."),
      !declared.contains("block"), source.texts.contains(where: { $0.mentions("OUTBOARD_FRAMES") })
    {
      return "For OUTBOARD_FRAMES, declare the frame length in the comment, too:"
        + " `// outboard: block: {fixed: 480}`."
    }
    if words.contains("failed to map segment") {
      return
        "If the file system does not allow programs to run (noexec), set XDG_CACHE_HOME to another one."
    }
    if words.contains(", but its manifest has ") || words.contains(" in its manifest"),
      !FileManager.default.fileExists(atPath: source.manifestPath)
    {
      return "The manifest is the comment that starts with `// outboard:`."
    }
    return words.contains(Self.undeclared)
      ? "Declare them in a comment: `// outboard: \(Self.example(declared))`." : nil
  }

  /// A hint for code that does not export `process`.
  private var hintWithoutProcess: String {
    if let hint = source.almostProcessHint { return hint }
    if let shape {
      return
        "It looks like \(shape.name). Include <outboard/\(shape.header)> and add the lines that"
        + " `outboard help porting` shows."
    }
    if source.texts.contains(where: { $0.mentions("lv2_descriptor") }) {
      return
        "It looks like an LV2 plugin. Compile it, put it into a directory with its manifest.ttl below ~/.lv2"
        + " and use its URI."
    }
    return source.foreignFormatHint ?? "Run `outboard help porting` to adapt other code."
  }

  private static let undeclared = ", and nothing declares them"

  /// Removes the reference to the manifest from an inferred number.
  private static func withoutGuessedText(_ words: String, declared: Set<String>) -> String {
    var words = words
    for what in ["inputs", "outputs", "parameters"] where !declared.contains(what) {
      let mark = " \(what), but its manifest has "
      guard let range = words.firstRange(of: mark) else { continue }
      let digits = words[range.upperBound...].prefix(while: \.isNumber)
      words.replaceSubrange(
        range.lowerBound ..< digits.endIndex, with: " \(what)\(undeclared)")
    }
    return words
  }

  /// Returns an example comment that declares the missing keys.
  private static func example(_ declared: Set<String>) -> String {
    [
      ("inputs", "inputs: 2"), ("outputs", "outputs: 2"),
      (
        "parameters",
        "parameters: [{symbol: first, name: First, minimum: 0, default: 0.5, maximum: 1}, ...]"
      ),
    ].filter { !declared.contains($0.0) }.map(\.1).joined(separator: ", ")
  }

  /// Returns the plugin API of the code, from its identifiers; nil if unknown.
  private var shape: (name: String, header: String)? {
    let known = [
      ("ladspa_descriptor", "LADSPA", "ladspa.h"), ("AudioEffectX", "VST2", "vst2.h"),
      ("AudioProcessor", "JUCE", "juce.h"), ("AUEffectBase", "an Audio Unit", "au.h"),
      ("AUKernelBase", "an Audio Unit", "au.h"), ("FAUSTFLOAT", "Faust", "faust.h"),
      ("buildUserInterface", "Faust", "faust.h"),
    ]
    let texts = source.texts
    return known.first { name, _, _ in texts.contains { $0.mentions(name) } }.map { ($0.1, $0.2) }
  }
}
