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
  /// - Throws: `SourceModuleError` with the compiler's own messages, or `ManifestError` with what is
  ///   wrong with the manifest beside the source.
  static func build(_ source: String, in cache: String = cacheFolder) throws -> String {
    guard let compiler = compiler(for: source), FileManager.default.fileExists(atPath: source)
    else { throw SourceModuleError.missing(path: source) }
    // Not called after the source: its name may be as long as the file system allows.
    let folder = "\(cache)/compiled/\(digest(URL(fileURLWithPath: source).path))"
    let manifest = "\(folder)/module.yaml"
    let text = try manifestText(for: source)
    if Catalogue.defaultCacheFolder == nil, !isOwn(cache) {
      throw SourceModuleError.noFolder(path: cache)
    }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try text.write(toFile: manifest, atomically: true, encoding: .utf8)
    } catch {
      throw SourceModuleError.noFolder(path: folder)
    }
    try compile(compiler, source, to: "\(folder)/module.so")
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

  /// What the manifest beside a source says, or the standard one where there is none.
  private static func manifestText(for source: String) throws(ManifestError) -> String {
    let stem = String(source.dropLast(URL(fileURLWithPath: source).pathExtension.count + 1))
    let written = stem + ".yaml"
    guard FileManager.default.fileExists(atPath: written) else {
      return standardManifest(stem.split(separator: "/").last.map(String.init) ?? "source")
    }
    // Read here, so that a mistake is told with the path that the user knows.
    _ = try ModuleManifestReader.read(path: written)
    return try ManifestFile.text(atPath: written)
  }

  static var cacheFolder: String {
    Catalogue.defaultCacheFolder ?? NSTemporaryDirectory() + "/outboard-\(getuid())"
  }

  /// Whether a folder is this user's alone to write to; made if it is not there.
  ///
  /// What is compiled into it is loaded, and the name of one in the common folder for temporary files
  /// can be guessed: somebody else may have made it first.
  static func isOwn(_ folder: String) -> Bool {
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // Those of a link itself, not of what it leads to.
    guard let facts = try? FileManager.default.attributesOfItem(atPath: folder),
      facts[.type] as? FileAttributeType == .typeDirectory,
      let permissions = facts[.posixPermissions] as? Int,
      let owner = facts[.ownerAccountID] as? Int
    else { return false }
    return owner == Int(getuid()) && permissions & 0o022 == 0
  }

  private static func standardManifest(_ name: String) -> String {
    """
    abi: 1
    id: source.\(String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }))
    name: "\(quoted(name))"
    maker: unknown
    summary: Made from a source file without a manifest.
    inputs: 2
    outputs: 2
    """
  }

  /// As YAML's double quotes want it; of control characters it takes few.
  private static func quoted(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
          if scalar.properties.generalCategory == .control { return [" "] }
          return scalar == "\\" || scalar == "\"" ? ["\\", scalar] : [scalar]
        }))
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
      "\(path) cannot be compiled: there is no \(program); install \(Self.remedy(program)), or name a"
        + " compiled library."
    case .notCompiled(let path, let messages):
      "\(path) does not compile:\n\(messages.trimmed)"
    }
  }

  private static func remedy(_ program: String) -> String {
    program == "swiftc" ? "Swift (swift.org/install)" : "one (apt-get install g++)"
  }
}
