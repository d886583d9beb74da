// ModuleBuilder.swift: compiles sources and caches the libraries. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// A compiled library.
package struct BuiltModule: Sendable, Equatable {
  /// The directory of this build; other contents have other directories.
  package let directory: String
  /// The path of the library.
  package let library: String
  /// The path of its manifest.
  package let manifest: String
  /// The files that it depends on.
  package let dependencies: [String]
}

/// Compiles sources into a cache and reuses unchanged results.
///
/// Each content has its own file, because a mapped library must not change and the loader identifies a library by
/// its path. The last few builds of each source are kept. Methods may be called on any thread, but only on one at
/// a time per source.
package struct ModuleBuilder: Sendable {
  /// The number of builds to keep per source: the active one, the previous one and a new one.
  private static let keptBuilds = 4
  /// The number of days after which an unused source is removed.
  private static let keptDays = 90.0

  /// The cache directory, private to the user.
  package let cache: String
  /// The directory of the ABI headers; nil if not installed.
  private let headers: String?
  /// The directory of the Swift kit's sources; nil if not installed.
  private let kit: String?
  /// Whether the result must run on other machines of this architecture.
  private let isPortable: Bool
  /// Receives started compilers; nil for none.
  package var watch: CompilerCancellation?

  /// Creates a builder with a cache directory.
  ///
  /// - Parameters:
  ///   - cache: created if needed.
  ///   - headers: the directory of `outboard_module.h` and the porting headers.
  ///   - kit: the directory of the Swift kit's sources.
  ///   - isPortable: whether the result must run on other machines of this architecture.
  ///   - watch: receives started compilers; nil for none.
  package init(
    cache: String, headers: String?, kit: String?, isPortable: Bool = false,
    watch: CompilerCancellation? = nil
  ) {
    self.watch = watch
    self.cache = cache
    self.headers = headers
    self.kit = kit
    self.isPortable = isPortable
  }

  /// Returns the library for a source and its manifest; compiles it if a dependency has changed. [any]
  ///
  /// - Parameters:
  ///   - source: the source.
  ///   - text: the manifest.
  ///   - flags: more compiler flags, relative to the source's directory.
  /// - Returns: the paths of the library and its manifest.
  /// - Throws: `ModuleBuildError` with the compiler's own messages.
  package func build(
    _ source: ModuleSource, manifest text: String, flags: [String] = []
  ) throws(ModuleBuildError) -> BuiltModule {
    // Not named after the source: its name may have the maximum length.
    var directoryHash = ContentHash()
    directoryHash.add(source.absolutePath)
    let home = "\(cache)/compiled/\(directoryHash.text)"
    if !FileManager.default.fileExists(atPath: home) { evictUnused() }
    try createDirectory(home)
    var compiler = Compiler(
      source, headers: headers, near: "\(home)/\(nearbyDirectory(of: source))",
      adapters: "\(cache)/adapters", flags: flags, isPortable: isPortable, watch: watch)
    if source.language == .swift, let kit, let headers, importsKit(source) {
      compiler.kit = try compiledKit(kit, headers, for: source)
    }
    let list = "\(home)/dependencies"
    let known = Self.lines(of: list)
    let before = identity(of: source, compiler, text, known)
    let found = built(home, before, known + source.files, source)
    if FileManager.default.fileExists(atPath: found.library) {
      retain(found)
      return found
    }
    // Other threads and processes may compile the same source at the same time.
    let temporary = "\(home)/fresh.\(getpid()).\(UInt64.random(in: 0 ... .max))"
    try createDirectory(temporary)
    defer { try? FileManager.default.removeItem(atPath: temporary) }
    let began = Date()
    let dependencies = try compiler.compile(to: "\(temporary)/module.so", in: temporary)
    // The program was not a compiler.
    guard FileManager.default.fileExists(atPath: "\(temporary)/module.so") else {
      throw .notCompiled(path: source.path, messages: "")
    }
    if let mistake = ProcessSignature(source, source.texts) {
      throw .wrongProcess(file: mistake.file, line: mistake.line, fault: mistake.fault)
    }
    let others = dependencies.filter { !source.files.contains($0) }
    var after = identity(of: source, compiler, text, others)
    if Self.hasChanged(source.files + others, since: began) {
      // A file saved during the compilation may or may not be in the result, so the result is not reused.
      after += ".\(UInt64.random(in: 0 ... .max))"
    }
    let result = built(home, after, dependencies + source.files, source)
    try? text.write(toFile: "\(temporary)/module.yaml", atomically: false, encoding: .utf8)
    try? others.joined(separator: "\n").write(toFile: list, atomically: true, encoding: .utf8)
    unsafe rename(temporary, result.directory)
    guard FileManager.default.fileExists(atPath: result.library) else {
      throw .noDirectory(path: result.directory)
    }
    evictOld(in: home)
    deletePartialBuilds(in: home)
    evictForwardedHeaders(in: home, except: nearbyDirectory(of: source))
    return result
  }

  // MARK: - Cached builds

  private func built(
    _ home: String, _ identity: String, _ dependencies: [String], _ source: ModuleSource
  ) -> BuiltModule {
    let directory = "\(home)/\(identity)"
    var files = dependencies
    // A missing manifest or new sources may appear later.
    files.append(source.manifestPath)
    files += source.directories
    var seen: Set<String> = []
    return BuiltModule(
      directory: directory, library: "\(directory)/module.so", manifest: "\(directory)/module.yaml",
      dependencies: files.filter { seen.insert($0).inserted })
  }

  private func identity(
    of source: ModuleSource, _ compiler: Compiler, _ text: String, _ others: [String]
  ) -> String {
    var digest = ContentHash()
    // Builds of older versions without these checks are checked again.
    digest.add("2")
    digest.add(compiler.recipe)
    digest.add(compiler.kit?.arguments.joined(separator: " ") ?? "")
    digest.add(text)
    for file in source.files + others {
      digest.add(file)
      digest.add(contentsOf: file)
    }
    return digest.text
  }

  /// The directory for found headers.
  ///
  /// It depends on the includes of the source, because other includes may lead to
  /// other headers.
  private func nearbyDirectory(of source: ModuleSource) -> String {
    var digest = ContentHash()
    for file in source.files {
      let data = FileManager.default.contents(atPath: file) ?? Data()
      for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
      where line.drop(while: \.isWhitespace).hasPrefix("#") && line.contains("include") {
        digest.add(String(line))
      }
    }
    return "near.\(digest.text)"
  }

  /// A missing compiler is reported for the source that the user named.
  private func compiledKit(
    _ kit: String, _ headers: String, for source: ModuleSource
  ) throws(ModuleBuildError) -> CompiledKit {
    do {
      return try CompiledKit(sources: kit, headers: headers, cache: cache)
    } catch .noCompiler(let program, _) {
      throw .noCompiler(program: program, path: source.path)
    }
  }

  private func importsKit(_ source: ModuleSource) -> Bool {
    source.files.contains { file in
      guard let data = FileManager.default.contents(atPath: file) else { return false }
      let text = String(decoding: data, as: UTF8.self)
      return text.contains("import ModuleKit") || text.contains("import ModuleABI")
    }
  }

  static func hasChanged(_ files: [String], since moment: Date) -> Bool {
    files.contains { file in
      let facts = try? FileManager.default.attributesOfItem(atPath: file)
      guard let changed = facts?[.modificationDate] as? Date else { return true }
      return changed >= moment
    }
  }

  static func lines(of file: String) -> [String] {
    var facts = stat()
    // Foundation leaks 4 kB each time it reads an empty file.
    guard unsafe stat(file, &facts) == 0, facts.st_size > 0 else { return [] }
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  // MARK: - Directories

  private func createDirectory(_ directory: String) throws(ModuleBuildError) {
    guard Self.isPrivateDirectory(cache) else { throw .noDirectory(path: cache) }
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw .noDirectory(path: directory)
    }
  }

  /// Marks a build as used, so that it is not removed first. [any]
  package func retain(_ built: BuiltModule) {
    try? FileManager.default.setAttributes(
      [.modificationDate: Date()], ofItemAtPath: built.directory)
  }

  /// A mapped library stays valid when its file is removed.
  private func evictOld(in home: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: home)) ?? []
    // Other processes may be about to use their partial builds.
    let builds = names.filter { !$0.hasPrefix("fresh.") }.map { "\(home)/\($0)" }.filter {
      FileManager.default.fileExists(atPath: "\($0)/module.so")
    }.map { directory -> (directory: String, used: Date) in
      let facts = try? FileManager.default.attributesOfItem(atPath: directory)
      return (directory, facts?[.modificationDate] as? Date ?? .distantPast)
    }
    for build in builds.sorted(by: { $0.used > $1.used }).dropFirst(Self.keptBuilds) {
      try? FileManager.default.removeItem(atPath: build.directory)
    }
  }

  /// Removes sources that have not been used for a long time; those in temporary directories are never used again.
  private func evictUnused() {
    let oldest = Date(timeIntervalSinceNow: -Self.keptDays * 86_400)
    func isUnused(_ directory: String) -> Bool {
      let facts = try? FileManager.default.attributesOfItem(atPath: directory)
      return (facts?[.modificationDate] as? Date).map { $0 < oldest } ?? false
    }
    for root in ["\(cache)/compiled", "\(cache)/adapters"] {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] {
        let home = "\(root)/\(name)"
        guard isUnused(home),
          let builds = try? FileManager.default.contentsOfDirectory(atPath: home),
          builds.allSatisfy({ isUnused("\(home)/\($0)") })
        else { continue }
        try? FileManager.default.removeItem(atPath: home)
      }
    }
  }

  /// Removes files of killed programs.
  private func deletePartialBuilds(in home: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: home)) ?? []
    for name in names where name.hasPrefix("fresh.") {
      guard let process = name.split(separator: ".").dropFirst().first.flatMap({ pid_t($0) }),
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      try? FileManager.default.removeItem(atPath: "\(home)/\(name)")
    }
  }

  /// Removes headers that were found for former includes of a source.
  private func evictForwardedHeaders(in home: String, except kept: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: home)) ?? []
    for name in names where name.hasPrefix("near.") && name != kept {
      try? FileManager.default.removeItem(atPath: "\(home)/\(name)")
    }
  }

  /// Whether a directory is writable only by this user; creates it if needed.
  ///
  /// Compiled files are loaded, and a name in the shared temporary directory can be guessed. Another user could
  /// have created it first.
  package static func isPrivateDirectory(_ directory: String) -> Bool {
    try? FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // Checks a link itself, not its target.
    var facts = stat()
    guard unsafe lstat(directory, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
      return false
    }
    return facts.st_uid == getuid() && facts.st_mode & 0o022 == 0
  }
}
