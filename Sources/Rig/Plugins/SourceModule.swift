// SourceModule.swift: a source file taken for a plugin. SPDX-License-Identifier: MIT

import Catalogue
import Foundation

/// Compiles a module's source, so that it can be named like a library.
///
/// The library and its manifest are put into the cache. A manifest beside the source is used; without
/// one the module is stereo in, stereo out, without parameters.
enum SourceModule {
  /// Whether a path is that of a source file. [any]
  static func isSource(_ path: String) -> Bool { compiler(for: path) != nil }

  /// Compiles a source and returns the path of its manifest, with the library beside it. [main]
  ///
  /// - Throws: `SourceModuleError` with the compiler's own messages.
  static func build(_ source: String) throws(SourceModuleError) -> String {
    guard let compiler = compiler(for: source) else { throw .missing(path: source) }
    guard FileManager.default.fileExists(atPath: source) else { throw .missing(path: source) }
    let url = URL(fileURLWithPath: source)
    let name = url.deletingPathExtension().lastPathComponent
    let folder = "\(cacheFolder)/compiled/\(digest(url.path))"
    let manifest = "\(folder)/\(name).yaml"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let written = url.deletingPathExtension().path + ".yaml"
      let text =
        FileManager.default.fileExists(atPath: written)
        ? try String(contentsOfFile: written, encoding: .utf8) : standardManifest(name)
      try text.write(toFile: manifest, atomically: true, encoding: .utf8)
    } catch {
      throw .noFolder(path: folder)
    }
    try compile(compiler, source, to: "\(folder)/\(name).so")
    return manifest
  }

  // MARK: - Compiling

  private struct Compiler {
    let program: String
    let arguments: [String]
  }

  private static func compiler(for path: String) -> Compiler? {
    let native = ["-O2", "-march=native", "-shared", "-fPIC"]
    switch URL(fileURLWithPath: path).pathExtension {
    case "c": return Compiler(program: "cc", arguments: native + ["-std=gnu17"])
    case "cc", "cpp", "cxx": return Compiler(program: "c++", arguments: native + ["-std=gnu++17"])
    case "swift":
      return Compiler(
        program: "swiftc",
        arguments: [
          "-O", "-wmo", "-parse-as-library", "-enable-experimental-feature", "Embedded",
          "-emit-library",
        ])
    default: return nil
    }
  }

  private static func compile(
    _ compiler: Compiler, _ source: String, to library: String
  ) throws(SourceModuleError) {
    // Compiled under another name: a library that is mapped by a running program must not change.
    let fresh = "\(library).\(getpid())"
    // Not to be taken for an option.
    let named = source.hasPrefix("-") ? "./\(source)" : source
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [compiler.program] + compiler.arguments + ["-o", fresh, named, "-lm"]
    let messages = Pipe()
    process.standardError = messages
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    let text: String
    do {
      try process.run()
      text = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
    } catch {
      throw .noCompiler(program: compiler.program, path: source)
    }
    // `env` answers so where there is no such program.
    guard process.terminationStatus != 127 else {
      throw .noCompiler(program: compiler.program, path: source)
    }
    guard process.terminationStatus == 0, rename(fresh, library) == 0 else {
      unlink(fresh)
      throw .notCompiled(path: source, messages: text)
    }
  }

  // MARK: - What is put beside it

  private static var cacheFolder: String {
    Catalogue.defaultCacheFolder ?? NSTemporaryDirectory() + "/outboard-\(getuid())"
  }

  private static func standardManifest(_ name: String) -> String {
    """
    abi: 1
    id: source.\(name.map { $0.isLetter || $0.isNumber ? $0 : "_" }.map(String.init).joined())
    name: "\(quoted(name))"
    maker: unknown
    summary: Made from a source file without a manifest.
    inputs: 2
    outputs: 2
    """
  }

  /// As YAML's double quotes want it.
  private static func quoted(_ name: String) -> String {
    name.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
  }

  /// Tells paths apart (FNV-1a, 64 bits).
  private static func digest(_ path: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}

/// Why a source file is no plugin.
package enum SourceModuleError: Error, Equatable, CustomStringConvertible {
  /// There is no file.
  case missing(path: String)
  /// The cache cannot be written.
  case noFolder(path: String)
  /// There is no compiler for the language.
  case noCompiler(program: String, path: String)
  /// The compiler refused; its messages, with file and line.
  case notCompiled(path: String, messages: String)

  /// One sentence for people, with the compiler's messages below it.
  package var description: String {
    switch self {
    case .missing(let path):
      "\(path): there is no such file."
    case .noFolder(let path):
      "The folder \(path) for compiled modules cannot be written; set XDG_CACHE_HOME to one that can."
    case .noCompiler(let program, let path):
      "\(path) cannot be compiled: there is no \(program); install one (apt-get install g++), or"
        + " name a compiled library."
    case .notCompiled(let path, let messages):
      "\(path) does not compile:\n\(messages.trimmed)"
    }
  }
}
