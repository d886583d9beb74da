// FileTexts.swift: tags, markers and chapters of an input, for its output. SPDX-License-Identifier: MIT

import AudioFiles

/// The texts of an input that its output gets.
struct FileTexts {
  private(set) var tags = AudioFileTags()
  private var markers: [FileMarker] = []
  private var sampleRateHz = 1
  private var kind = "markers"
  /// Whether there is a cue sheet without tracks that can be read.
  private var hasCueSheet = false

  /// No texts.
  init() {}

  /// Reads the texts of a file.
  init(_ reader: borrowing AudioFileReader) {
    tags = reader.tags
    markers = reader.markers
    if markers.isEmpty, case let chapters = reader.chapters, !chapters.isEmpty {
      (markers, kind) = (chapters, "chapters")
    }
    sampleRateHz = reader.sampleRateHz
    // Its tracks are chapters.
    hasCueSheet = markers.isEmpty && reader.hasCueSheet
  }

  /// Returns the markers of an output with another sample rate.
  func markers(at rate: Int) -> [FileMarker] {
    markers.map { $0.converted(from: sampleRateHz, to: rate) }
  }

  /// Returns messages about chapters or markers that the output does not get.
  func lost(name: String, in settings: AudioFileWriter.Settings) -> [String] {
    let container = settings.container ?? AudioContainer(path: settings.path)
    let room = settings.path == "-" ? 0 : container?.maximumMarkerCount ?? 0
    var sentences: [String] = []
    if markers.count > room, room > 0 {
      sentences.append(
        "\(name) has \(markers.count) \(kind). \(settings.path) gets the first \(room) only.")
    } else if markers.count > room {
      sentences.append(
        "\(name) has \(kind). \(settings.path) does not get them: set them with a tag editor.")
    }
    if hasCueSheet {
      sentences.append(
        "\(name) has a cue sheet that cannot be read. \(settings.path) does not get it: set chapters with a tag editor."
      )
    }
    return sentences
  }
}
