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
  ///   - folders: the directories to search, including their subdirectories.
  /// - Returns: the rule; nil if there is none.
  static func find(making name: String, in folders: [String]) -> BuildRule? {
    for folder in folders {
      for place in [folder] + Self.folders(in: folder) {
        if let rule = make(name, in: place) ?? other(name, in: place) { return rule }
      }
    }
    return nil
  }

  private static func folders(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted().map { "\(folder)/\($0)" }
      .filter { path in
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
      }
  }

  // MARK: - Make

  private static func make(_ name: String, in folder: String) -> BuildRule? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let files = makefiles.filter(names.contains) + names.filter { $0.hasSuffix(".mk") }.sorted()
    for file in files {
      guard let text = try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8),
        let target = target(making: name, in: text, folder)
      else { continue }
      // Automake and configure must first write the Makefile.
      let isTemplate = file.hasPrefix("Makefile.") && !names.contains("Makefile")
      let first = isTemplate ? "./configure, then " : ""
      return BuildRule(
        file: "\(folder)/\(file)", advice: "run \(first)`make \(target)` in \(folder)")
    }
    return nil
  }

  /// The target that generates a file: the file itself, one whose recipe writes it, or a pattern.
  private static func target(making name: String, in text: String, _ folder: String) -> String? {
    let base = name.split(separator: "/").last.map(String.init) ?? name
    var targets: [Substring] = []
    var byPattern: String?
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      if line.hasPrefix("\t") {
        if words(line).contains(where: { isName($0, base) }), let target = targets.first {
          return String(target)
        }
        continue
      }
      guard let colon = line.firstIndex(of: ":"), !line[colon...].hasPrefix(":="),
        !line[..<colon].contains("=")
      else { continue }
      targets = line[..<colon].split(whereSeparator: \.isWhitespace)
      // For a target in a variable directory, run the default target.
      if let target = targets.first(where: { isName($0, base) }) {
        return target.contains("$") ? "all" : String(target)
      }
      byPattern = byPattern ?? pattern(targets, line[line.index(after: colon)...], base, folder)
    }
    return byPattern
  }

  /// A pattern such as `%.h: %.txt`, if the prerequisite exists.
  private static func pattern(
    _ targets: [Substring], _ needs: Substring, _ base: String, _ folder: String
  ) -> String? {
    for target in targets where target.hasPrefix("%") && base.hasSuffix(target.dropFirst()) {
      let stem = base.dropLast(target.count - 1)
      let files = needs.split(whereSeparator: \.isWhitespace).filter { $0.contains("%") }
        .map { "\(folder)/" + $0.replacing("%", with: stem) }
      if !files.isEmpty, files.allSatisfy(FileManager.default.fileExists) { return base }
    }
    return nil
  }

  private static func words(_ line: Substring) -> [Substring] {
    line.split { $0.isWhitespace || ">;\"'()".contains($0) }
  }

  private static func isName(_ word: Substring, _ base: String) -> Bool {
    word == base || word.hasSuffix("/" + base)
  }

  // MARK: - Other build systems

  private static func other(_ name: String, in folder: String) -> BuildRule? {
    let base = name.split(separator: "/").last.map(String.init) ?? name
    for (file, commands) in [
      ("CMakeLists.txt", "`cmake -B build && cmake --build build`"),
      ("meson.build", "`meson setup build && ninja -C build`"),
      ("waf", "`./waf configure build`"), ("SConstruct", "`scons`"),
    ] {
      let path = "\(folder)/\(file == "waf" ? "wscript" : file)"
      guard let text = try? String(contentsOfFile: path, encoding: .utf8),
        text.split(whereSeparator: \.isNewline).contains(where: { line in
          words(line).contains { isName($0, base) }
        })
      else { continue }
      return BuildRule(
        file: path,
        advice:
          "run \(commands) in \(folder), then add `compiler_flags: -Ibuild` to the comment"
      )
    }
    return nil
  }
}
