// CompiledKit.swift: the Swift kit, compiled once for all modules that import it. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// `ModuleKit` as a Swift module and an object file, beside the C headers that it stands on.
struct CompiledKit {
  /// What the compiler is told, so that `import ModuleKit` and `import ModuleABI` work.
  let arguments: [String]

  /// What is compiled with a module that is one struct, beside its name.
  let exports: String

  /// Compiles the kit into a folder of the cache, unless that has been done.
  ///
  /// - Parameters:
  ///   - sources: the folder with the kit's files.
  ///   - headers: the folder with the contract's headers and their module map.
  ///   - cache: where compiled things are kept.
  /// - Throws: `ModuleBuildError`.
  init(sources: String, headers: String, cache: String) throws(ModuleBuildError) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: sources)) ?? []
    let files = names.filter { $0.hasSuffix(".swift") }.sorted().map { "\(sources)/\($0)" }
    guard !files.isEmpty else { throw .missing(path: sources) }
    let program = Compiler.program(for: .swift)
    var digest = ContentHash()
    digest.add(program)
    // Another compiler cannot read what one has written.
    digest.add(Self.version(of: program))
    exports = "\(sources)/Exports/Exports.swift"
    for file in files + [exports] { digest.add(contentsOf: file) }
    let folder = "\(cache)/kit/\(digest.text)"
    let object = "\(folder)/ModuleKit.o"
    arguments = ["-I", folder, "-I", headers, object]
    guard !FileManager.default.fileExists(atPath: object) else { return }
    let fresh = "\(folder).\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: fresh) }
    do {
      try FileManager.default.createDirectory(atPath: fresh, withIntermediateDirectories: true)
    } catch {
      throw .noFolder(path: fresh)
    }
    let run: CompilerProcess
    do {
      run = try CompilerProcess(
        program,
        [
          "-O", "-wmo", "-parse-as-library", "-enable-experimental-feature", "Embedded",
          "-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault",
          "-enable-upcoming-feature", "MemberImportVisibility", "-module-name", "ModuleKit", "-I",
          headers, "-emit-module", "-emit-module-path", "\(fresh)/ModuleKit.swiftmodule", "-c",
          "-o", "\(fresh)/ModuleKit.o",
        ] + files)
    } catch {
      throw .noCompiler(program: program, path: sources)
    }
    switch run.wait() {
    case .done: break
    case .refused(let messages): throw .notCompiled(path: sources, messages: messages)
    case .noProgram: throw .noCompiler(program: program, path: sources)
    case .endless: throw .endless(path: sources, seconds: CompilerProcess.patienceSeconds)
    }
    // Somebody else may have been faster; then theirs is as good.
    rename(fresh, folder)
    guard FileManager.default.fileExists(atPath: object) else { throw .noFolder(path: folder) }
  }

  /// What tells one version of a compiler from another; nothing where there is none.
  private static func version(of program: String) -> String {
    guard case .done(let text)? = try? CompilerProcess(program, ["--version"]).wait() else {
      return ""
    }
    return text
  }
}
