// BuiltProgram.swift: programs that are built with the tests. SPDX-License-Identifier: MIT

import Foundation

/// A program of the package.
package enum BuiltProgram {
  /// The path, which does not depend on the working directory.
  package static func path(_ name: String) -> String {
    var directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    while directory.path != "/",
      !FileManager.default.isExecutableFile(atPath: directory.appendingPathComponent(name).path)
    {
      directory.deleteLastPathComponent()
    }
    return directory.appendingPathComponent(name).path
  }
}
