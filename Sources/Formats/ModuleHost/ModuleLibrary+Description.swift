// ModuleLibrary+Description.swift: the code's own description of a module. SPDX-License-Identifier: MIT

import CModule

extension ModuleLibrary {
  /// The maximum size, more than 64 parameters need.
  private static let longestDescription = 1 << 16

  /// Whether a library exports `outboard_describe`, without loading it. [any]
  package static func exportsDescription(path: String) -> Bool {
    ELFImage(path)?.exports("outboard_describe") ?? false
  }

  /// Whether one library exports `save` and the other `restore`, without loading them. [any]
  package static func canTransferState(path: String, of other: String) -> Bool {
    ELFImage(path)?.exports("restore") == true && ELFImage(other)?.exports("save") == true
  }

  /// Returns the channels and parameters of the code as lines of a manifest; nil if it has no description.
  ///
  /// This creates an instance, so call it only in a process that may crash. [main]
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
