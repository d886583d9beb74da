// HeaderSearch.swift: what code from elsewhere takes for granted, found near it. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// Headers and sources around a source, for code whose own build files say where they lie.
///
/// Headers are looked for below the file that wants one, then below the folder around it, and so on up to the
/// repository that it is in. Each found one gets a file of one line in the memory, which includes it.
struct HeaderSearch {
  let source: ModuleSource
  /// The folder for headers that were found.
  private let memory: String

  /// Folders that are looked into before that is given up: nobody waits for a whole disk.
  static let mostFiles = 30_000
  /// Folders around the file that are looked into, where nothing says where a repository begins.
  private static let mostLevels = 3

  init(_ source: ModuleSource, memory: String) {
    self.source = source
    self.memory = memory
  }

  // MARK: - Headers

  /// Finds headers; true if any was found that was not known. [any]
  func provide(_ missing: [MissingHeader]) -> Bool {
    var isAny = false
    for header in Set(missing) {
      if header.name.hasPrefix("/") {
        // What was found has gone, or moved.
        isAny = (try? FileManager.default.removeItem(atPath: memory)) != nil || isAny
        continue
      }
      let forwarder = "\(memory)/\(header.name)"
      guard !header.name.contains(".."), !FileManager.default.fileExists(atPath: forwarder),
        let found = places(of: header).only
      else { continue }
      let folder = URL(fileURLWithPath: forwarder).deletingLastPathComponent().path
      try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let line = "#include \"\(found)\"\n"
      isAny =
        (try? line.write(toFile: forwarder, atomically: true, encoding: .utf8)) != nil || isAny
    }
    return isAny
  }

  /// What would help with headers that were not found, as a sentence; nil where the compiler's will do. [any]
  func hint(for missing: [MissingHeader]) -> String? {
    guard let header = missing.first, !header.name.hasPrefix("/") else { return nil }
    let places = places(of: header)
    if places.count > 1 {
      return
        "\(header.name) is found more than once near it, as \(places[0]) and \(places[1]); name the folder"
        + " that is meant by `compiler_flags: -Ifolder` in the comment."
    }
    let template = MissingHeader(name: header.name + ".in", includer: header.includer)
    if let place = self.places(of: template).first {
      return
        "\(header.name) is made of \(place) by the code's own configure or cmake; run that, or write the"
        + " file by hand."
    }
    if let rule = BuildRule.find(making: header.name, in: Self.roots(around: header.includer)) {
      return "\(header.name) is made by the code's own build: \(rule.advice)."
    }
    return
      "\(header.name) is not found near it either; say where it lies by `compiler_flags: -Ifolder` in the comment,"
      + " or install the library that it belongs to."
  }

  /// The best places of a header: one, or several that are equally good.
  private func places(of header: MissingHeader) -> [String] {
    let wanted = header.name.lowercased()
    for root in Self.roots(around: header.includer) {
      var visited = 0
      var found: [(path: String, depth: Int, isExact: Bool)] = []
      DirectoryWalk.visit(root) { entry in
        if entry.name.hasPrefix(".") { return .skip }
        visited += 1
        if visited > Self.mostFiles { return .stop }
        if entry.path.lowercased().hasSuffix("/" + wanted) {
          found.append((entry.path, entry.depth, entry.path.hasSuffix("/" + header.name)))
        }
        return .descend
      }
      if found.contains(where: \.isExact) { found.removeAll { !$0.isExact } }
      guard let nearest = found.map(\.depth).min() else { continue }
      let candidates = found.filter { $0.depth == nearest }.map(\.path).sorted()
      let contents = Set(candidates.map { FileManager.default.contents(atPath: $0) })
      return contents.count == 1 ? Array(candidates.prefix(1)) : candidates
    }
    return []
  }

  /// The folder of a file, and those around it, as far as they can be the same piece of work.
  static func roots(around file: String) -> [String] {
    var folder = URL(fileURLWithPath: file).standardizedFileURL.deletingLastPathComponent()
    var roots: [String] = []
    let home = FileManager.default.homeDirectoryForCurrentUser.standardizedFileURL.path
    let ends = [
      "/", home, FileManager.default.temporaryDirectory.path, "/tmp", "/home", "/usr", "/var/tmp",
    ]
    for _ in 0 ... mostLevels {
      let path = folder.path
      if ends.contains(path) || ends.contains(path + "/") { break }
      roots.append(path)
      if FileManager.default.fileExists(atPath: path + "/.git") { break }
      folder.deleteLastPathComponent()
    }
    return roots
  }

  // MARK: - Sources

  /// Sources that belong to headers among these files, and those in folders of the source's folder; none of the
  /// files themselves. [any]
  func sources(beside files: [String], except taken: [String]) -> [String] {
    func canonical(_ path: String) -> String {
      URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
    var known = Set((files + taken).map(canonical))
    var found: [String] = []
    for file in files where Self.isHeader(file) && !file.hasPrefix("/usr/") {
      for path in Self.companions(of: file)
      where FileManager.default.fileExists(atPath: path) && known.insert(canonical(path)).inserted {
        found.append(path)
      }
    }
    for path in source.deeperFiles where known.insert(canonical(path)).inserted {
      found.append(path)
    }
    return found
  }

  private static func isHeader(_ file: String) -> Bool {
    ["h", "hh", "hpp", "hxx"].contains(URL(fileURLWithPath: file).pathExtension)
  }

  /// Where the source of a header may be: beside it, or in a folder beside its folder, such as `src`.
  private static func companions(of header: String) -> [String] {
    let url = URL(fileURLWithPath: header).standardizedFileURL
    let folder = url.deletingLastPathComponent().path
    let around = url.deletingLastPathComponent().deletingLastPathComponent().path
    let others = (try? FileManager.default.contentsOfDirectory(atPath: around)) ?? []
    let folders = [folder] + others.filter { !$0.hasPrefix(".") }.sorted().map { "\(around)/\($0)" }
    let name = url.deletingPathExtension().lastPathComponent
    return folders.flatMap { folder in
      ["c", "cc", "cpp", "cxx"].map { "\(folder)/\(name).\($0)" }
    }
  }
}

extension Array {
  /// The one element; nil where there is none, or more.
  fileprivate var only: Element? { count == 1 ? self[0] : nil }
}
