// Compiler+C.swift: compiles C and C++ and finds missing headers and sources. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

extension Compiler {
  /// A source file and its object.
  private struct Object {
    let file: String
    let path: String
    var end: CompilerProcess.Exit
    /// The errors of a compilation as older C++; nil if it was not tried as newer C++.
    var olderRefusal: String?
    /// More flags: constants of headers that old code expects.
    var options: [String] = []
    /// The headers of an object from the cache.
    var headers: [String]?

    /// The files that it depends on.
    var dependencies: [String] { headers ?? Compiler.dependencies(in: rules) }
    var rules: String { String(path.dropLast(2)) + ".d" }

    /// Whether the object needs `pi` of a system header, which it may also define.
    var lacksPi: Bool {
      guard options.isEmpty, let refusal else { return false }
      return refusal.split(whereSeparator: \.isNewline).contains { line in
        line.contains(" error: ") && line.contains("declared")
          && ["‘pi’", "'pi'"].contains { line.contains($0) }
      }
    }

    var isMade: Bool { if case .done = end { true } else { false } }
    /// The error messages; nil if it compiled.
    var refusal: String? { if case .refused(let messages) = end { messages } else { nil } }
  }

  /// The maximum number of searches for missing headers.
  private static let maximumRoundCount = 64

  /// Compiles and links all files.
  ///
  /// Missing headers are searched near the file. If functions are missing, sources are compiled that belong to the
  /// headers or are in subdirectories.
  func compileC(to library: String, in directory: String) throws(ModuleBuildError) -> [String] {
    let nearby = HeaderSearch(source, memory: near)
    let added = try adapter.map { adapter throws(ModuleBuildError) in
      try write(adapter, to: directory)
    }
    let windows = source.files.filter { adapter?.isWindow($0) ?? false }
    var files = source.files.filter { !windows.contains($0) && $0 != adapter?.includedFile }
    let ready = added.flatMap { restored($0, in: directory) }
    if ready == nil { files += [added].compactMap(\.self) }
    let began = Date()
    var objects = try compile(files, in: directory, from: 0, nearby) + [ready].compactMap(\.self)
    // Also if the source has errors: they are corrected next.
    if ready == nil, let made = objects.last, made.file == added { store(made, since: began) }
    try check(objects, nearby)
    var rest = try compile(windows, in: directory, from: objects.count, nearby)
    var end = try link(objects, rest, to: library, in: directory)
    while case .refused(let messages) = end, Self.isAboutMissingFunctions(messages) {
      let dependencies = (objects + rest).flatMap(\.dependencies)
      let taken = (objects + rest).map(\.file)
      var others = nearby.sources(beside: dependencies, except: taken)
      if others.isEmpty {
        // If only one file defines a missing symbol, it is used under any name.
        let found = nearby.definitions(of: MissingSymbol.all(in: messages), except: taken)
        others = Set(found.filter { $0.files.count == 1 }.flatMap(\.files)).sorted()
      }
      guard !others.isEmpty else { break }
      // A file that does not compile may not be needed; otherwise the linker reports the missing symbol.
      rest += try compile(others, in: directory, from: objects.count + rest.count, nearby)
      end = try link(objects, rest, to: library, in: directory)
    }
    // A missing symbol may be in a source that was found but does not compile.
    if case .refused = end, adapter?.kind == .juce {
      end = try linkWithoutWindows(objects, rest, to: library, in: directory) ?? end
    }
    if case .refused(let messages) = end {
      try check(rest, nearby)
      let hint =
        source.foreignFormatHint
        ?? nearby.hint(
          for: MissingSymbol.all(in: messages), except: (objects + rest).map(\.file))
      if let hint { throw .notCompiled(path: source.path, messages: "\(messages)\n\(hint)") }
    }
    try check(end, linker(for: objects + rest))
    objects += rest.filter(\.isMade)
    return objects.flatMap(\.dependencies).filter { $0 != added }
  }

