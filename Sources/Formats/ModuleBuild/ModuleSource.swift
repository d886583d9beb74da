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
  /// Whether it is a directory.
  package let isFolder: Bool

  /// Whether a path may be a source: a file by its extension, or a directory. [any]
  package static func isSource(_ path: String) -> Bool {
    Language(fileName: path) != nil || isDirectory(path)
  }

  /// Reads the directory. [main]
  ///
  /// - Throws: `ModuleBuildError.missing`, `.noSource`, `.mixed`.
  package init(path: String) throws(ModuleBuildError) {
    self.path = path
    isFolder = Self.isDirectory(path)
    guard isFolder || FileManager.default.fileExists(atPath: path) else {
      throw .missing(path: path)
    }
    guard isFolder || Self.isRegular(path) else { throw .notAFile(path: path) }
    files = isFolder ? Self.sources(ofFolder: path) : [path]
    let languages = files.compactMap { Language(fileName: $0) }
    guard let first = languages.first else {
      throw .noSource(path: path, deeper: Self.folderWithSources(in: path))
    }
    if languages.contains(.swift), languages.contains(where: { $0 != .swift }) {
      throw .mixed(path: path)
    }
    language = languages.contains(.cPlusPlus) ? .cPlusPlus : first
  }

  /// The display name: the file name without extension.
  package var name: String {
    let url = URL(fileURLWithPath: path)
    return isFolder ? url.lastPathComponent : url.deletingPathExtension().lastPathComponent
  }

  /// The path of its manifest: next to a file; in a directory, the one with its name or the only one.
  package var manifestPath: String {
    guard isFolder else { return "\(stem).yaml" }
    let usual = "\(path)/\(name).yaml"
    guard !FileManager.default.fileExists(atPath: usual) else { return usual }
    let manifests = Self.manifests(in: path)
    return manifests.count == 1 ? manifests[0] : usual
  }

  /// The directory of its files.
  package var folder: String {
    if isFolder { return path }
    return path.contains("/") ? URL(fileURLWithPath: path).deletingLastPathComponent().path : "."
  }

  /// The directories whose sources are all compiled; empty for a file.
  var folders: [String] {
    guard isFolder else { return [] }
    // The directory itself or its `src`.
    let places = files.compactMap { file in file.lastIndex(of: "/").map { String(file[..<$0]) } }
    return Set(places + [path]).sorted()
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
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }

  /// Returns the first subdirectory at any depth that has sources.
  private static func folderWithSources(in folder: String) -> String? {
    guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder) else {
      return nil
    }
    let files = paths.filter { Language(fileName: $0) != nil && $0.contains("/") }.sorted()
    return files.first.map { String($0[...($0.lastIndex(of: "/") ?? $0.startIndex)]) }
  }

  /// Returns manifests of modules; the directory may also contain rig files.
  private static func manifests(in folder: String) -> [String] {
    files(in: folder).filter { file in
      file.hasSuffix(".yaml")
        && (try? String(contentsOfFile: file, encoding: .utf8))?
          .split(whereSeparator: \.isNewline).contains { $0.hasPrefix("abi:") } == true
    }
  }

  /// Returns sources in subdirectories, to compile if needed, without tests and examples.
  var deeperFiles: [String] {
    guard isFolder else { return [] }
    var found: [String] = []
    DirectoryWalk.visit(path) { entry in
      let language = Language(fileName: entry.name)
      if entry.name.hasPrefix(".") || (language == nil && Self.isBesideThePoint(entry.name)) {
        return .skip
      }
      if let language, language != .swift, !files.contains(entry.path) { found.append(entry.path) }
      return .descend
    }
    return found.sorted()
  }

  static func isBesideThePoint(_ name: String) -> Bool {
    ["test", "example", "doc", "bench", "build"].contains { name.lowercased().hasPrefix($0) }
  }

  /// Returns the sources of the directory, or of its `src`.
  private static func sources(ofFolder folder: String) -> [String] {
    let own = sources(in: folder)
    guard own.isEmpty else { return own }
    let base = folder.hasSuffix("/") ? folder : folder + "/"
    return ["src", "source", "Source"].lazy.map { sources(in: base + $0) }.first { !$0.isEmpty }
      ?? []
  }

  /// Returns the sources directly in a directory. [any]
  static func sources(in folder: String) -> [String] {
    files(in: folder).filter { Language(fileName: $0) != nil }
  }

  /// Ignores hidden files of editors and dangling links, and pipes, which would block.
  private static func files(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
      .map { folder.hasSuffix("/") ? folder + $0 : "\(folder)/\($0)" }
      .filter { isRegular($0) }
  }
}
