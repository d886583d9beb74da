// LibraryFile.swift: a look at a shared library before the loader gets it. SPDX-License-Identifier: MIT

import Glibc

/// Checks of an ELF file that the dynamic loader answers with a crash or a riddle.
enum LibraryFile {
  /// The ELF machine number that this program was built for, with its name.
  #if arch(x86_64)
  private static let native: UInt16 = 62
  #elseif arch(arm64)
  private static let native: UInt16 = 183
  #elseif arch(riscv64)
  private static let native: UInt16 = 243
  #else
  private static let native: UInt16 = 0
  #endif

  private static let machines: [UInt16: String] = [
    3: "x86 (32 bits)", 8: "MIPS", 20: "PowerPC", 21: "PowerPC (64 bits)", 40: "ARM (32 bits)",
    62: "x86-64", 183: "ARM (64 bits)", 243: "RISC-V",
  ]

  /// Throws unless the file is a whole shared library for this machine. [main]
  static func check(_ path: String) throws(ModuleError) {
    guard let file = fopen(path, "r") else { throw .missing(path: path) }
    defer { fclose(file) }
    var status = stat()
    guard fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .notALibrary(path: path)
    }
    var header = Elf64_Ehdr()
    let read = fread(&header, 1, MemoryLayout<Elf64_Ehdr>.size, file)
    let magic = withUnsafeBytes(of: header.e_ident) { Array($0.prefix(4)) }
    guard read >= 4, magic == [0x7f, 0x45, 0x4c, 0x46] else { throw .notALibrary(path: path) }
    guard read == MemoryLayout<Elf64_Ehdr>.size else { throw .truncated(path: path) }
    guard header.e_machine == native else {
      throw .wrongArchitecture(
        path: path, found: machines[header.e_machine] ?? "machine \(header.e_machine)",
        needed: machines[native] ?? "another")
    }
    // The section headers stand at the end, so that a file cut anywhere lacks some of them.
    let end = UInt64(header.e_shoff) + UInt64(header.e_shnum) * UInt64(header.e_shentsize)
    guard end <= UInt64(status.st_size) else { throw .truncated(path: path) }
    guard header.e_type == 3 else { throw .notALibrary(path: path) }
  }

  /// Whether the file mentions a C++ function called `process`. [main]
  static func hasMangledProcess(_ path: String) -> Bool {
    guard let file = fopen(path, "r") else { return false }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let needle = Array("_Z7process".utf8)
    var carried: [UInt8] = []
    while true {
      let count = fread(&bytes, 1, bytes.count, file)
      guard count > 0 else { return false }
      let window = carried + bytes.prefix(count)
      if window.firstRange(of: needle) != nil { return true }
      carried = Array(window.suffix(needle.count - 1))
    }
  }
}
