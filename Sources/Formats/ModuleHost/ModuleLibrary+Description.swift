// ModuleLibrary+Description.swift: what a module's code says of itself. SPDX-License-Identifier: MIT

import CModule

extension ModuleLibrary {
  /// More than anyone says of 64 parameters.
  private static let longestDescription = 1 << 16

  /// Whether the library at a path says what its channels and parameters are, without loading it. [any]
  package static func describesItself(path: String) -> Bool {
    ELFImage(path)?.exports("outboard_describe") ?? false
  }

  /// Whether a library takes what `save` of one gives; of both without running any code. [any]
  package static func takesState(path: String, of other: String) -> Bool {
    ELFImage(path)?.exports("restore") == true && ELFImage(other)?.exports("save") == true
  }

  /// What the code says of its channels and parameters, as lines of a manifest; nil where it says nothing.
  ///
  /// An instance is made for it, so this is for a process that may crash. [main]
  package func description(sampleRateHz: Double, maximumFrameCount: UInt32) -> String? {
    guard let describe = functions.describe else { return nil }
    let state = functions.create?(sampleRateHz, maximumFrameCount)
    guard state != nil || functions.create == nil else { return nil }
    defer { functions.destroy?(state) }
    var text = [CChar](repeating: 0, count: Self.longestDescription)
    let count = Int(describe(state, &text, UInt32(text.count)))
    guard count > 0, count < text.count else { return nil }
    return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
