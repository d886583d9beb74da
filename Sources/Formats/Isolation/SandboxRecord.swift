// SandboxRecord.swift: the memory in which a sandbox records what it refuses. SPDX-License-Identifier: MIT

internal import CIsolation
internal import CSandbox
internal import Glibc
internal import PluginModel

/// The memory in which a sandbox records what it refuses; the process in the sandbox may write anything into it.
final class SandboxRecord {
  let memory: UnsafeMutablePointer<csandbox_record>
  /// The descriptor; closed with this object.
  let descriptor: Int32
  private let home: String
  /// The kinds that were returned.
  private var taken: Set<SandboxRefusal.Kind> = []

  private static var byteCount: Int { MemoryLayout<csandbox_record>.stride }

  /// Creates the memory; nil with errno set if there is not enough. [main]
  convenience init?() {
    let descriptor = cisolation_create_memory(Self.byteCount)
    guard descriptor >= 0 else {
      errno = -descriptor
      return nil
    }
    self.init(descriptor: descriptor)
  }

  /// Maps the memory of another process. [main]
  init?(descriptor: Int32) {
    guard let address = cisolation_map(descriptor, Self.byteCount) else { return nil }
    self.descriptor = descriptor
    memory = address.assumingMemoryBound(to: csandbox_record.self)
    home = getenv("HOME").map { String(cString: $0) } ?? ""
  }

  deinit {
    cisolation_unmap(memory, Self.byteCount)
    close(descriptor)
  }

  /// Returns what was refused since the last call, each kind only once. [main]
  func takeRefusals() -> [SandboxRefusal] {
    all.filter { taken.insert($0.kind).inserted }
  }

  /// Everything that was refused so far: calls, and different files. [main]
  var all: [SandboxRefusal] {
    let files = self.files
    var found: [SandboxRefusal] = []
    for (index, kind) in Self.kinds.enumerated() {
      // Pairs with the releasing addition in `sandbox_note`.
      let counted = csandbox_counted(memory, UInt32(index))
      guard counted.count > 0 else { continue }
      let ofKind = files.filter { kind == .write ? $0.kind == .write : $0.kind != .write }
      if kind == .write || kind == .read, !ofKind.isEmpty {
        found += ofKind
      } else {
        found.append(SandboxRefusal(kind: kind, call: Self.name(counted.call)))
      }
    }
    return found
  }

  /// In the order of `csandbox_kind`.
  private static let kinds: [SandboxRefusal.Kind] = [
    .network, .communication, .process, .inspection, .signal, .system, .read, .write,
  ]

  private static func name(_ call: UInt32) -> String? {
    csandbox_call_name(call).map { String(cString: $0) }
  }

  private var files: [SandboxRefusal] {
    (0 ..< UInt32(CSANDBOX_FILE_COUNT)).compactMap { index in
      var file = csandbox_file()
      guard csandbox_copy_file(memory, index, &file) else { return nil }
      let path = withUnsafeBytes(of: &file.path) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self).visible
      }
      if file.is_write != 0 { return SandboxRefusal(kind: .write, path: path) }
      return SandboxRefusal(kind: isInHome(path) ? .home : .read, path: path)
    }
  }

  private func isInHome(_ path: String) -> Bool {
    home.count > 1 && (path == home || path.hasPrefix(home + "/"))
  }
}
