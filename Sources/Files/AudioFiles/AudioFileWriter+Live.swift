// AudioFileWriter+Live.swift: files that can be read at every moment, as recordings. SPDX-License-Identifier: MIT

import CSndFile

extension AudioFileWriter.Settings {
  /// Checks what can be known before a growing file is begun, its rate apart. [any]
  ///
  /// - Throws: as the writer's `init`.
  package func checkGrowing() throws(AudioFileError) {
    if OutputFile.isFolder(path) { throw .isFolder(path: path) }
    try checkKind()
    try OutputFile.checkGrowing(path)
  }

  /// Checks that the path names a kind of file that can hold the frames; nothing is looked up. [any]
  ///
  /// - Throws: as the writer's `init`.
  package func checkKind() throws(AudioFileError) {
    guard let container = container ?? AudioContainer(path: path) else {
      throw .unknownExtension(path: path)
    }
    _ = try AudioFileWriter.check(self, container, path: path)
  }
}

extension AudioFileWriter {
  /// Updates the header of a growing file to all frames that were written so far. [any one thread]
  ///
  /// - Throws: if the disk refuses.
  package mutating func refreshHeader() throws(AudioFileError) {
    // Others count nothing in their headers, or can do without; the library would write them once more.
    if container.tellsLength { sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0) }
    if output.failure != 0 { throw failure() }
  }

  /// Has the disk take all that was written, which may last; then not even a power cut loses it. [any one
  /// thread]
  ///
  /// - Throws: when the disk refuses.
  package mutating func flush() throws(AudioFileError) {
    output.flush()
    if output.failure != 0 { throw failure() }
  }

  /// Whether the file still has a name: it may be removed while it is written. [any one thread]
  package var hasName: Bool { output.hasName }

  /// Bytes of the file so far; a codec may hold some back. [any one thread]
  package var byteCount: Int { output.length }

  /// Whether the number of bytes depends on the sound. [any]
  package var isCompressed: Bool { [.flac, .ogg, .opus].contains(container) }

  /// Ends a growing file after a failure: it keeps what could be written. [any one thread]
  package mutating func salvage() {
    // There is room for the header, which lies over another one.
    output.forgiveFailure()
    close()
  }

  /// Ends a growing file that got no frame, and removes it. [any one thread]
  package mutating func discard() {
    close()
    output.remove()
  }
}
