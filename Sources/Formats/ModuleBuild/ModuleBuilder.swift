// ModuleBuilder.swift: from a source to a library, kept for the next time. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// A library that was made from a source.
package struct BuiltModule: Sendable, Equatable {
  /// The folder that holds it, of this very build: another content has another folder.
  package let folder: String
  /// The library.
  package let library: String
  /// Where its manifest is to be put, beside the library.
  package let manifest: String
  /// The files that it was made from: a change of any of them makes it old.
  package let dependencies: [String]
}

/// Compiles sources into a cache, from which what has not changed is taken again.
///
/// Every content has a file of its own: a library that is mapped by a running program must not change,
/// and the loader takes one path for one library. Of each source the last few builds are kept.
/// Methods may be called on any thread, for one source on one at a time.
package struct ModuleBuilder: Sendable {
  /// Builds of one source that are kept: the one that plays, the one before, and one that is going.
  private static let keptBuilds = 4
  /// Days for which a source is remembered that nobody uses.
  private static let keptDays = 90.0

  /// Where compiled things are kept; the user's alone.
  package let cache: String
  /// Where the contract's headers lie; nil where they are not installed.
  private let headers: String?
  /// Where the Swift kit's sources lie; nil where they are not installed.
  private let kit: String?
  /// Whether what is compiled runs on other machines of this kind, too.
  private let isPortable: Bool
  /// Is told of the compilers; nil for nobody.
  package var watch: CompilerCancellation?

  /// A builder into a folder of the user's own.
  ///
  /// - Parameters:
  ///   - cache: made if need be.
  ///   - headers: the folder of `outboard_module.h` and of the porting kit.
  ///   - kit: the folder of the Swift kit's sources.
  ///   - isPortable: whether what is compiled is to run on other machines of this kind, too.
  ///   - watch: is told of the compilers; nil for nobody.
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

  /// The library for a source and the text of its manifest, compiled if nothing that it depends on is as
  /// it was. [any]
  ///
  /// - Parameters:
  ///   - source: what is compiled.
  ///   - text: the manifest.
  ///   - flags: what the compiler is told beside; folders are seen from the source's.
  /// - Returns: where the library and its manifest are.
  /// - Throws: `ModuleBuildError` with the compiler's own messages.
  package func build(
    _ source: ModuleSource, manifest text: String, flags: [String] = []
  ) throws(ModuleBuildError) -> BuiltModule {
    // Not called after the source: its name may be as long as the file system allows.
    var place = ContentHash()
    place.add(source.absolutePath)
    let home = "\(cache)/compiled/\(place.text)"
    if !FileManager.default.fileExists(atPath: home) { forgetUnused() }
    try makeFolder(home)
    var compiler = Compiler(
      source, headers: headers, near: "\(home)/\(nearFolder(of: source))", flags: flags,
      isPortable: isPortable, watch: watch)
    if source.language == .swift, let kit, let headers, importsKit(source) {
      compiler.kit = try compiledKit(kit, headers, for: source)
    }
    let list = "\(home)/dependencies"
    let known = Self.lines(of: list)
    let before = identity(of: source, compiler, text, known)
    let found = built(home, before, known + source.files, source)
    if FileManager.default.fileExists(atPath: found.library) {
      keep(found)
      return found
    }
    // Whoever compiles the same meanwhile, in this process or another, is not disturbed.
    let fresh = "\(home)/fresh.\(getpid()).\(UInt64.random(in: 0 ... .max))"
    try makeFolder(fresh)
    defer { try? FileManager.default.removeItem(atPath: fresh) }
    let began = Date()
    let dependencies = try compiler.compile(to: "\(fresh)/module.so", in: fresh)
    // Whatever it was that was called, it was no compiler.
    guard FileManager.default.fileExists(atPath: "\(fresh)/module.so") else {
      throw .notCompiled(path: source.path, messages: "")
    }
    if let mistake = ProcessSignature(source, source.texts) {
      throw .wrongProcess(file: mistake.file, line: mistake.line, fault: mistake.fault)
    }
    let others = dependencies.filter { !source.files.contains($0) }
    var after = identity(of: source, compiler, text, others)
    if hasChanged(source.files + others, since: began) {
      // What was saved meanwhile may be in it or not; it is not to be taken for either.
      after += ".\(UInt64.random(in: 0 ... .max))"
    }
    let result = built(home, after, dependencies + source.files, source)
    try? text.write(toFile: "\(fresh)/module.yaml", atomically: false, encoding: .utf8)
    try? others.joined(separator: "\n").write(toFile: list, atomically: true, encoding: .utf8)
    rename(fresh, result.folder)
    guard FileManager.default.fileExists(atPath: result.library) else {
      throw .noFolder(path: result.folder)
    }
    forgetOld(in: home)
    forgetUnfinished(in: home)
    forgetNear(in: home, except: nearFolder(of: source))
    return result
  }

  // MARK: - What is there

  private func built(
    _ home: String, _ identity: String, _ dependencies: [String], _ source: ModuleSource
  ) -> BuiltModule {
    let folder = "\(home)/\(identity)"
    var files = dependencies
    // A manifest that is not there yet may come; further sources too.
    files.append(source.manifestPath)
    files += source.folders
    var seen: Set<String> = []
    return BuiltModule(
      folder: folder, library: "\(folder)/module.so", manifest: "\(folder)/module.yaml",
      dependencies: files.filter { seen.insert($0).inserted })
  }

  private func identity(
    of source: ModuleSource, _ compiler: Compiler, _ text: String, _ others: [String]
  ) -> String {
    var digest = ContentHash()
    // What was built before it was looked at as closely is looked at again.
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

  /// The folder for headers that are found near the source: another one where it includes something else, as they
  /// may be found elsewhere then.
  private func nearFolder(of source: ModuleSource) -> String {
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

  /// A compiler that is missing is missing for the source, which the user knows.
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

  private func hasChanged(_ files: [String], since moment: Date) -> Bool {
    files.contains { file in
      let facts = try? FileManager.default.attributesOfItem(atPath: file)
      guard let changed = facts?[.modificationDate] as? Date else { return true }
      return changed >= moment
    }
  }

  private static func lines(of file: String) -> [String] {
    var facts = stat()
    // Foundation leaks 4 kB each time it reads a file in which there is nothing.
    guard stat(file, &facts) == 0, facts.st_size > 0 else { return [] }
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  // MARK: - Folders

  private func makeFolder(_ folder: String) throws(ModuleBuildError) {
    guard Self.isOwn(cache) else { throw .noFolder(path: cache) }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .noFolder(path: folder)
    }
  }

  /// Notes that a build was used now, so that it is not the first to go. [any]
  package func keep(_ built: BuiltModule) {
    try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: built.folder)
  }

  /// A library that is mapped stays so when its file goes.
  private func forgetOld(in home: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: home)) ?? []
    let builds = names.map { "\(home)/\($0)" }.filter {
      FileManager.default.fileExists(atPath: "\($0)/module.so")
    }.map { folder -> (folder: String, used: Date) in
      let facts = try? FileManager.default.attributesOfItem(atPath: folder)
      return (folder, facts?[.modificationDate] as? Date ?? .distantPast)
    }
    for build in builds.sorted(by: { $0.used > $1.used }).dropFirst(Self.keptBuilds) {
      try? FileManager.default.removeItem(atPath: build.folder)
    }
  }

  /// Forgets sources that have not been used for long: those in temporary folders never are again.
  private func forgetUnused() {
    let root = "\(cache)/compiled"
    let oldest = Date(timeIntervalSinceNow: -Self.keptDays * 86_400)
    func isUnused(_ folder: String) -> Bool {
      let facts = try? FileManager.default.attributesOfItem(atPath: folder)
      return (facts?[.modificationDate] as? Date).map { $0 < oldest } ?? false
    }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] {
      let home = "\(root)/\(name)"
      guard isUnused(home), let builds = try? FileManager.default.contentsOfDirectory(atPath: home),
        builds.allSatisfy({ isUnused("\(home)/\($0)") })
      else { continue }
      try? FileManager.default.removeItem(atPath: home)
    }
  }

  /// Forgets what programs that were killed meanwhile have left behind.
  private func forgetUnfinished(in home: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: home)) ?? []
    for name in names where name.hasPrefix("fresh.") {
      guard let process = name.split(separator: ".").dropFirst().first.flatMap({ pid_t($0) }),
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      try? FileManager.default.removeItem(atPath: "\(home)/\(name)")
    }
  }

  /// Forgets what was found near a source for what it included at other times.
  private func forgetNear(in home: String, except kept: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: home)) ?? []
    for name in names where name.hasPrefix("near.") && name != kept {
      try? FileManager.default.removeItem(atPath: "\(home)/\(name)")
    }
  }

  /// Whether a folder is this user's alone to write to; made if it is not there.
  ///
  /// What is compiled into it is loaded, and the name of one in the common folder for temporary files
  /// can be guessed: somebody else may have made it first.
  package static func isOwn(_ folder: String) -> Bool {
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // Those of a link itself, not of what it leads to.
    var facts = stat()
    guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return false }
    return facts.st_uid == getuid() && facts.st_mode & 0o022 == 0
  }
}
