// InstallPaths.swift: directories of the installation. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import PluginCatalogue

/// The directories of this program, installed or in its source tree.
package enum InstallPaths {
  /// The directory of the program.
  package static let programDirectory = URL(fileURLWithPath: ThisProgram.path)
    .resolvingSymlinksInPath().deletingLastPathComponent().path

  /// The PREFIX of `make install`.
  package static let prefix =
    URL(fileURLWithPath: programDirectory).deletingLastPathComponent().path

  /// The source tree in which this program was built; nil if it is installed.
  package static let sourceTree: String? = {
    // PACKAGE/.build/TRIPLE/CONFIGURATION/outboard
    var directory = URL(fileURLWithPath: programDirectory)
    for _ in 0 ..< 4 {
      directory.deleteLastPathComponent()
      if FileManager.default.fileExists(atPath: directory.path + "/Package.swift") {
        return directory.path
      }
    }
    return nil
  }()

  /// The directory of `outboard_module.h` and related headers; nil if they are not installed.
  package static let moduleHeaders: String? = firstDirectory(
    "share/outboard/include", inSourceTree: "Sources/SDK/ModuleABI/include")

  /// The directory of the ModuleKit sources; nil if they are not installed.
  package static let moduleKit: String? = firstDirectory(
    "share/outboard/ModuleKit", inSourceTree: "Sources/SDK/ModuleKit")

  /// The directory of the templates; nil if they are not installed.
  static let templates: String? = firstDirectory(
    "share/outboard/templates", inSourceTree: "Sources/SDK/Templates")

  /// The directory of the guides; nil if they are not installed.
  static let guides: String? = firstDirectory("share/outboard/docs", inSourceTree: "docs")

  /// The library in every exported LV2 bundle; nil if it is not installed.
  package static let lv2Shim: String? = [
    "\(programDirectory)/liblv2-shim.so", "\(prefix)/lib/outboard/lv2-shim.so",
  ].first { FileManager.default.fileExists(atPath: $0) }

  /// The program that takes part in Ableton Link; nil if it is not installed.
  package static let linkHelper: String? =
    ((sourceTree.map { ["\($0)/.build/outboard-link"] } ?? [])
    + [prefix, "/usr/local"].map { "\($0)/lib/outboard/outboard-link" })
    .first { FileManager.default.fileExists(atPath: $0) }

  /// Returns a directory of the source tree, or of the installation.
  private static func firstDirectory(_ installed: String, inSourceTree path: String) -> String? {
    let candidates = (sourceTree.map { ["\($0)/\(path)"] } ?? []) + ["\(prefix)/\(installed)"]
    return candidates.first(where: isDirectory)
  }

  /// The user's data directory of this program; nil if HOME is not set.
  package static var userData: String? {
    (variable("XDG_DATA_HOME") ?? variable("HOME").map { $0 + "/.local/share" }).map {
      $0 + "/outboard"
    }
  }

  /// Returns an environment variable that is not empty.
  package static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether a directory exists.
  package static func isDirectory(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }
}
