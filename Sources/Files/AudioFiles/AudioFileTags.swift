// AudioFileTags.swift: title, artist and other texts of an audio file. SPDX-License-Identifier: MIT

import CSndFile

/// The texts that libsndfile reads and writes in a file, except for the name of the software.
package struct AudioFileTags: Sendable, Equatable {
  /// libsndfile's number of each kind of text, and its name in Vorbis comments.
  private static let kinds: [(Int, String)] = [
    (SF_STR_TITLE, "TITLE"), (SF_STR_COPYRIGHT, "COPYRIGHT"), (SF_STR_ARTIST, "ARTIST"),
    (SF_STR_COMMENT, "COMMENT"), (SF_STR_DATE, "DATE"), (SF_STR_ALBUM, "ALBUM"),
    (SF_STR_LICENSE, "LICENSE"), (SF_STR_TRACKNUMBER, "TRACKNUMBER"), (SF_STR_GENRE, "GENRE"),
  ].map { (Int($0.0), $0.1) }

  private var texts: [Int: String] = [:]

  /// No tags.
  package init() {}

  /// Reads the tags of an open file.
  init(of handle: OpaquePointer) {
    for (kind, _) in Self.kinds {
      guard let text = sf_get_string(handle, Int32(kind)) else { continue }
      texts[kind] = String(cString: text)
    }
  }

  /// Whether there are none.
  package var isEmpty: Bool { texts.isEmpty }

  /// Names and texts of Vorbis comments.
  package var comments: [(name: String, text: String)] {
    Self.kinds.compactMap { kind, name in texts[kind].map { (name, $0) } }
  }

  /// Sets the tags of a file before its first frame; a format without tags ignores them.
  func write(to handle: OpaquePointer) {
    for (kind, _) in Self.kinds {
      if let text = texts[kind] { sf_set_string(handle, Int32(kind), text) }
    }
  }
}
