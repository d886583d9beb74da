// Compiler+C.swift: C and C++, with what they need from near by. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

extension Compiler {
  /// A file on its way to an object.
  private struct Object {
    let file: String
    let path: String
    var end: CompilerProcess.Exit
    /// What the compiler had against it as older C++; nil where it was not tried as newer.
    var olderRefusal: String?
    /// What it is compiled with beside the others: constants of headers that code of the time takes for granted.
    var options: [String] = []

    /// The files that it was made from.
    var dependencies: [String] { Compiler.dependencies(in: rules) }
    var rules: String { String(path.dropLast(2)) + ".d" }

    /// Whether it wants the `pi` of a system header, which it may as well define itself.
    var lacksPi: Bool {
      guard options.isEmpty, let refusal else { return false }
      return refusal.split(whereSeparator: \.isNewline).contains { line in
        line.contains(" error: ") && line.contains("declared")
          && ["‘pi’", "'pi'"].contains { line.contains($0) }
      }
    }

    var isMade: Bool { if case .done = end { true } else { false } }
    /// What the compiler has against it; nil where it is made.
    var refusal: String? { if case .refused(let messages) = end { messages } else { nil } }
  }

  /// More headers than these, one found only after the other, are not looked for.
  private static let mostRounds = 64

  /// Compiles each file, and links them.
  ///
  /// Headers that the compiler does not find are looked for near the file that wants them; and where functions are
  /// missing, the sources are compiled that belong to the headers, or lie in folders of the folder.
  func compileC(to library: String, in folder: String) throws(ModuleBuildError) -> [String] {
    let nearby = HeaderSearch(source, memory: near)
    let added = try adapter.map { adapter throws(ModuleBuildError) in try write(adapter, to: folder)
    }
    let windows = source.files.filter { adapter?.isWindow($0) ?? false }
    let files = source.files.filter { !windows.contains($0) } + [added].compactMap(\.self)
    var objects = try compile(files, in: folder, from: 0, nearby)
    try check(objects, nearby)
    var rest = try compile(windows, in: folder, from: objects.count, nearby)
    var end = try link(objects, rest, to: library, in: folder)
    while case .refused(let messages) = end, Self.isAboutMissingFunctions(messages) {
      let dependencies = (objects + rest).flatMap(\.dependencies)
      let taken = (objects + rest).map(\.file)
      var others = nearby.sources(beside: dependencies, except: taken)
      if others.isEmpty {
        // One that is alone in defining what is missing is meant, whatever it is called.
        let found = nearby.definitions(of: MissingSymbol.all(in: messages), except: taken)
        others = Set(found.filter { $0.files.count == 1 }.flatMap(\.files)).sorted()
      }
      guard !others.isEmpty else { break }
      // What does not compile may not be needed; the linker says so if it is.
      rest += try compile(others, in: folder, from: objects.count + rest.count, nearby)
      end = try link(objects, rest, to: library, in: folder)
    }
    // What is missing may be in a source that was found, but does not compile.
    if case .refused = end, adapter?.kind == .juce {
      end = try linkWithoutWindows(objects, rest, to: library, in: folder) ?? end
    }
    if case .refused(let messages) = end {
      try check(rest, nearby)
      let hint = nearby.hint(
        for: MissingSymbol.all(in: messages), except: (objects + rest).map(\.file))
      if let hint { throw .notCompiled(path: source.path, messages: "\(messages)\n\(hint)") }
    }
    try check(end, linker(for: objects + rest))
    objects += rest.filter(\.isMade)
    return objects.flatMap(\.dependencies).filter { $0 != added }
  }

  /// Writes the file that makes a module of the code, and returns its path.
  private func write(
    _ adapter: SourceAdapter, to folder: String
  ) throws(ModuleBuildError) -> String {
    let path = "\(folder)/\(adapter.fileName)"
    guard (try? adapter.text.write(toFile: path, atomically: false, encoding: .utf8)) != nil else {
      throw .noFolder(path: folder)
    }
    return path
  }

