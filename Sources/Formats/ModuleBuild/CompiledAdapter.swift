// CompiledAdapter.swift: the object of an adapter, compiled once for many sources. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// An adapter's object in the cache.
///
/// An adapter contains nothing of the source that it adapts. All sources of a format with the same flags use one
/// object, which saves half of the compiler's work.
struct CompiledAdapter {
  private let directory: String
  private var object: String { "\(directory)/adapter.o" }
  /// The checksum of the object and its headers, and the paths of the headers.
  private var list: String { "\(directory)/dependencies" }

  /// Names an object by the content that it does not read from headers.
  ///
  /// - Parameters:
  ///   - cache: the directory of all adapters, private to the user.
  ///   - recipe: the compiler, its flags and the adapter's text.
  init(cache: String, recipe: String) {
    var digest = ContentHash()
    digest.add(recipe)
    directory = "\(cache)/\(digest.text)"
  }

  /// Links the object to a new path and returns the headers that it depends on. [any]
  ///
  /// - Returns: nil if the object is missing or damaged, or a header has changed.
  func restore(to path: String) -> [String]? {
    let lines = ModuleBuilder.lines(of: list)
    // Another process can replace the object at any time, so the link is checked, not the original.
    guard let checksum = lines.first, unsafe link(object, path) == 0 else { return nil }
    let headers = Array(lines.dropFirst())
    guard checksum == Self.checksum(path, headers) else {
      unsafe unlink(path)
      return nil
    }
    // Unused objects are removed after a time.
    try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: list)
    return headers
  }

  /// Stores a compiled object. [any]
  ///
  /// If two processes store at the same time, the checksum may not match, and the next build stores again.
  func store(_ path: String, _ headers: [String]) {
    try? FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let temporary = "\(directory)/fresh.\(getpid()).\(UInt64.random(in: 0 ... .max))"
    guard unsafe link(path, temporary) == 0 else { return }
    unsafe rename(temporary, object)
    try? ([Self.checksum(path, headers)] + headers).joined(separator: "\n")
      .write(toFile: list, atomically: true, encoding: .utf8)
  }

  private static func checksum(_ object: String, _ headers: [String]) -> String {
    var digest = ContentHash()
    for file in [object] + headers { digest.add(contentsOf: file) }
    return digest.text
  }
}
