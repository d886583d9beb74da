// ModuleSource.swift: the source of a module. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// A source file, or a directory of source files, that is used as a plugin.
package struct ModuleSource: Sendable, Equatable {
  /// The language, which determines the compiler.
  package enum Language: Sendable {
    case c
    case cPlusPlus
    case swift

    /// Detects the language by the file extension; nil for other files. [any]
    init?(fileName: String) {
      switch URL(fileURLWithPath: fileName).pathExtension {
      case "c": self = .c
      case "cc", "cpp", "cxx": self = .cPlusPlus
      case "swift": self = .swift
      default: return nil
      }
    }
  }

  /// The path, as the user wrote it.
  package let path: String
  /// The files to compile, by name.
  package let files: [String]
  /// The language; C++ if any file is C++.
  package let language: Language
  /// Whether the source is a directory.
  package let isDirectory: Bool

  /// Whether a path may be a source: a file by its extension, or a directory. [any]
  package static func isSource(_ path: String) -> Bool {
    Language(fileName: path) != nil || isDirectory(path)
  }

  /// Reads the directory. [main]
  ///
  /// - Throws: `ModuleBuildError.missing`, `.noSource`, `.mixed`.
  package init(path: String) throws(ModuleBuildError) {
    self.path = path
    isDirectory = Self.isDirectory(path)
    guard isDirectory || FileManager.default.fileExists(atPath: path) else {
      throw .missing(path: path)
    }
    guard isDirectory || Self.isRegular(path) else { throw .notAFile(path: path) }
    files = isDirectory ? Self.sources(ofDirectory: path) : [path]
    let languages = files.compactMap { Language(fileName: $0) }
    guard let first = languages.first else {
      throw .noSource(path: path, deeper: Self.directoryWithSources(in: path))
    }
    if languages.contains(.swift), languages.contains(where: { $0 != .swift }) {
      throw .mixed(path: path)
    }
    language = languages.contains(.cPlusPlus) ? .cPlusPlus : first
  }

  /// The display name: the file name without extension.
  package var name: String {
    let url = URL(fileURLWithPath: path)
    return isDirectory ? url.lastPathComponent : url.deletingPathExtension().lastPathComponent
  }

  /// The path of its manifest: next to a file; in a directory, the one with its name or the only one.
  package var manifestPath: String {
    guard isDirectory else { return "\(stem).yaml" }
    let defaultPath = "\(path)/\(name).yaml"
    guard !FileManager.default.fileExists(atPath: defaultPath) else { return defaultPath }
    let manifests = Self.manifests(in: path)
    return manifests.count == 1 ? manifests[0] : defaultPath
  }

  /// The directory of its files.
  package var directory: String {
    if isDirectory { return path }
    return path.contains("/") ? URL(fileURLWithPath: path).deletingLastPathComponent().path : "."
  }

  /// The directories whose sources are all compiled; empty for a file.
  var directories: [String] {
    guard isDirectory else { return [] }
    // The directory itself or its `src`.
    let parents = files.compactMap { file in file.lastIndex(of: "/").map { String(file[..<$0]) } }
    return Set(parents + [path]).sorted()
  }

  /// Returns the parsed files; empty for unreadable ones. [any]
  package var texts: [SourceText] {
    files.map { file in
      let data = FileManager.default.contents(atPath: file) ?? Data()
      return SourceText(String(decoding: data, as: UTF8.self))
    }
  }

  /// An absolute path that identifies the source.
  package var absolutePath: String { URL(fileURLWithPath: path).standardizedFileURL.path }

  /// The path without extension, as the user wrote it.
  private var stem: String {
    String(path.dropLast(URL(fileURLWithPath: path).pathExtension.count + 1))
  }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }

  private static func isRegular(_ path: String) -> Bool {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }

  /// Returns the first subdirectory at any depth that has sources.
  private static func directoryWithSources(in directory: String) -> String? {
    guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: directory) else {
      return nil
    }
    let files = paths.filter { Language(fileName: $0) != nil && $0.contains("/") }.sorted()
    return files.first.map { String($0[...($0.lastIndex(of: "/") ?? $0.startIndex)]) }
  }

  /// Returns manifests of modules; the directory may also contain rig files.
  private static func manifests(in directory: String) -> [String] {
    files(in: directory).filter { file in
      file.hasSuffix(".yaml")
        && (try? String(contentsOfFile: file, encoding: .utf8))?
          .split(whereSeparator: \.isNewline).contains { $0.hasPrefix("abi:") } == true
    }
  }

  /// Returns sources in subdirectories, to compile if needed, without tests and examples.
  var nestedFiles: [String] {
    guard isDirectory else { return [] }
    var found: [String] = []
    DirectoryWalk.visit(path) { entry in
      let language = Language(fileName: entry.name)
      if entry.name.hasPrefix(".") || (language == nil && Self.isExcludedFile(entry.name)) {
        return .skip
      }
      if let language, language != .swift, !files.contains(entry.path) { found.append(entry.path) }
      return .descend
    }
    return found.sorted()
  }

  static func isExcludedFile(_ name: String) -> Bool {
    ["test", "example", "doc", "bench", "build"].contains { name.lowercased().hasPrefix($0) }
  }

  /// Returns the sources of the directory, or of its `src`.
  private static func sources(ofDirectory directory: String) -> [String] {
    let topFiles = sources(in: directory)
    guard topFiles.isEmpty else { return topFiles }
    let base = directory.hasSuffix("/") ? directory : directory + "/"
    return ["src", "source", "Source"].lazy.map { sources(in: base + $0) }.first { !$0.isEmpty }
      ?? []
  }

  /// Returns the sources directly in a directory. [any]
  static func sources(in directory: String) -> [String] {
    files(in: directory).filter { Language(fileName: $0) != nil }
  }

  /// Ignores hidden files of editors and dangling links, and pipes, which would block.
  private static func files(in directory: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
      .map { directory.hasSuffix("/") ? directory + $0 : "\(directory)/\($0)" }
      .filter { isRegular($0) }
  }
}