  /// Writes the adapter source and returns its path.
  private func write(
    _ adapter: SourceAdapter, to directory: String
  ) throws(ModuleBuildError) -> String {
    let path = "\(directory)/\(adapter.fileName)"
    guard (try? adapter.text.write(toFile: path, atomically: false, encoding: .utf8)) != nil else {
      throw .noDirectory(path: directory)
    }
    return path
  }

  /// Returns the object of the adapter from the cache; nil if it must be compiled.
  private func restored(_ file: String, in directory: String) -> Object? {
    let path = "\(directory)/adapter.o"
    return compiledAdapter?.restore(to: path).map {
      Object(file: file, path: path, end: .done(messages: ""), headers: $0)
    }
  }

  /// Stores the object of the adapter, unless a header was changed during the compilation.
  private func store(_ object: Object, since moment: Date) {
    let headers = object.dependencies.filter { $0 != object.file }
    guard object.isMade, !ModuleBuilder.hasChanged(headers, since: moment) else { return }
    compiledAdapter?.store(object.path, headers)
  }

  /// Throws the compiler's messages of the first failed object.
  private func check(_ objects: [Object], _ nearby: HeaderSearch) throws(ModuleBuildError) {
    for object in objects {
      guard let refusal = object.refusal else {
        try check(object.end, program(for: object))
        continue
      }
      if adapter?.kind == .juce || refusal.contains("juce::"),
        let message = UnsupportedClass.message(for: refusal)
      {
        throw .notCompiled(path: source.path, messages: message)
      }
      let hint = source.foreignFormatHint ?? nearby.hint(for: MissingHeader.all(in: refusal))
      throw .notCompiled(path: source.path, messages: hint.map { "\(refusal)\n\($0)" } ?? refusal)
    }
  }

  // MARK: - Objects

  private func program(for object: Object) -> String {
    Self.program(for: language(of: object))
  }

  private func language(of object: Object) -> ModuleSource.Language {
    ModuleSource.Language(fileName: object.file) ?? source.language
  }

  /// Compiles files, repeatedly while missing headers are found.
  private func compile(
    _ files: [String], in directory: String, from number: Int, _ nearby: HeaderSearch
  ) throws(ModuleBuildError) -> [Object] {
    var objects: [Object] = []
    for (index, file) in files.enumerated() {
      objects.append(
        Object(file: file, path: "\(directory)/\(number + index).o", end: .refused(messages: "")))
    }
    var waiting = Array(objects.indices)
    for _ in 0 ..< Self.maximumRoundCount {
      try compileOnce(waiting, &objects)
      let refusals = objects.compactMap(\.refusal)
      waiting = objects.indices.filter { objects[$0].refusal != nil }
      guard !nearby.resolve(refusals.flatMap(MissingHeader.all)) else { continue }
      let lacking = waiting.filter { objects[$0].lacksPi }
      guard lacking.isEmpty else {
        for index in lacking { objects[index].options = ["-DOUTBOARD_AU_PI"] }
        waiting = lacking
        continue
      }
      waiting = waiting.filter { canRetryAsCPP20(objects[$0]) }
      for index in waiting { objects[index].olderRefusal = objects[index].refusal }
      guard !waiting.isEmpty else { break }
    }
    for index in objects.indices {
      // If both versions fail, the intended one has fewer errors.
      guard let older = objects[index].olderRefusal, let newer = objects[index].refusal,
        Self.errorCount(older) <= Self.errorCount(newer)
      else { continue }
      objects[index].end = .refused(messages: older)
    }
    return objects
  }

  /// Whether an object failed as C++ that may be newer than the default.
  private func canRetryAsCPP20(_ object: Object) -> Bool {
    guard let refusal = object.refusal, object.olderRefusal == nil, !namesStandard,
      !UnsupportedClass.isCertain(in: refusal)
    else { return false }
    return language(of: object) == .cPlusPlus && MissingHeader.all(in: refusal).isEmpty
  }

