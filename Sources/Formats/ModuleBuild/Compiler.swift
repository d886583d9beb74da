// Compiler.swift: which compiler is called for a source, and with what. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// Turns sources into one shared library.
///
/// `CC`, `CXX` and `SWIFTC` in the environment name other compilers, and `CPPFLAGS`, `CFLAGS`, `CXXFLAGS`,
/// `SWIFTFLAGS`, `LDFLAGS` and `LDLIBS` what they are told beside, as they do for make.
struct Compiler {
  let source: ModuleSource
  /// Where headers of the module contract and of the porting kit lie; nil where they are not installed.
  let headers: String?
  /// Where headers are put that were found near the source, though nobody said where they lie.
  let near: String
  /// The Swift kit, compiled; nil for sources that do not import it.
  var kit: CompiledKit?
  /// What the manifest has them told: what concerns libraries goes to the linker.
  private let own: [String]
  /// Whether instructions that other machines of this kind do not have are left alone.
  private let isPortable: Bool
  private let watch: CompilerCancellation?
  /// The file that makes a module of code of another shape; nil where the code is one.
  let adapter: SourceAdapter?

  init(
    _ source: ModuleSource, headers: String?, near: String, flags: [String] = [],
    isPortable: Bool = false, watch: CompilerCancellation? = nil
  ) {
    self.source = source
    self.watch = watch
    self.near = near
    adapter = headers == nil || source.language == .swift ? nil : SourceAdapter(for: source)
    own = flags.map { Self.located($0, in: source.folder) } + (adapter?.flags ?? [])
    self.isPortable = isPortable
    self.headers = headers
  }

  private static func program(_ variable: String, _ usual: String) -> String {
    let named = ProcessInfo.processInfo.environment[variable] ?? ""
    return named.isEmpty ? usual : named
  }

  /// The words of a variable of the environment.
  private static func words(_ variable: String) -> [String] {
    (ProcessInfo.processInfo.environment[variable] ?? "").split(separator: " ").map(String.init)
  }

  /// A flag with the folder that it names seen from where the source is.
  private static func located(_ flag: String, in folder: String) -> String {
    for option in ["-I", "-L"] where flag.hasPrefix(option) {
      let path = flag.dropFirst(option.count)
      if !path.isEmpty, !path.hasPrefix("/") { return "\(option)\(folder)/\(path)" }
    }
    return flag
  }

  private static func isForLinker(_ flag: String) -> Bool {
    ["-l", "-L", "-Wl,"].contains { flag.hasPrefix($0) }
  }

  var linked: [String] {
    own.filter(Self.isForLinker) + Self.words("LDFLAGS") + Self.words("LDLIBS")
  }

  /// The program that compiles a file, or links.
  static func program(for language: ModuleSource.Language) -> String {
    switch language {
    case .c: program("CC", "cc")
    case .cPlusPlus: program("CXX", "c++")
    case .swift: program("SWIFTC", "swiftc")
    }
  }

  /// All that decides what comes out, beside the content of the files.
  var recipe: String {
    ([Self.program(for: source.language)] + flags(source.language) + linked + [headers ?? ""]
      + (adapter.map { [$0.text] } ?? []))
      .joined(separator: " ")
  }

  /// Compiles into a folder that exists, and returns the files that the library was made from.
  ///
  /// - Throws: `ModuleBuildError`.
  func compile(to library: String, in folder: String) throws(ModuleBuildError) -> [String] {
    source.language == .swift
      ? try compileSwift(to: library, in: folder) : try compileC(to: library, in: folder)
  }

  // MARK: - Flags

  /// What C++ is taken for where it is not what is usual.
  static let newerStandard = "-std=gnu++20"

  /// Whether somebody says which C++ it is.
  var namesStandard: Bool {
    (own + Self.words("CPPFLAGS") + Self.words("CXXFLAGS")).contains { $0.hasPrefix("-std=") }
  }

  func flags(_ language: ModuleSource.Language) -> [String] {
    // With lines, by which a crash is named; what others are given needs none. Without products that are fused with
    // sums: they round otherwise, where a machine has them, and what is exported for any machine would not sound the
    // same to the last bit.
    let common =
      ["-O2"] + (isPortable ? [] : ["-march=native", "-g"]) + ["-ffp-contract=off", "-fPIC"]
    // Headers are looked for in the folder, too, and in its `include`: files in folders deeper down
    // leave the first one out.
    let around = source.isFolder ? [source.folder, source.folder + "/include"] : []
    // The last one is for "../JuceLibraryCode/JuceHeader.h".
    let include =
      (around + (headers.map { [$0] } ?? [])).flatMap { ["-I", $0] }
      + (headers.map { ["-idirafter", $0 + "/JuceLibraryCode"] } ?? [])
    let added =
      own.filter { !Self.isForLinker($0) } + include + clearing.compiling + Self.words("CPPFLAGS")
    switch language {
    case .c: return common + ["-std=gnu17"] + added + Self.words("CFLAGS") + ["-I", near]
    case .cPlusPlus:
      return common + ["-std=gnu++17"] + Self.unloadable + added + Self.words("CXXFLAGS")
        + ["-I", near]
    case .swift:
      // All of `-g` would leave files of the compiler's in the working directory.
      return [
        "-O", "-wmo", "-parse-as-library", "-enable-experimental-feature", "Embedded",
      ] + (isPortable ? [] : ["-Xcc", "-march=native", "-gline-tables-only"])
        + own.filter { !Self.isForLinker($0) } + Self.words("SWIFTFLAGS")
    }
  }

  /// What keeps GNU's compiler from making C++ that is never unloaded again; others do not anyway, and
  /// do not know the flag.
  private static let unloadable: [String] = {
    let flag = "-fno-gnu-unique"
    let trial = try? CompilerProcess(
      program(for: .cPlusPlus), [flag, "-E", "-x", "c++", "/dev/null", "-o", "/dev/null"])
    guard case .done? = trial?.wait() else { return [] }
    return [flag]
  }()

  /// The files that a rule for make says an object depends on.
  static func dependencies(in file: String) -> [String] {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8),
      let colon = text.firstRange(of: ": ")
    else { return [] }
    // Lines go on after a backslash; a blank or a hash in a name has one before it, a dollar another dollar.
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
    to library: String, in folder: String
  ) throws(ModuleBuildError) -> [String] {
    let program = Self.program(for: .swift)
    var files = source.files.map(Self.argument)
    if let kit, let exported = ExportedStruct(source.texts) {
      let file = "\(folder)/exports.swift"
      guard (try? exported.text.write(toFile: file, atomically: false, encoding: .utf8)) != nil
      else {
        throw .noFolder(path: folder)
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

  // MARK: - Running

  /// A file as an argument that is not taken for an option.
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
    case .endless: throw .endless(path: source.path, seconds: CompilerProcess.patienceSeconds)
    }
  }
}