  /// Throws the compiler's messages on the first object that was not made.
  private func check(_ objects: [Object], _ nearby: HeaderSearch) throws(ModuleBuildError) {
    for object in objects {
      guard let refusal = object.refusal else {
        try check(object.end, program(for: object))
        continue
      }
      let hint = nearby.hint(for: MissingHeader.all(in: refusal))
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

  /// Compiles files, again and again while headers that are missing turn up.
  private func compile(
    _ files: [String], in folder: String, from number: Int, _ nearby: HeaderSearch
  ) throws(ModuleBuildError) -> [Object] {
    var objects: [Object] = []
    for (index, file) in files.enumerated() {
      objects.append(
        Object(file: file, path: "\(folder)/\(number + index).o", end: .refused(messages: "")))
    }
    var waiting = Array(objects.indices)
    for _ in 0 ..< Self.mostRounds {
      try compileOnce(waiting, &objects)
      let refusals = objects.compactMap(\.refusal)
      waiting = objects.indices.filter { objects[$0].refusal != nil }
      guard !nearby.provide(refusals.flatMap(MissingHeader.all)) else { continue }
      let lacking = waiting.filter { objects[$0].lacksPi }
      guard lacking.isEmpty else {
        for index in lacking { objects[index].options = ["-DOUTBOARD_AU_PI"] }
        waiting = lacking
        continue
      }
      waiting = waiting.filter { mayBeNewer(objects[$0]) }
      for index in waiting { objects[index].olderRefusal = objects[index].refusal }
      guard !waiting.isEmpty else { break }
    }
    for index in objects.indices {
      // What is wrong by both has fewer mistakes by the one that it was written for.
      guard let older = objects[index].olderRefusal, let newer = objects[index].refusal,
        Self.errorCount(older) <= Self.errorCount(newer)
      else { continue }
      objects[index].end = .refused(messages: older)
    }
    return objects
  }

  /// Whether an object was refused as C++ that may be newer than what is usual.
  private func mayBeNewer(_ object: Object) -> Bool {
    guard let refusal = object.refusal, object.olderRefusal == nil, !namesStandard else {
      return false
    }
    return language(of: object) == .cPlusPlus && MissingHeader.all(in: refusal).isEmpty
  }

  private static func errorCount(_ messages: String) -> Int {
    messages.split(whereSeparator: \.isNewline).count { $0.contains(" error: ") }
  }

  private func compileOnce(
    _ waiting: [Int], _ objects: inout [Object]
  ) throws(ModuleBuildError) {
    let crew = max(1, ProcessInfo.processInfo.activeProcessorCount)
    var runs: [(index: Int, run: CompilerProcess)] = []
    var waitedFor = 0
    for index in waiting {
      let object = objects[index]
      // A library of a hundred files would leave nothing of the machine.
      if runs.count - waitedFor >= crew {
        objects[runs[waitedFor].index].end = runs[waitedFor].run.wait()
        waitedFor += 1
      }
      let newer = object.olderRefusal == nil ? [] : [Self.newerStandard]
      runs.append(
        (
          index,
          try start(
            program(for: object),
            flags(language(of: object)) + newer + object.options + [
              "-c", "-MMD", "-MF", object.rules, "-o", object.path,
            ]
              + [Self.argument(object.file)])
        ))
    }
    // All are waited for, whatever becomes of the first.
    for (index, run) in runs[waitedFor...] { objects[index].end = run.wait() }
  }

  // MARK: - Linking

  private func linker(for objects: [Object]) -> String {
    let isCPlusPlus = objects.contains { ModuleSource.Language(fileName: $0.file) == .cPlusPlus }
    return Self.program(for: isCPlusPlus ? .cPlusPlus : source.language)
  }

  /// Links a processor whose editor does not compile here, and is never made: calls of it lead nowhere.
  ///
  /// - Returns: how that ended; nil where something else is missing as well.
  private func linkWithoutWindows(
    _ objects: [Object], _ rest: [Object], to library: String, in folder: String
  ) throws(ModuleBuildError) -> CompilerProcess.Exit? {
    let end = try link(objects, rest, to: library, in: folder, ["-Wl,--no-demangle"])
    guard case .refused(let messages) = end else { return end }
    let symbols = MissingSymbol.all(in: messages).map(\.name)
    guard !symbols.isEmpty, symbols.allSatisfy(SourceAdapter.isOfWindow) else { return nil }
    return try link(
      objects, rest, to: library, in: folder, symbols.map { "-Wl,--defsym=\($0)=0" })
  }

  /// Links objects, and of the rest what they need.
  private func link(
    _ objects: [Object], _ rest: [Object], to library: String, in folder: String,
    _ options: [String] = []
  ) throws(ModuleBuildError) -> CompilerProcess.Exit {
    let made = rest.filter(\.isMade).map(\.path)
    // A group between which the linker looks for what is missing, as it does in archives.
    var needed: [String] = []
    if !made.isEmpty {
      let archive = "\(folder)/rest.a"
      try? FileManager.default.removeItem(atPath: archive)
      let end = try start("ar", ["rcs", archive] + made).wait()
      if case .done = end { needed = [archive] } else { needed = made }
    }
    // Whatever is missing is missed now, with the compiler's words.
    let arguments =
      ["-shared", "-Wl,-z,defs", "-o", library] + clearing.linking + options + objects.map(\.path)
      + needed + linked + ["-lm"]
    return try start(linker(for: objects + rest), arguments).wait()
  }

  /// What has all memory that the code allocates hold zeros; nothing where the header is not installed.
  var clearing: (compiling: [String], linking: [String]) {
    guard let headers else { return ([], []) }
    return (
      ["-include", "\(headers)/outboard/cleared.h"],
      Self.clearedFunctions.map { "-Wl,--wrap=\($0)" }
    )
  }

  /// Those that `outboard/cleared.h` wraps.
  private static let clearedFunctions = [
    "malloc", "memalign", "aligned_alloc", "posix_memalign", "_Znwm", "_Znam",
    "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
  ]

  private static func isAboutMissingFunctions(_ messages: String) -> Bool {
    ["undefined reference", "undefined symbol"].contains { messages.contains($0) }
  }
}

/// A header that a compiler did not find.
struct MissingHeader: Hashable {
  /// As the code names it.
  let name: String
  /// The file that includes it.
  let includer: String

  /// Those that GNU's or LLVM's compiler complains of. [any]
  static func all(in messages: String) -> [MissingHeader] {
    messages.split(whereSeparator: \.isNewline).compactMap { line in
      guard let mark = line.firstRange(of: " fatal error: "),
        let file = line[..<mark.lowerBound].split(separator: ":").first
      else { return nil }
      let words = line[mark.upperBound...]
      for ending in [": No such file or directory", " file not found"] where words.hasSuffix(ending)
      {
        let name = words.dropLast(ending.count).trimming { $0 == "'" }
        return MissingHeader(name: name, includer: String(file))
      }
      return nil
    }
  }
}
