// LabelFile.swift: the list of marks next to a recording. SPDX-License-Identifier: MIT

import Glibc

/// A text file with a line for each marker, created with the first one.
///
/// Start and end in seconds and the text, separated by tabs: audio editors read this format as
/// labels.
struct LabelFile {
  /// The path, whether it exists or not.
  let path: String
  private let sampleRateHz: Int
  private var descriptor: Int32 = -1
  private(set) var hasFailed = false

  /// The list of a recording.
  init(ofFile file: String, sampleRateHz: Int) {
    path = file + ".labels.txt"
    self.sampleRateHz = sampleRateHz
  }

  /// Writes a marker for a range of frames, with tabs and newlines removed from its text.
  ///
  /// Returns an errno value at the first failure. [writer]
  mutating func addMarker(_ text: String, at frame: Int, frameCount: Int = 0) -> Int32? {
    guard !hasFailed else { return nil }
    if descriptor < 0 { descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o666) }
    let line = "\(seconds(frame))\t\(seconds(frame + frameCount))\t\(text)\n"
    guard descriptor >= 0, write(descriptor, line, line.utf8.count) == line.utf8.count else {
      hasFailed = true
      return errno
    }
    return nil
  }

  /// Ends it. [writer]
  mutating func end() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// With six decimals: less than a frame.
  private func seconds(_ frame: Int) -> String {
    let (whole, rest) = frame.quotientAndRemainder(dividingBy: sampleRateHz)
    let millionths = Int((Double(rest) / Double(sampleRateHz) * 1e6).rounded(.down))
    let digits = "\(millionths)"
    return "\(whole)." + String(repeating: "0", count: 6 - digits.count) + digits
  }
}
