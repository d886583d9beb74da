// LibraryGlobals.swift: what of a library all its instances would share. SPDX-License-Identifier: MIT

import Glibc

/// The variables of a module's library that are not in its instances: globals and `static` ones.
enum LibraryGlobals {
  private static let writableSections: Set = [".bss", ".data", ".tbss", ".tdata"]
  /// What compilers put into every library: whether it was taken down, an empty box, the streams.
  private static let usual = ["completed.", "$es16_emptyBoxStorage", "_ZStL8__ioinit"]

  /// What the porting kit puts into code that says that it can exist once.
  private static let declaration = "outboard_is_taken"

  /// Whether the file has any, as far as its symbols tell, or, where they were stripped, the sizes of its
  /// sections; false for what can exist once alone, and what is no whole library. [main]
  static func isAny(in path: String) -> Bool {
    guard let image = Image(path), let sections = image.sections() else { return false }
    let writable = Set(sections.indices.filter { writableSections.contains(sections[$0].name) })
    // 2 is a table of all symbols.
    if let table = sections.first(where: { $0.header.sh_type == 2 }) {
      let names = image.objects(in: table, sections).filter { writable.contains($0.section) }
        .map(\.name)
      return !names.contains(declaration)
        && names.contains { name in !usual.contains(where: name.hasPrefix) }
    }
    // `__dso_handle` in one, `completed` with what it is rounded to in the other.
    return writable.contains { sections[$0].header.sh_size > 8 }
  }

  /// A library's bytes, of which none is taken for granted.
  private struct Image {
    struct Section {
      let name: String
      let header: Elf64_Shdr
    }

    private let bytes: [UInt8]

    init?(_ path: String) {
      guard let file = fopen(path, "re") else { return nil }
      defer { fclose(file) }
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = fread(&chunk, 1, chunk.count, file)
        guard count > 0 else { break }
        bytes += chunk[..<count]
      }
      self.bytes = bytes
    }

    func sections() -> [Section]? {
      guard let header = value(at: 0, as: Elf64_Ehdr.self) else { return nil }
      let headers = (0 ..< UInt64(header.e_shnum)).compactMap {
        value(at: header.e_shoff &+ $0 &* UInt64(header.e_shentsize), as: Elf64_Shdr.self)
      }
      guard headers.indices.contains(Int(header.e_shstrndx)) else { return nil }
      let names = headers[Int(header.e_shstrndx)]
      return headers.map { Section(name: text(in: names, at: $0.sh_name), header: $0) }
    }

    /// The variables of a symbol table, each with the place of its section.
    func objects(in table: Section, _ sections: [Section]) -> [(name: String, section: Int)] {
      guard sections.indices.contains(Int(table.header.sh_link)) else { return [] }
      let names = sections[Int(table.header.sh_link)].header
      let size = UInt64(MemoryLayout<Elf64_Sym>.size)
      return (0 ..< table.header.sh_size / size).compactMap { index in
        guard let symbol = value(at: table.header.sh_offset &+ index &* size, as: Elf64_Sym.self)
        else { return nil }
        // 1 is a variable, 6 one of each thread.
        let type = symbol.st_info & 0xf
        guard type == 1 || type == 6, symbol.st_size > 0 else { return nil }
        return (text(in: names, at: symbol.st_name), Int(symbol.st_shndx))
      }
    }

    private func text(in table: Elf64_Shdr, at offset: UInt32) -> String {
      let start = Int(clamping: table.sh_offset &+ UInt64(offset))
      guard start < bytes.count else { return "" }
      return String(decoding: bytes[start...].prefix { $0 != 0 }, as: UTF8.self)
    }

    private func value<Value: BitwiseCopyable>(
      at offset: UInt64, as type: Value.Type
    ) -> Value? {
      let start = Int(clamping: offset)
      guard start <= bytes.count, bytes.count - start >= MemoryLayout<Value>.size else {
        return nil
      }
      return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: type) }
    }
  }
}
