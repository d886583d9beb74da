// InstallPaths.swift: where this program is, and what belongs to it. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import PluginCatalogue

/// The folders around this program, installed or in the source tree that it was built in.
enum InstallPaths {
  /// The folder of the program itself.
  static let programFolder = URL(fileURLWithPath: ThisProgram.path)
    .resolvingSymlinksInPath().deletingLastPathComponent().path

  /// What `make install` was given as PREFIX.
  static let prefix = URL(fileURLWithPath: programFolder).deletingLastPathComponent().path

  /// The source tree that this program was built in; nil once it is installed.
  static let sourceTree: String? = {
    // PACKAGE/.build/TRIPLE/CONFIGURATION/outboard
    var folder = URL(fileURLWithPath: programFolder)
    for _ in 0 ..< 4 {
      folder.deleteLastPathComponent()
      if FileManager.default.fileExists(atPath: folder.path + "/Package.swift") {
        return folder.path
      }
    }
    return nil
  }()

  /// Where `outboard_module.h` and its like are; nil where they were not installed.
  static let moduleHeaders: String? = firstFolder(
    "share/outboard/include", inSourceTree: "Sources/SDK/ModuleABI/include")

  /// Where the sources of the Swift kit are; nil where they were not installed.
  static let moduleKit: String? = firstFolder(
    "share/outboard/ModuleKit", inSourceTree: "Sources/SDK/ModuleKit")

  /// Where the sources to begin with are; nil where they were not installed.
  static let templates: String? = firstFolder(
    "share/outboard/templates", inSourceTree: "Sources/SDK/Templates")

  /// Where the guides are that `outboard help` prints; nil where they were not installed.
  static let guides: String? = firstFolder("share/outboard/docs", inSourceTree: "docs")

  /// The library that stands in every LV2 bundle that is exported; nil where it was not installed.
  static let lv2Shim: String? = [
    "\(programFolder)/liblv2-shim.so", "\(prefix)/lib/outboard/lv2-shim.so",
  ].first { FileManager.default.fileExists(atPath: $0) }

  /// A folder of the source tree that this program was built in, or else of the installation.
  private static func firstFolder(_ installed: String, inSourceTree place: String) -> String? {
    let candidates = (sourceTree.map { ["\($0)/\(place)"] } ?? []) + ["\(prefix)/\(installed)"]
    return candidates.first(where: isFolder)
  }

  /// The user's own folder for data of this program; nil where there is no home.
  static var userData: String? {
    (variable("XDG_DATA_HOME") ?? variable("HOME").map { $0 + "/.local/share" }).map {
      $0 + "/outboard"
    }
  }

  /// An environment variable that is not empty.
  static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether there is a folder at a path.
  static func isFolder(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }
}
