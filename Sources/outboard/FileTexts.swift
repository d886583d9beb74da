// FileTexts.swift: tags and markers of an input, for its output. SPDX-License-Identifier: MIT

import AudioFiles

/// The texts of an input that its output gets.
struct FileTexts {
  private(set) var tags = AudioFileTags()
  private var markers: [FileMarker] = []
  private var sampleRateHz = 1
  private var hasChapters = false

  /// No texts.
  init() {}

  /// Reads the texts of a file.
  init(_ reader: borrowing AudioFileReader) {
    tags = reader.tags
    markers = reader.markers
    sampleRateHz = reader.sampleRateHz
    hasChapters = reader.hasChapters
  }

  /// Returns the markers of an output with another sample rate.
  func markers(at rate: Int) -> [FileMarker] {
    markers.map { marker in
      var moved = marker
      moved.frame = marker.frame * rate / sampleRateHz
      return moved
    }
  }

  /// Returns one sentence about chapters or markers that the output does not get.
  func lost(name: String, in settings: AudioFileWriter.Settings) -> [String] {
    let container = settings.container ?? AudioContainer(path: settings.path)
    let keepsMarkers = container == .wav && settings.path != "-"
    let kind = hasChapters ? "chapters" : markers.isEmpty || keepsMarkers ? nil : "markers"
    return kind.map {
      ["\(name) has \($0). \(settings.path) does not get them: set them with a tag editor."]
    } ?? []
  }
}
