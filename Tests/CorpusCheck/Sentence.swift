// Sentence.swift: the part of a message that is the same on every machine. SPDX-License-Identifier: MIT

import Foundation

/// Sentences of `outboard validate` without what differs from machine to machine, or from run to run.
enum Sentence {
  /// Without folders, addresses in code, and how often something was seen.
  static func lasting(_ sentence: String) -> String {
    var text = sentence.replacing(/[\t\n]+/, with: " ")
    // The place of a crash, which comes last.
    text.replace(#/ \(in [^ ]+\.so.*\)\.$/#, with: ".")
    text.replace(/, and (once|\d+ times) more(?=\.)/, with: "")
    text.replace(/([ ("])\/([^\/ "):]+\/)+/) { $0.output.1 }
    return text
  }

  /// What was seen, not where: a note may come from another block each time.
  static func withoutSituation(_ sentence: String) -> String {
    sentence.replacing(#/ at \d+ Hz with blocks of \d+ frames/#, with: "")
  }
}
