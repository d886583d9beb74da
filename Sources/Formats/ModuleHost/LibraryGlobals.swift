// LibraryGlobals.swift: finds global variables of a library. SPDX-License-Identifier: MIT

import Glibc

/// Detects global and `static` variables of a module's library, which instances would share.
enum LibraryGlobals {
  private static let writableSections: Set = [".bss", ".data", ".tbss", ".tdata"]
  /// Variables that compilers add to every library, and those of this host.
  private static let ignoredPrefixes = [
    "completed.", "$es16_emptyBoxStorage", "$es32_swift_stdlib_Hashing_parameters",
    "_ZStL8__ioinit", "DW.ref.", "outboard_heap_fill",
  ]

  /// The marker of the porting headers for code that supports only one instance.
  private static let declaration = "outboard_is_taken"

  /// Whether the file has global variables, by its symbols or, if stripped, by its section sizes.
  ///
  /// False for code
  /// that supports only one instance and for invalid libraries. [main]
  static func isAny(in path: String) -> Bool {
    guard let image = ELFImage(path), let sections = image.sections() else { return false }
    let writable = Set(sections.indices.filter { writableSections.contains(sections[$0].name) })
    // Section type 2 is the full symbol table.
    if let table = sections.first(where: { $0.header.sh_type == 2 }) {
      let names = image.symbols(in: table, sections)
        .filter { $0.isVariable && writable.contains($0.section) }.map(\.name)
      return !names.contains(declaration)
        && names.contains { name in !ignoredPrefixes.contains(where: name.hasPrefix) }
    }
    // `__dso_handle` in one section, `completed` plus padding in the other.
    return writable.contains { sections[$0].header.sh_size > 8 }
  }
}
