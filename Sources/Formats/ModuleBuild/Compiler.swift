// Compiler.swift: the compiler command for a source. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// Compiles sources to one shared library.
///
/// The environment variables `CC`, `CXX` and `SWIFTC` set other compilers. `CPPFLAGS`, `CFLAGS`, `CXXFLAGS`,
/// `SWIFTFLAGS`, `LDFLAGS` and `LDLIBS` add flags, as for make.
struct Compiler {
  let source: ModuleSource
  /// The directories of the ABI headers and the porting headers; nil if not installed.
  let headers: String?
  /// The directory for headers that were found near the source.
  let near: String
  /// The directory for objects of adapters; nil to compile them for each source.
  private let adapters: String?
  /// The compiled Swift kit; nil for sources that do not import it.
  var kit: CompiledKit?
  /// The flags of the manifest; those for libraries go to the linker.
  private let own: [String]
  /// Whether to avoid instructions that other machines of this architecture lack.
  private let isPortable: Bool
  private let watch: CompilerCancellation?
  /// The generated adapter; nil if the source needs none.
  let adapter: SourceAdapter?

  init(
    _ source: ModuleSource, headers: String?, near: String, adapters: String? = nil,
    flags: [String] = [], isPortable: Bool = false, watch: CompilerCancellation? = nil
  ) {
    self.source = source
    self.watch = watch
    self.near = near
    self.adapters = adapters
    adapter = headers == nil || source.language == .swift ? nil : SourceAdapter(for: source)
    own = flags.map { Self.located($0, in: source.directory) } + (adapter?.flags ?? [])
    self.isPortable = isPortable
    self.headers = headers
  }

  private static func program(_ variable: String, _ fallback: String) -> String {
    let named = ProcessInfo.processInfo.environment[variable] ?? ""
    return named.isEmpty ? fallback : named
  }

  /// Returns the words of an environment variable.
  private static func arguments(_ variable: String) -> [String] {
    (ProcessInfo.processInfo.environment[variable] ?? "").split(separator: " ").map(String.init)
  }

  /// Returns a flag with its directory resolved relative to the source.
  private static func located(_ flag: String, in directory: String) -> String {
    for option in ["-I", "-L"] where flag.hasPrefix(option) {
      let path = flag.dropFirst(option.count)
      if !path.isEmpty, !path.hasPrefix("/") { return "\(option)\(directory)/\(path)" }
    }
    return flag
  }

  private static func isForLinker(_ flag: String) -> Bool {
    ["-l", "-L", "-Wl,"].contains { flag.hasPrefix($0) }
  }

  var linked: [String] {
    own.filter(Self.isForLinker) + Self.arguments("LDFLAGS") + Self.arguments("LDLIBS")
  }

  /// Returns the compiler or linker command.
  static func program(for language: ModuleSource.Language) -> String {
    switch language {
    case .c: program("CC", "cc")
    case .cPlusPlus: program("CXX", "c++")
    case .swift: program("SWIFTC", "swiftc")
    }
  }

  /// A text of everything that determines the result, except the content of the files.
  var recipe: String {
    ([Self.program(for: source.language)] + flags(source.language) + linked + [headers ?? ""]
      + (adapter.map { [$0.text] } ?? []))
      .joined(separator: " ")
  }

  /// Compiles into an existing directory and returns the files that the library depends on.
  ///
  /// - Throws: `ModuleBuildError`.
  func compile(to library: String, in directory: String) throws(ModuleBuildError) -> [String] {
    source.language == .swift
      ? try compileSwift(to: library, in: directory) : try compileC(to: library, in: directory)
  }

  // MARK: - Flags

  /// The C++ standards to try if the default fails.
  static let newerStandard = "-std=gnu++20"

  /// Whether the flags set a C++ standard.
  var namesStandard: Bool {
    (own + Self.arguments("CPPFLAGS") + Self.arguments("CXXFLAGS")).contains {
      $0.hasPrefix("-std=")
    }
  }

