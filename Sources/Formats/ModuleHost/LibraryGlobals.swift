// LibraryGlobals.swift: what of a library all its instances would share. SPDX-License-Identifier: MIT

import Glibc

/// The variables of a module's library that are not in its instances: globals and `static` ones.
enum LibraryGlobals {
  private static let writableSections: Set = [".bss", ".data", ".tbss", ".tdata"]
  /// What compilers put into every library (whether it was taken down, an empty box, numbers for hashing, the
  /// streams, the handler of exceptions), and this host.
  private static let usual = [
    "completed.", "$es16_emptyBoxStorage", "$es32_swift_stdlib_Hashing_parameters",
    "_ZStL8__ioinit", "DW.ref.", "outboard_heap_fill",
  ]

  /// What the porting kit puts into code that says that it can exist once.
  private static let declaration = "outboard_is_taken"

  /// Whether the file has any, as far as its symbols tell, or, where they were stripped, the sizes of its
  /// sections; false for what can exist once alone, and what is no whole library. [main]
  static func isAny(in path: String) -> Bool {
    guard let image = ELFImage(path), let sections = image.sections() else { return false }
    let writable = Set(sections.indices.filter { writableSections.contains(sections[$0].name) })
    // 2 is a table of all symbols.
    if let table = sections.first(where: { $0.header.sh_type == 2 }) {
      let names = image.symbols(in: table, sections)
        .filter { $0.isVariable && writable.contains($0.section) }.map(\.name)
      return !names.contains(declaration)
        && names.contains { name in !usual.contains(where: name.hasPrefix) }
    }
    // `__dso_handle` in one, `completed` with what it is rounded to in the other.
    return writable.contains { sections[$0].header.sh_size > 8 }
  }
}