  private static func errorCount(_ messages: String) -> Int {
    messages.split(whereSeparator: \.isNewline).count { $0.contains(" error: ") }
  }

  private func compileOnce(
    _ waiting: [Int], _ objects: inout [Object]
  ) throws(ModuleBuildError) {
    let workerCount = max(1, ProcessInfo.processInfo.activeProcessorCount)
    var runs: [(index: Int, run: CompilerProcess)] = []
    var waitedFor = 0
    for index in waiting {
      let object = objects[index]
      // Limits the parallel compilers, so that the machine stays usable.
      if runs.count - waitedFor >= workerCount {
        objects[runs[waitedFor].index].end = runs[waitedFor].run.wait()
        waitedFor += 1
      }
      let newer = object.olderRefusal == nil ? [] : [Self.newerStandard]
      runs.append(
        (
          index,
          try start(
            program(for: object),
            flags(language(of: object), forAdapter: isIndependentAdapter(object.file)) + newer
              + object.options + [
                "-c", "-MMD", "-MF", object.rules, "-o", object.path,
              ]
              + [Self.argument(object.file)])
        ))
    }
    // Waits for all compilers, even if the first one failed.
    for (index, run) in runs[waitedFor...] { objects[index].end = run.wait() }
  }

  // MARK: - Linking

  private func linker(for objects: [Object]) -> String {
    let isCPlusPlus = objects.contains { ModuleSource.Language(fileName: $0.file) == .cPlusPlus }
    return Self.program(for: isCPlusPlus ? .cPlusPlus : source.language)
  }

  /// Links a processor without its editor, which does not compile here and is never created.
  ///
  /// - Returns: the result; nil if other symbols are missing, too.
  private func linkWithoutWindows(
    _ objects: [Object], _ rest: [Object], to library: String, in directory: String
  ) throws(ModuleBuildError) -> CompilerProcess.Exit? {
    let end = try link(objects, rest, to: library, in: directory, ["-Wl,--no-demangle"])
    guard case .refused(let messages) = end else { return end }
    let symbols = MissingSymbol.all(in: messages).map(\.name)
    guard !symbols.isEmpty, symbols.allSatisfy(SourceAdapter.isOfWindow) else { return nil }
    return try link(
      objects, rest, to: library, in: directory, symbols.map { "-Wl,--defsym=\($0)=0" })
  }

  /// Links objects, and only the needed ones of the rest.
  private func link(
    _ objects: [Object], _ rest: [Object], to library: String, in directory: String,
    _ options: [String] = []
  ) throws(ModuleBuildError) -> CompilerProcess.Exit {
    let made = rest.filter(\.isMade).map(\.path)
    // A group, in which the linker resolves symbols in any order, like in archives.
    var needed: [String] = []
    if !made.isEmpty {
      let archive = "\(directory)/rest.a"
      try? FileManager.default.removeItem(atPath: archive)
      let end = try start("ar", ["rcs", archive] + made).wait()
      if case .done = end { needed = [archive] } else { needed = made }
    }
    // Reports missing symbols at link time.
    let arguments =
      ["-shared", "-Wl,-z,defs", "-o", library] + clearing.linking + options + objects.map(\.path)
      + needed + linked + ["-lm"]
    return try start(linker(for: objects + rest), arguments).wait()
  }

  /// The flags that clear all memory that the code allocates; empty if the header is not installed.
  var clearing: (compiling: [String], linking: [String]) {
    guard let headers else { return ([], []) }
    return (
      ["-include", "\(headers)/outboard/cleared.h"],
      Self.clearedFunctions.map { "-Wl,--wrap=\($0)" }
    )
  }

  /// The functions that `outboard/cleared.h` wraps.
  private static let clearedFunctions = [
    "malloc", "memalign", "aligned_alloc", "posix_memalign", "_Znwm", "_Znam",
    "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
  ]

  private static func isAboutMissingFunctions(_ messages: String) -> Bool {
    ["undefined reference", "undefined symbol"].contains { messages.contains($0) }
  }
}