  /// Returns the flags of a language; `forAdapter` omits directories of the source, because the adapter does not
  /// depend on it.
  func flags(_ language: ModuleSource.Language, forAdapter: Bool = false) -> [String] {
    // With line information for crash reports, except in exports. Without fused multiply-add: it rounds differently,
    // so an exported module would not have bit-identical output on all machines.
    let common =
      ["-O2"] + (isPortable ? [] : ["-march=native", forAdapter ? "-g1" : "-g"]) + [
        "-ffp-contract=off", "-fPIC",
      ]
    // Headers are also searched in the directory and its `include`. Files in deeper directories do not need the
    // first one.
    let around =
      source.isDirectory && !forAdapter ? [source.directory, source.directory + "/include"] : []
    // The last one is for "../JuceLibraryCode/JuceHeader.h".
    let include =
      (around + (headers.map { [$0] } ?? [])).flatMap { ["-I", $0] }
      + (headers.map { ["-idirafter", $0 + "/JuceLibraryCode"] } ?? [])
    let added =
      own.filter { !Self.isForLinker($0) } + include + clearing.compiling
      + Self.arguments("CPPFLAGS")
    switch language {
    case .c: return common + ["-std=gnu17"] + added + Self.arguments("CFLAGS") + ["-I", near]
    case .cPlusPlus:
      return common + ["-std=gnu++17"] + Self.unloadable + added + Self.arguments("CXXFLAGS")
        + (forAdapter ? [] : ["-I", near])
    case .swift:
      // Full `-g` would leave compiler files in the working directory.
      return [
        "-O", "-wmo", "-parse-as-library", "-enable-experimental-feature", "Embedded",
      ] + (isPortable ? [] : ["-Xcc", "-march=native", "-gline-tables-only"])
        + own.filter { !Self.isForLinker($0) } + Self.arguments("SWIFTFLAGS")
    }
  }

  /// Whether a file is the generated adapter and does not depend on the source.
  func isIndependentAdapter(_ file: String) -> Bool {
    guard let adapter, adapter.isIndependent else { return false }
    return file.hasSuffix("/\(adapter.fileName)") && !source.files.contains(file)
  }

  /// The cached object of the adapter; nil for adapters that are compiled for each source.
  var compiledAdapter: CompiledAdapter? {
    guard let adapter, let adapters, adapter.isIndependent else { return nil }
    let recipe = [Self.program(for: .cPlusPlus)] + flags(.cPlusPlus, forAdapter: true)
    return CompiledAdapter(
      cache: adapters, recipe: (recipe + [adapter.text]).joined(separator: " "))
  }

  /// Prevents GCC from marking C++ libraries as never unloadable; other compilers do not do it and do not know
  /// the flag.
  private static let unloadable: [String] = {
    let flag = "-fno-gnu-unique"
    let trial = try? CompilerProcess(
      program(for: .cPlusPlus), [flag, "-E", "-x", "c++", "/dev/null", "-o", "/dev/null"])
    guard case .done? = trial?.wait() else { return [] }
    return [flag]
  }()

  /// Returns the dependencies in a make rule.
  static func dependencies(in file: String) -> [String] {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8),
      let colon = text.firstRange(of: ": ")
    else { return [] }
    // A backslash continues a line. A blank or hash in a name is escaped by a backslash, a dollar by a dollar.
    let marker = "\u{1}"
    return text[colon.upperBound...]
      .replacing("\\\n", with: " ")
      .replacing("\\ ", with: marker)
      .replacing("\\#", with: "#")
      .replacing("$$", with: "$")
      .split(whereSeparator: \.isWhitespace)
      .map { String($0.replacing(marker, with: " ")) }
  }

  // MARK: - Swift

  private func compileSwift(
    to library: String, in directory: String
  ) throws(ModuleBuildError) -> [String] {
    let program = Self.program(for: .swift)
    var files = source.files.map(Self.argument)
    if let kit, let exported = ExportedStruct(source.texts) {
      let file = "\(directory)/exports.swift"
      guard (try? exported.text.write(toFile: file, atomically: false, encoding: .utf8)) != nil
      else {
        throw .noDirectory(path: directory)
      }
      files += [file, kit.exports]
    }
    let arguments =
      flags(.swift) + (kit?.arguments ?? []) + ["-emit-library", "-o", library] + files + linked + [
        "-lm"
      ]
    try check(try start(program, arguments).wait(), program)
    return source.files
  }

  // MARK: - Arguments

  /// Returns a file as an argument that is not mistaken for an option.
  static func argument(_ file: String) -> String {
    file.hasPrefix("-") ? "./\(file)" : file
  }

  func start(
    _ program: String, _ arguments: [String]
  ) throws(ModuleBuildError) -> CompilerProcess {
    do {
      return try CompilerProcess(program, arguments, watch: watch)
    } catch {
      throw .noCompiler(program: program, path: source.path)
    }
  }

  func check(_ end: CompilerProcess.Exit, _ program: String) throws(ModuleBuildError) {
    switch end {
    case .done: break
    case .refused(let messages): throw .notCompiled(path: source.path, messages: messages)
    case .noProgram: throw .noCompiler(program: program, path: source.path)
    case .timedOut: throw .timedOut(path: source.path, seconds: CompilerProcess.timeoutSeconds)
    }
  }
}
