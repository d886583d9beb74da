// ModuleSource.swift: what a plugin is compiled from. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// A source file, or a folder of them, that stands in the place of a plugin.
package struct ModuleSource: Sendable, Equatable {
  /// What decides which compiler is called.
  package enum Language: Sendable {
    case c
    case cPlusPlus
    case swift

    /// By the ending of a file's name; nil for any other file. [any]
    init?(fileName: String) {
      switch URL(fileURLWithPath: fileName).pathExtension {
      case "c": self = .c
      case "cc", "cpp", "cxx": self = .cPlusPlus
      case "swift": self = .swift
      default: return nil
      }
    }
  }

  /// The file or folder, as the user names it.
  package let path: String
  /// The files that are compiled, by name.
  package let files: [String]
  /// C++ where any of the files is.
  package let language: Language
  /// Whether it is a folder.
  package let isFolder: Bool

  /// Whether a path may be a source: a file by the ending of its name, or a folder. [any]
  package static func isSource(_ path: String) -> Bool {
    Language(fileName: path) != nil || isDirectory(path)
  }

  /// Looks at what is there. [main]
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

  /// What a person calls it: the name without its ending.
  package var name: String {
    let url = URL(fileURLWithPath: path)
    return isFolder ? url.lastPathComponent : url.deletingPathExtension().lastPathComponent
  }

  /// Where its manifest stands, if it has one: beside a file; in a folder, called like it or the only one.
  package var manifestPath: String {
    guard isFolder else { return "\(stem).yaml" }
    let usual = "\(path)/\(name).yaml"
    guard !FileManager.default.fileExists(atPath: usual) else { return usual }
    let manifests = Self.manifests(in: path)
    return manifests.count == 1 ? manifests[0] : usual
  }

  /// The folder in which its files lie.
  package var folder: String {
    if isFolder { return path }
    return path.contains("/") ? URL(fileURLWithPath: path).deletingLastPathComponent().path : "."
  }

  /// The folders whose sources are all compiled; none for a file.
  var folders: [String] {
    guard isFolder else { return [] }
    // They are its own, or those in its `src`.
    let places = files.compactMap { file in file.lastIndex(of: "/").map { String(file[..<$0]) } }
    return Set(places + [path]).sorted()
  }

  /// What the files hold, each as pieces; nothing for one that cannot be read. [any]
  package var texts: [SourceText] {
    files.map { file in
      let data = FileManager.default.contents(atPath: file) ?? Data()
      return SourceText(String(decoding: data, as: UTF8.self))
    }
  }

  /// The same wherever the process is, to tell sources apart by.
  package var absolutePath: String { URL(fileURLWithPath: path).standardizedFileURL.path }

  /// The path without its ending, spelt as the user does.
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

  /// The first of the folders in a folder, however deep, that has sources itself.
  private static func folderWithSources(in folder: String) -> String? {
    guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder) else {
      return nil
    }
    let files = paths.filter { Language(fileName: $0) != nil && $0.contains("/") }.sorted()
    return files.first.map { String($0[...($0.lastIndex(of: "/") ?? $0.startIndex)]) }
  }

  /// The files that say which contract they are written for: rigs may lie there as well.
  private static func manifests(in folder: String) -> [String] {
    files(in: folder).filter { file in
      file.hasSuffix(".yaml")
        && (try? String(contentsOfFile: file, encoding: .utf8))?
          .split(whereSeparator: \.isNewline).contains { $0.hasPrefix("abi:") } == true
    }
  }

  /// Sources in folders of the folder, which are compiled where the others need them; none of tests or examples.
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

  /// Those in the folder itself; where it has none, those in its `src`.
  private static func sources(ofFolder folder: String) -> [String] {
    let own = sources(in: folder)
    guard own.isEmpty else { return own }
    let base = folder.hasSuffix("/") ? folder : folder + "/"
    return ["src", "source", "Source"].lazy.map { sources(in: base + $0) }.first { !$0.isEmpty }
      ?? []
  }

  /// Those that lie in a folder itself. [any]
  static func sources(in folder: String) -> [String] {
    files(in: folder).filter { Language(fileName: $0) != nil }
  }

  /// Hidden files are what editors leave behind, and links that lead nowhere what copying does; pipes would be waited for.
  private static func files(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
      .map { folder.hasSuffix("/") ? folder + $0 : "\(folder)/\($0)" }
      .filter { isRegular($0) }
  }
}
