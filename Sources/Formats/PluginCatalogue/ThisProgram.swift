// ThisProgram.swift: the path of this program. SPDX-License-Identifier: MIT

internal import Glibc

/// Finds this program's file, also under tools that run it in their own process.
package enum ThisProgram {
  /// A path that starts this program.
  ///
  /// Normally `/proc/self/exe`, which survives an upgrade. Under valgrind, qemu or an explicit dynamic linker it is
  /// the file of this code. [any]
  package static var path: String {
    guard let loaded = loadedPath, let file = identity(loaded), let process = identity(process),
      file != process
    else { return process }
    return loaded
  }

  private static let process = "/proc/self/exe"

  /// Returns the file of this code; nil if it is unknown or deleted.
  private static let loadedPath: String? = {
    let address = UInt(bitPattern: #dsohandle)
    guard let file = unsafe fopen("/proc/self/maps", "re") else { return nil }
    defer { unsafe fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { unsafe free(line) }
    while unsafe getline(&line, &capacity, file) > 0 {
      guard let line = unsafe line else { return nil }
      // 7f00-7f10 r-xp 00000000 fd:01 1234   /usr/bin/outboard
      let text = unsafe String(cString: line)
      let bounds = text.prefix { $0 != " " }.split(separator: "-").map { UInt($0, radix: 16) ?? 0 }
      guard bounds.count == 2, bounds[0] <= address, address < bounds[1],
        let slash = text.firstIndex(of: "/")
      else { continue }
      return String(text[slash...].prefix { $0 != "\n" })
    }
    return nil
  }()

  private static func identity(_ path: String) -> [UInt64]? {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return nil }
    return [UInt64(facts.st_dev), UInt64(facts.st_ino)]
  }
}
