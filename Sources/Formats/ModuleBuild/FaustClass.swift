// FaustClass.swift: classes as the Faust compiler writes them. SPDX-License-Identifier: MIT

/// A class of the Faust compiler in C++ code.
enum FaustClass {
  /// Returns the name of the first class that derives from `dsp` and declares controls. [any]
  ///
  /// - Returns: nil if there is none, or if the code is a whole program with its own class `dsp`.
  static func name(in tokens: [String]) -> String? {
    let isProgram = tokens.indices.contains {
      tokens[$0...].prefix(3).elementsEqual(["class", "dsp", "{"])
    }
    guard tokens.contains("buildUserInterface"), tokens.contains("compute"), !isProgram else {
      return nil
    }
    return tokens.indices.lazy.compactMap { index -> String? in
      let words = Array(tokens[index...].prefix(6))
      guard words.count == 6, ["class", "struct"].contains(words[0]), words[2] == ":",
        words[3] == "public", words[4] == "dsp", words[5] == "{"
      else { return nil }
      return words[1]
    }.first
  }
}
