// ELFImage.swift: reads the symbols of a shared library without loading it. SPDX-License-Identifier: MIT

import Glibc

/// The bytes of a shared library.
///
/// All offsets are checked.
struct ELFImage {
  struct Section {
    let name: String
    let header: Elf64_Shdr
  }

  struct Symbol {
    let name: String
    /// The index of its section; 0 for an imported symbol.
    let section: Int
    let type: UInt8
    let byteCount: UInt64

    /// Whether the symbol is a variable or a thread-local variable.
    var isVariable: Bool { (type == 1 || type == 6) && byteCount > 0 }
    /// Whether the symbol is a function or an indirect function.
    var isFunction: Bool { (type == 2 || type == 10) && section != 0 }
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

  /// Whether the library exports a function with this name. [any]
  func exports(_ function: String) -> Bool {
    guard let sections = sections() else { return false }
    // Section type 11 is the dynamic symbol table.
    return sections.filter { $0.header.sh_type == 11 }.contains { table in
      symbols(in: table, sections).contains { $0.isFunction && $0.name == function }
    }
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

  /// Returns all symbols of a symbol table.
  func symbols(in table: Section, _ sections: [Section]) -> [Symbol] {
    guard sections.indices.contains(Int(table.header.sh_link)) else { return [] }
    let names = sections[Int(table.header.sh_link)].header
    let size = UInt64(MemoryLayout<Elf64_Sym>.size)
    return (0 ..< table.header.sh_size / size).compactMap { index in
      guard let symbol = value(at: table.header.sh_offset &+ index &* size, as: Elf64_Sym.self)
      else { return nil }
      return Symbol(
        name: text(in: names, at: symbol.st_name), section: Int(symbol.st_shndx),
        type: symbol.st_info & 0xf, byteCount: symbol.st_size)
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
