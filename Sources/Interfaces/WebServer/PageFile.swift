// PageFile.swift: a file of the web page inside the program. SPDX-License-Identifier: MIT

import CWebPage

/// A file of the web page.
@safe struct PageFile: @unchecked Sendable {
  // Unchecked because of the pointer: constant data of the program, which never changes.

  /// The path after the host, without the first slash.
  let name: String
  /// The contents, which are part of the program.
  let bytes: UnsafeRawBufferPointer
  /// Another value for other contents, in double quotes.
  let entityTag: String

  private static let files = readAll()

  private static func readAll() -> [String: PageFile] {
    var files: [String: PageFile] = [:]
    var index = 0
    while let name = unsafe web_page_file_at(index).name {
      let file = unsafe web_page_file_at(index)
      let bytes = unsafe UnsafeRawBufferPointer(start: file.bytes, count: file.length)
      unsafe files[String(cString: name)] = PageFile(
        name: String(cString: name), bytes: bytes,
        entityTag: "\"\(SHA256.digest(bytes).hexadecimal.prefix(32))\"")
      index += 1
    }
    return files
  }

  /// The names of all files. [any]
  static var names: [String] { files.keys.sorted() }

  /// Returns the file of a path such as `/app.js`; nil if there is none. [any]
  ///
  /// No path leads to the file system.
  static func file(at path: Substring) -> PageFile? {
    guard path.first == "/" else { return nil }
    let name = path.dropFirst()
    return files[name.isEmpty ? "index.html" : String(name)]
  }

  /// The value of `Content-Type`.
  var contentType: String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "webmanifest", "json": "application/json"
    default: "text/plain; charset=utf-8"
    }
  }
}
