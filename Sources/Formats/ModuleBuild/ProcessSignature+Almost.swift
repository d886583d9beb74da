// ProcessSignature+Almost.swift: functions that are almost `process`. SPDX-License-Identifier: MIT

extension ProcessSignature {
  /// Whether a source exports a `process` without certain faults. [any]
  static func isModule(_ source: ModuleSource, _ texts: [SourceText]) -> Bool {
    zip(source.files, texts).contains { file, text in
      let language = ModuleSource.Language(fileName: file) ?? source.language
      return definitions(in: text.tokens, language).contains { index in
        fault(in: arguments(in: text.tokens, from: index + 1), language) == nil
      }
    }
  }

  /// Returns the location of a function that has the arguments of `process` but is not exported as `process`, with the
  /// reason; nil if there is no such function. [any]
  static func almost(in source: ModuleSource, _ texts: [SourceText]) -> String? {
    for (file, text) in zip(source.files, texts) {
      let language = ModuleSource.Language(fileName: file) ?? source.language
      let functions = functions(in: text.tokens) { $0.lowercased() == "process" }
      for function in functions {
        let arguments = arguments(in: text.tokens, from: function.tokenIndex + 1)
        guard fault(in: arguments, language) == nil,
          let advice = advice(on: function, text.tokens[function.tokenIndex], language)
        else { continue }
        return "\(file):\(text.lines[function.tokenIndex]): \(advice)"
      }
    }
    return nil
  }

  /// Returns how to export a function as `process`; nil if it is exported, or not a function of the file.
  private static func advice(
    on function: Function, _ name: String, _ language: ModuleSource.Language
  ) -> String? {
    let isDeclared =
      language == .swift
      ? function.head.contains("func") : function.head.contains(where: returned.contains)
    guard isDeclared, !function.head.contains("define"), ![":", "."].contains(function.head.last)
    else { return nil }
    var steps: [String] = []
    if name != "process" { steps.append("Rename it to `process`") }
    for word in ["static", "inline"] where function.head.contains(word) {
      steps.append("\(steps.isEmpty ? "Remove" : "remove") `\(word)`")
    }
    switch language {
    case .swift:
      if function.head.first != "c" { steps.append("write `@c` before `func`") }
    case .cPlusPlus:
      if !function.hasCLinkage { steps.append("declare it as extern \"C\"") }
    case .c: break
    }
    guard let first = steps.first else { return nil }
    let text = [first.prefix(1).uppercased() + first.dropFirst()] + steps.dropFirst()
    return "`\(name)` is not exported as `process`. \(text.joined(separator: " and "))."
  }
}
