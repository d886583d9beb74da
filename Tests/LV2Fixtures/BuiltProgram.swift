// BuiltProgram.swift: programs that are built with the tests. SPDX-License-Identifier: MIT

import Foundation

/// A program of the package.
package enum BuiltProgram {
  /// Its path, wherever the tests run from.
  package static func path(_ name: String) -> String {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    while folder.path != "/",
      !FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent(name).path)
    {
      folder.deleteLastPathComponent()
    }
    return folder.appendingPathComponent(name).path
  }
}
