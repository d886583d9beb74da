// FileSystem.swift: file operations for states. SPDX-License-Identifier: MIT

internal import Glibc
internal import PluginCatalogue

/// File operations for states.
enum FileSystem {
  /// Whether a regular file exists; follows links. [any]
  static func isFile(_ path: String) -> Bool { kind(path).map { $0 == S_IFREG } ?? false }

  /// Whether a directory exists; follows links. [any]
  static func isDirectory(_ path: String) -> Bool { kind(path).map { $0 == S_IFDIR } ?? false }

  /// Whether anything exists, including a dangling link. [any]
  static func exists(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0
  }

  private static func kind(_ path: String) -> mode_t? {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_mode & S_IFMT : nil
  }

  /// Returns the path without links and dots; nil if it does not exist. [any]
  static func real(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// Returns the path relative to a directory, both without links; nil if it is outside. [any]
  static func relative(_ path: String, to directory: String) -> String? {
    path.tail(after: directory.hasSuffix("/") ? directory : directory + "/").flatMap {
      $0.isEmpty ? nil : $0
    }
  }

  /// Returns the parent directory of a path. [any]
  static func parent(_ path: String) -> String {
    let bare = withoutSlash(path)
    guard let slash = bare.lastIndex(of: "/") else { return "." }
    return slash == bare.startIndex ? "/" : String(bare[..<slash])
  }

  /// Returns the part after the last slash. [any]
  static func name(_ path: String) -> String {
    let bare = withoutSlash(path)
    return bare.lastIndex(of: "/").map { String(bare[bare.index(after: $0)...]) } ?? bare
  }

  /// Returns the path without trailing slashes. [any]
  static func withoutSlash(_ path: String) -> String {
    var bare = path[...]
    while bare.count > 1, bare.hasSuffix("/") { bare.removeLast() }
    return String(bare)
  }

  // MARK: - Creation

  /// Creates a directory and its parents. [any]
  static func createDirectory(_ path: String) throws(LV2StateError) {
    guard !isDirectory(path) else { return }
    if path != "/" { try createDirectory(parent(path)) }
    guard mkdir(path, 0o777) == 0 || isDirectory(path) else { throw failure(path) }
  }

  /// Creates a directory with a unique name: `prefix` and six letters. [any]
  static func createUniqueDirectory(_ prefix: String) throws(LV2StateError) -> String {
    var template = Array((prefix + "XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw failure(prefix) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Sets the permissions of a directory of `createUniqueDirectory` to the default. [any one thread]
  static func makePublic(_ directory: String) throws(LV2StateError) {
    let mask = umask(0)
    umask(mask)
    // By descriptor, because a sandbox refuses it by path.
    let file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw failure(directory) }
    defer { close(file) }
    guard fchmod(file, 0o777 & ~mask) == 0 else { throw failure(directory) }
  }

  /// Copies a file, or a directory with its contents. [any]
  ///
  /// Links to files are copied as files. Links to directories are skipped, because they may form cycles. Special
  /// files are skipped, too.
  static func copy(_ source: String, to target: String) throws(LV2StateError) {
    guard isDirectory(source) else {
      if isFile(source) { try copyFile(source, to: target) }
      return
    }
    try createDirectory(target)
    for entry in OpenDirectory.names(in: source) {
      let path = "\(source)/\(entry)"
      if !isDirectory(path) || real(path) == path { try copy(path, to: "\(target)/\(entry)") }
    }
  }

  private static func copyFile(_ source: String, to target: String) throws(LV2StateError) {
    try createDirectory(parent(target))
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

  /// Moves a directory, replacing an existing one. [any]
  static func replace(_ target: String, by source: String) throws(LV2StateError) {
    guard exists(target) else {
      guard rename(source, target) == 0 else { throw failure(target) }
      return
    }
    let backupPath = try createUniqueDirectory(target + ".old-")
    guard rename(target, backupPath + "/old") == 0 else {
      let code = errno
      remove(backupPath)
      throw failure(target, code)
    }
    guard rename(source, target) == 0 else {
      let code = errno
      rename(backupPath + "/old", target)
      remove(backupPath)
      throw failure(target, code)
    }
    remove(backupPath)
  }

  /// Removes a file or a directory with its contents; does not follow links. [any]
  static func remove(_ path: String) {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { return }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    for entry in OpenDirectory.names(in: path) { remove("\(path)/\(entry)") }
    rmdir(path)
  }

  /// Appends text to a file. [any]
  static func append(_ text: String, to path: String) throws(LV2StateError) {
    guard let file = fopen(path, "ae") else { throw failure(path) }
    let isWritten = fputs(text, file) >= 0
    guard fclose(file) == 0, isWritten else { throw failure(path) }
  }

  /// Checks that a Turtle file is complete, because lilv reports no full disk. [any]
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - name: the path in messages.
  /// - Throws: `LV2StateError.file`.
  static func checkTurtle(_ path: String, as name: String) throws(LV2StateError) {
    guard let file = fopen(path, "re") else { throw failure(name) }
    defer { fclose(file) }
    // Each statement ends with a full stop.
    var bytes = [UInt8](repeating: 0, count: 64)
    _ = fseek(file, -bytes.count, SEEK_END)
    let count = fread(&bytes, 1, bytes.count, file)
    let last = bytes.prefix(count).last { $0 > UInt8(ascii: " ") }
    guard last == UInt8(ascii: ".") else { throw failure(name, ENOSPC) }
  }

  private static func failure(_ path: String, _ code: Int32 = errno) -> LV2StateError {
    .file(path: path, reason: String(cString: strerror(code)).lowercasedFirst)
  }
}

extension String {
  /// Returns the text with a lower-case first letter, for system errors at the end of a message.
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
