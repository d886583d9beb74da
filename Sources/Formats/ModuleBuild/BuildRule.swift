// BuildRule.swift: rules of the code's build system that generate a missing file. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// A rule of a Makefile, or a mention in another build file, that generates a file.
struct BuildRule: Equatable {
  /// The build file.
  let file: String
  /// The command and its directory.
  let advice: String

  private static let makefiles = [
    "Makefile", "makefile", "GNUmakefile", "Makefile.am", "Makefile.in",
  ]

  /// Finds the rule in the nearest build file that generates a file. [any]
  ///
  /// - Parameters:
  ///   - name: the file name in the code.
  ///   - directories: the directories to search, including their subdirectories.
  /// - Returns: the rule; nil if there is none.
  static func find(making name: String, in directories: [String]) -> BuildRule? {
    for directory in directories {
      for candidate in [directory] + Self.directories(in: directory) {
        if let rule = make(name, in: candidate) ?? other(name, in: candidate) { return rule }
      }
    }
    return nil
  }

  private static func directories(in directory: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted().map { "\(directory)/\($0)" }
      .filter { path in
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
          && isDirectory
      }
  }

  // MARK: - Make

  private static func make(_ name: String, in directory: String) -> BuildRule? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let files = makefiles.filter(names.contains) + names.filter(isIncludedMakefile).sorted()
    for file in files {
      guard let text = try? String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8),
        let target = MakefileText(text).target(making: name, in: directory)
      else { continue }
      let command: String
      if names.contains(where: makefiles.prefix(3).contains) {
        command = "`make \(target)`"
      } else if ["Makefile.am", "Makefile.in"].contains(file) {
        // Automake and configure must first write the Makefile.
        command = "./configure, then `make \(target)`"
      } else {
        command = "`make -f \(file) \(target)`"
      }
      return BuildRule(file: "\(directory)/\(file)", advice: "run \(command) in \(directory)")
    }
    return nil
  }

  private static func isIncludedMakefile(_ name: String) -> Bool {
    [".mk", ".mak", ".make"].contains(where: name.hasSuffix)
      || (name.hasPrefix("Makefile.") && !makefiles.contains(name))
  }

  // MARK: - Other build systems

  private static func other(_ name: String, in directory: String) -> BuildRule? {
    let base = name.split(separator: "/").last.map(String.init) ?? name
    for (file, commands) in [
      ("CMakeLists.txt", "`cmake -B build && cmake --build build`"),
      ("meson.build", "`meson setup build && ninja -C build`"),
      ("waf", "`./waf configure build`"), ("SConstruct", "`scons`"),
    ] {
      let script = file == "waf" ? "wscript" : file
      guard let text = try? String(contentsOfFile: "\(directory)/\(script)", encoding: .utf8),
        BuildScriptText(text).mentions(base)
      else { continue }
      let top = top(of: directory, with: script)
      return BuildRule(file: "\(directory)/\(script)", advice: "run \(commands) in \(top)")
    }
    return nil
  }

  /// The directory from which a build script is run: the highest one whose scripts include each other.
  private static func top(of directory: String, with script: String) -> String {
    var top = URL(fileURLWithPath: directory).standardizedFileURL
    while true {
      let above = top.deletingLastPathComponent()
      guard above.path != top.path,
        FileManager.default.fileExists(atPath: "\(above.path)/\(script)")
      else { return top.path }
      top = above
    }
  }
}
