// FileSystem.swift: files and folders of states, copied and removed. SPDX-License-Identifier: MIT

internal import Glibc

/// The few things that keeping a state does with files.
enum FileSystem {
  /// Whether there is a regular file; links are followed. [any]
  static func isFile(_ path: String) -> Bool { kind(path).map { $0 == S_IFREG } ?? false }

  /// Whether there is a folder; links are followed. [any]
  static func isFolder(_ path: String) -> Bool { kind(path).map { $0 == S_IFDIR } ?? false }

  /// Whether there is anything at all, a link that leads nowhere included. [any]
  static func exists(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0
  }

  private static func kind(_ path: String) -> mode_t? {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_mode & S_IFMT : nil
  }

  /// The path without links and dots; nil where there is nothing. [any]
  static func real(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// The part of a path below a folder, both without links; nil for a path elsewhere. [any]
  static func relative(_ path: String, to folder: String) -> String? {
    path.tail(after: folder.hasSuffix("/") ? folder : folder + "/").flatMap {
      $0.isEmpty ? nil : $0
    }
  }

  /// The folder that a path is in. [any]
  static func parent(_ path: String) -> String {
    let bare = withoutSlash(path)
    guard let slash = bare.lastIndex(of: "/") else { return "." }
    return slash == bare.startIndex ? "/" : String(bare[..<slash])
  }

  /// What stands behind the last slash. [any]
  static func name(_ path: String) -> String {
    let bare = withoutSlash(path)
    return bare.lastIndex(of: "/").map { String(bare[bare.index(after: $0)...]) } ?? bare
  }

  /// The path without slashes at its end. [any]
  static func withoutSlash(_ path: String) -> String {
    var bare = path[...]
    while bare.count > 1, bare.hasSuffix("/") { bare.removeLast() }
    return String(bare)
  }

  /// What is in a folder, sorted. [any]
  static func entries(_ folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    return names(stream)
  }

  /// What is in an open folder, sorted. [any]
  static func names(_ stream: OpaquePointer) -> [String] {
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  // MARK: - Making

  /// Makes a folder and all that it is in. [any]
  static func makeFolder(_ path: String) throws(LV2StateError) {
    guard !isFolder(path) else { return }
    if path != "/" { try makeFolder(parent(path)) }
    guard mkdir(path, 0o777) == 0 || isFolder(path) else { throw failure(path) }
  }

  /// Makes a folder of a name that no other has, `prefix` and six letters. [any]
  static func makeUniqueFolder(_ prefix: String) throws(LV2StateError) -> String {
    var template = Array((prefix + "XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw failure(prefix) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Gives a folder that `makeUniqueFolder` made the rights that any other new one has. [any one thread]
  static func makePublic(_ folder: String) throws(LV2StateError) {
    let mask = umask(0)
    umask(mask)
    guard chmod(folder, 0o777 & ~mask) == 0 else { throw failure(folder) }
  }

  /// Copies a file, or a folder with what is in it. [any]
  ///
  /// Links to files are copied as files. Links to folders are left out, as they may lead in circles,
  /// and so is what is neither file nor folder.
  static func copy(_ source: String, to target: String) throws(LV2StateError) {
    guard isFolder(source) else {
      if isFile(source) { try copyFile(source, to: target) }
      return
    }
    try makeFolder(target)
    for entry in entries(source) {
      let path = "\(source)/\(entry)"
      if !isFolder(path) || real(path) == path { try copy(path, to: "\(target)/\(entry)") }
    }
  }

  private static func copyFile(_ source: String, to target: String) throws(LV2StateError) {
    try makeFolder(parent(target))
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw failure(source) }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard output >= 0 else { throw failure(target) }
    var count = 0
    repeat {
      count = sendfile(output, input, nil, 1 << 30)
    } while count > 0 || (count < 0 && errno == EINTR)
    let fault = count < 0 ? errno : 0
    guard close(output) == 0, fault == 0 else { throw failure(target, fault == 0 ? errno : fault) }
  }

  /// Moves a folder to where none is, or where one is that goes. [any]
  static func replace(_ target: String, by source: String) throws(LV2StateError) {
    guard exists(target) else {
      guard rename(source, target) == 0 else { throw failure(target) }
      return
    }
    let aside = try makeUniqueFolder(target + ".old-")
    guard rename(target, aside + "/old") == 0 else {
      let code = errno
      remove(aside)
      throw failure(target, code)
    }
    guard rename(source, target) == 0 else {
      let code = errno
      rename(aside + "/old", target)
      remove(aside)
      throw failure(target, code)
    }
    remove(aside)
  }

  /// Removes a file, or a folder with all that is in it; links are not followed. [any]
  static func remove(_ path: String) {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { return }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    for entry in entries(path) { remove("\(path)/\(entry)") }
    rmdir(path)
  }

  /// Adds text to the end of a file. [any]
  static func append(_ text: String, to path: String) throws(LV2StateError) {
    guard let file = fopen(path, "ae") else { throw failure(path) }
    let isWritten = fputs(text, file) >= 0
    guard fclose(file) == 0, isWritten else { throw failure(path) }
  }

  private static func failure(_ path: String, _ code: Int32 = errno) -> LV2StateError {
    .file(path: path, reason: String(cString: strerror(code)).lowercasedFirst)
  }
}

extension String {
  /// With a small first letter, as the system's reasons end our sentences.
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
