// ELFValidator.swift: checks a shared library before it is loaded. SPDX-License-Identifier: MIT

import Glibc

/// Checks of an ELF file for faults that make the dynamic loader crash or print an unclear message.
enum ELFValidator {
  /// The ELF machine number of this program, with its name.
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
    3: "x86 (32 bits)", 8: "MIPS", 20: "PowerPC", 21: "PowerPC (64 bits)", 22: "s390x",
    40: "ARM (32 bits)", 62: "x86-64", 183: "ARM (64 bits)", 243: "RISC-V",
  ]

  /// Throws if the file is not a complete shared library for this machine. [main]
  static func check(_ path: String) throws(ModuleError) {
    var status = stat()
    // Checked before opening: opening a named pipe would block.
    guard stat(path, &status) == 0 else { throw unreadable(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notALibrary(path: path) }
    guard let file = fopen(path, "r") else { throw unreadable(path, errno) }
    defer { fclose(file) }
    var header = Elf64_Ehdr()
    let read = fread(&header, 1, MemoryLayout<Elf64_Ehdr>.size, file)
    let magic = withUnsafeBytes(of: header.e_ident) { Array($0.prefix(4)) }
    guard read >= 4, magic == [0x7f, 0x45, 0x4c, 0x46] else { throw .notALibrary(path: path) }
    guard read == MemoryLayout<Elf64_Ehdr>.size else { throw .truncated(path: path) }
    // The sixth byte is the byte order: 2 is big-endian.
    let machine = header.e_ident.5 == 2 ? header.e_machine.byteSwapped : header.e_machine
    guard machine == native else {
      throw .wrongArchitecture(
        path: path, found: machines[machine] ?? "machine \(machine)",
        needed: machines[native] ?? "another")
    }
    guard isWhole(header, file, byteCount: UInt64(status.st_size)) else {
      throw .truncated(path: path)
    }
    guard header.e_type == 3 else { throw .notALibrary(path: path) }
  }

  private static func unreadable(_ path: String, _ error: CInt) -> ModuleError {
    error == ENOENT || error == ENOTDIR
      ? .missing(path: path) : .notLoadable(path: path, reason: String(cString: strerror(error)))
  }

  /// Whether all segments and section headers are inside the file.
  ///
  /// The section headers are usually at the end, so a truncated file lacks some of them. The loader maps the
  /// segments; access beyond the end of the file is a bus error.
  private static func isWhole(
    _ header: Elf64_Ehdr, _ file: UnsafeMutablePointer<FILE>, byteCount: UInt64
  ) -> Bool {
    guard
      isInBounds(
        at: header.e_shoff, UInt64(header.e_shnum) * UInt64(header.e_shentsize), in: byteCount),
      isInBounds(
        at: header.e_phoff, UInt64(header.e_phnum) * UInt64(header.e_phentsize), in: byteCount)
    else { return false }
    for index in 0 ..< Int(header.e_phnum) {
      var segment = Elf64_Phdr()
      let offset = Int(header.e_phoff) + index * Int(header.e_phentsize)
      guard fseek(file, offset, SEEK_SET) == 0,
        fread(&segment, MemoryLayout<Elf64_Phdr>.size, 1, file) == 1
      else { return false }
      // Segment type 1 is loaded.
      guard segment.p_type != 1 || isInBounds(at: segment.p_offset, segment.p_filesz, in: byteCount)
      else { return false }
    }
    return true
  }

  /// A damaged header may contain any number, so the sum must not trap.
  private static func isInBounds(at offset: UInt64, _ length: UInt64, in byteCount: UInt64) -> Bool
  {
    let (end, overflow) = offset.addingReportingOverflow(length)
    return !overflow && end <= byteCount
  }

  /// Whether the file mentions a C++ function named `process`. [main]
  static func hasMangledProcess(_ path: String) -> Bool {
    guard let file = fopen(path, "r") else { return false }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let mangledName = Array("_Z7process".utf8)
    var carried: [UInt8] = []
    while true {
      let count = fread(&bytes, 1, bytes.count, file)
      guard count > 0 else { return false }
      let window = carried + bytes.prefix(count)
      if window.firstRange(of: mangledName) != nil { return true }
      carried = Array(window.suffix(mangledName.count - 1))
    }
  }
}
