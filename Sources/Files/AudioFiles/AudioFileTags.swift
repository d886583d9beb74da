// AudioFileTags.swift: title, artist and other texts of an audio file. SPDX-License-Identifier: MIT

import CSndFile

/// The texts that libsndfile reads and writes in a file, except for the name of the software.
package struct AudioFileTags: Sendable, Equatable {
  /// libsndfile's number of each kind of text, its name in Vorbis comments, and its frame of ID3v2.4.
  private static let kinds: [(Int, String, String)] = [
    (SF_STR_TITLE, "TITLE", "TIT2"), (SF_STR_COPYRIGHT, "COPYRIGHT", "TCOP"),
    (SF_STR_ARTIST, "ARTIST", "TPE1"), (SF_STR_COMMENT, "COMMENT", "COMM"),
    (SF_STR_DATE, "DATE", "TDRC"), (SF_STR_ALBUM, "ALBUM", "TALB"),
    (SF_STR_LICENSE, "LICENSE", "USER"), (SF_STR_TRACKNUMBER, "TRACKNUMBER", "TRCK"),
    (SF_STR_GENRE, "GENRE", "TCON"),
  ].map { (Int($0.0), $0.1, $0.2) }

  private var texts: [Int: String] = [:]

  /// No tags.
  package init() {}

  /// Reads the tags of an open file.
  init(of handle: OpaquePointer) {
    for (kind, _, _) in Self.kinds {
      guard let text = unsafe sf_get_string(handle, Int32(kind)) else { continue }
      texts[kind] = unsafe String(cString: text)
    }
  }

  /// Whether the file has no tags.
  package var isEmpty: Bool { texts.isEmpty }

  /// Vorbis comments.
  package var comments: [String] {
    Self.kinds.compactMap { kind, name, _ in texts[kind].map { name + "=" + $0 } }
  }

  /// Names and texts of ID3 frames.
  var frames: [(name: String, text: String)] {
    Self.kinds.compactMap { kind, _, name in texts[kind].map { (name, $0) } }
  }

  /// Sets the tags of a file before its first frame; a format without tags ignores them.
  func write(to handle: OpaquePointer) {
    for (kind, _, _) in Self.kinds {
      if let text = texts[kind] { unsafe sf_set_string(handle, Int32(kind), text) }
    }
  }
}
