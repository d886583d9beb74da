// CompiledKit.swift: the Swift kit, compiled once for all modules. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// `ModuleKit` as a Swift module and an object file, with its C headers.
struct CompiledKit {
  /// The compiler flags for `import ModuleKit` and `import ModuleABI`.
  let arguments: [String]

  /// The source that is compiled with a module of one struct.
  let exports: String

  /// Compiles the kit into the cache, if it is not there yet.
  ///
  /// - Parameters:
  ///   - sources: the directory of the kit's files.
  ///   - headers: the directory of the ABI headers and their module map.
  ///   - cache: the directory of compiled files.
  /// - Throws: `ModuleBuildError`.
  init(sources: String, headers: String, cache: String) throws(ModuleBuildError) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: sources)) ?? []
    let files = names.filter { $0.hasSuffix(".swift") }.sorted().map { "\(sources)/\($0)" }
    guard !files.isEmpty else { throw .missing(path: sources) }
    let program = Compiler.program(for: .swift)
    var digest = ContentHash()
    digest.add(program)
    // Swift modules of one compiler version are unreadable for another.
    digest.add(Self.version(of: program))
    exports = "\(sources)/Exports/Exports.swift"
    for file in files + [exports] { digest.add(contentsOf: file) }
    let directory = "\(cache)/kit/\(digest.text)"
    let object = "\(directory)/ModuleKit.o"
    arguments = ["-I", directory, "-I", headers, object]
    guard !FileManager.default.fileExists(atPath: object) else { return }
    let temporary = "\(directory).\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: temporary) }
    do {
      try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
    } catch {
      throw .noDirectory(path: temporary)
    }
    let run: CompilerProcess
    do {
      run = try CompilerProcess(
        program,
        [
          "-O", "-wmo", "-parse-as-library", "-enable-experimental-feature", "Embedded",
          "-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault",
          "-enable-upcoming-feature", "MemberImportVisibility", "-module-name", "ModuleKit", "-I",
          headers, "-emit-module", "-emit-module-path", "\(temporary)/ModuleKit.swiftmodule", "-c",
          "-o", "\(temporary)/ModuleKit.o",
        ] + files)
    } catch {
      throw .noCompiler(program: program, path: sources)
    }
    switch run.wait() {
    case .done: break
    case .refused(let messages): throw .notCompiled(path: sources, messages: messages)
    case .noProgram: throw .noCompiler(program: program, path: sources)
    case .timedOut: throw .timedOut(path: sources, seconds: CompilerProcess.timeoutSeconds)
    }
    // Another process may have finished first; its result is equal.
    unsafe rename(temporary, directory)
    guard FileManager.default.fileExists(atPath: object) else {
      throw .noDirectory(path: directory)
    }
  }

  /// Returns the version of a compiler; empty if it does not exist.
  private static func version(of program: String) -> String {
    guard case .done(let text)? = try? CompilerProcess(program, ["--version"]).wait() else {
      return ""
    }
    return text
  }
}
