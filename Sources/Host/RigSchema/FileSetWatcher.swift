// FileSetWatcher.swift: watches files that belong together. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Manifests
import ModuleBuild
import RealtimeKit
import Synchronization

/// Watches the files of a rig or plugin on a separate thread.
package final class FileSetWatcher: Sendable {
  private let files: @Sendable () -> [String]
  private let first: String
  private let watch: FileWatcher
  private let hasChanged = Atomic<Bool>(false)
  private let onChange: @Sendable () -> Void
  /// The text that `saving` wrote last to the first file.
  private let saved = Mutex<String?>(nil)

  /// Starts to watch a rig and its nested rigs; returns nil if the system allows no more watches. [main]
  ///
  /// - Parameters:
  ///   - file: the path of the rig.
  ///   - onChange: called on another thread when a file was saved.
  package convenience init?(_ file: String, onChange: @escaping @Sendable () -> Void) {
    self.init(files: { RigReader.files(of: file) }, onChange: onChange)
  }

  /// Starts to watch files; returns nil if the system allows no more watches. [main]
  ///
  /// - Parameters:
  ///   - files: returns the paths of the files, now and after each change; called on any thread.
  ///   - onChange: called on another thread when a file was saved.
  package init?(
    files: @escaping @Sendable () -> [String], onChange: @escaping @Sendable () -> Void
  ) {
    guard let watch = FileWatcher() else { return nil }
    self.files = files
    self.watch = watch
    self.onChange = onChange
    let paths = files()
    first = paths.first ?? ""
    let stamps = FileStamps(paths)
    _ = DetachedThread.start { [self] in follow(paths, from: stamps) }
  }

  /// Whether the file has been saved since the last call. [any]
  package func takeChange() -> Bool { hasChanged.exchange(false, ordering: .acquiring) }

  /// Saves a file, which is no change if it is the first of the files. [any]
  ///
  /// - Parameter save: returns the path and the text that it has written.
  /// - Throws: the errors of `save`.
  package func saving(_ save: () throws -> (path: String, text: String)) throws {
    // While the lock is held, no change is reported.
    try saved.withLock { saved in
      let (path, text) = try save()
      if Self.isSame(path, first) { saved = text }
    }
  }

  private static func isSame(_ one: String, _ other: String) -> Bool {
    let paths = [one, other].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
    return paths[0] == paths[1]
  }

  /// Stops watching. [any]
  package func stop() { watch.stop() }

  private func follow(_ present: [String], from stamps: FileStamps) {
    var (paths, known) = (present, stamps)
    var others = FileStamps(Array(present.dropFirst()))
    while watch.waitForChange(of: paths, since: known) != nil {
      // Updated before the files are read, so that a file that is saved meanwhile is read again.
      paths = files()
      known = FileStamps(paths)
      let before = others
      others = FileStamps(Array(paths.dropFirst()))
      let text = try? ManifestFile.text(atPath: first)
      let isSaved = saved.withLock { $0 != nil && $0 == text }
      if isSaved, others == before { continue }
      hasChanged.store(true, ordering: .releasing)
      onChange()
    }
  }
}

extension RigReader {
  /// Returns the files of a rig and of its nested rigs, if they can be determined; its own first. [any]
  static func files(of path: String) -> [String] {
    var files = [path]
    var position = 0
    while position < files.count, files.count <= RigNodeReader.nodeLimit {
      let file = files[position]
      position += 1
      guard let text = try? ManifestFile.text(atPath: file),
        let root = try? YAMLParser.parse(text, file: file), let nodes = root["nodes"]
      else { continue }
      for written in nodes.values.compactMap({ $0["rig"]?.text }) {
        let inner =
          NestedRigLoader.locate(written, from: file)
          ?? RigDescription.path(written, seenFrom: file)
        if !files.contains(inner) { files.append(inner) }
      }
    }
    return files
  }
}

extension YAMLNode {
  /// The value of a key of a mapping.
  fileprivate subscript(key: String) -> YAMLNode? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.value
  }

  /// The values of a mapping.
  fileprivate var values: [YAMLNode] {
    if case .mapping(let entries) = content { entries.map(\.value) } else { [] }
  }

  fileprivate var text: String? {
    if case .text(let text, _) = content { text.trimmed } else { nil }
  }
}
