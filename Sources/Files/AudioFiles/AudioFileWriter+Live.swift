// AudioFileWriter+Live.swift: files that can be read at every moment, as recordings. SPDX-License-Identifier: MIT

import CSndFile

extension AudioFileWriter.Settings {
  /// Checks everything except the sample rate before a growing file is created. [any]
  ///
  /// - Throws: as the writer's `init`.
  package func checkGrowing() throws(AudioFileError) {
    if OutputFile.isDirectory(path) { throw .isDirectory(path: path) }
    try checkExtension()
    try OutputFile.checkGrowing(path)
  }

  /// Checks that the file format supports the settings, without accessing the file system. [any]
  ///
  /// - Throws: as the writer's `init`.
  package func checkExtension() throws(AudioFileError) {
    guard let container = container ?? AudioContainer(path: path) else {
      throw .unknownExtension(path: path)
    }
    guard container.isRecordable else { throw .notRecordable(path: path, container: container) }
    _ = try AudioFileWriter.check(self, container, path: path)
  }
}

extension AudioFileWriter {
  /// Updates the header of a growing file to all frames that were written so far. [any one thread]
  ///
  /// - Throws: an error if the disk is full or fails.
  package mutating func refreshHeader() throws(AudioFileError) {
    // Other formats have no counts in their headers, or do not need them; the library would write
    // the header again.
    if container.storesLength { unsafe sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0) }
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

  /// The size of the file so far, in bytes; a codec may delay some of them. [any one thread]
  package var byteCount: Int { output.length }

  /// Whether the size depends on the audio. [any]
  package var isCompressed: Bool { [.flac, .ogg, .opus, .mp3].contains(container) }

  /// Completes a growing file after a failure, with the frames that were written. [any one thread]
  package mutating func finalizeAfterError() {
    // There is room for the header, which overwrites the previous one.
    output.clearError()
    close()
  }

  /// Closes a growing file without frames, and removes it. [any one thread]
  package mutating func discard() {
    close()
    output.remove()
  }
}
