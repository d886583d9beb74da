// AudioFileError.swift: what can go wrong with a file, each as one sentence. SPDX-License-Identifier: MIT

/// Why an audio file could not be read or written.
///
/// `path` is as the user gave it; standard input and output are named in words.
package enum AudioFileError: Error, Equatable {
  /// There is nothing at the path.
  case missing(path: String)
  /// The path is a folder.
  case isFolder(path: String)
  /// The path names a pipe, a device or a socket; `kind` says which, with an article.
  case notARegularFile(path: String, kind: String)
  /// The system refuses to open it.
  case unreadable(path: String, reason: String)
  /// The content is of no known kind, or broken beyond reading.
  case notAudio(path: String, reason: String)
  /// The file ends before its sound begins.
  case truncated(path: String)
  /// A sound file without sound.
  case noFrames(path: String)
  /// A sample rate that is none, or beyond `AudioFileReader.highestRateHz`.
  case impossibleRate(path: String, sampleRateHz: Int)
  /// It does not fit into memory.
  case soundTooLong(path: String, limitSeconds: Double)
  /// Its rate is too far from the one that is wanted.
  case rateNotConverted(path: String, sampleRateHz: Int, to: Double)
  /// Reading failed on the way.
  case readFailed(path: String, seconds: Double, reason: String)
  /// The output is there already.
  case outputExists(path: String)
  /// Something has the name of a recording already.
  case recordingExists(path: String)
  /// A device, a pipe or a socket stands where the output would be.
  case notAFile(path: String)
  /// A pipe, a device or a socket has the name of a file to be written; `kind` says which, with an article.
  case notReplaceable(path: String, kind: String)
  /// The folder of the output does not exist.
  case folderMissing(path: String, folder: String)
  /// Nothing can be made in the folder of the output.
  case folderNotWritable(path: String, folder: String, reason: String)
  /// The extension says nothing about the kind of file.
  case unknownExtension(path: String)
  /// The container does not hold this sample format.
  case formatNotOffered(path: String, container: AudioContainer, format: SampleFormat)
  /// The container does not hold so many channels.
  case tooManyChannels(path: String, container: AudioContainer, channelCount: Int)
  /// The container does not hold this rate.
  case rateNotOffered(path: String, container: AudioContainer, sampleRateHz: Int)
  /// The codec refuses for a reason of its own.
  case notWritable(path: String, reason: String)
  /// No room is left on the device; `keepsOther` if a file that was to be replaced is still there.
  case diskFull(path: String, seconds: Double, keepsOther: Bool = false)
  /// A recording found no more room, and ends there.
  case recordingFull(path: String, seconds: Double, reason: String)
  /// Writing failed on the way.
  case writeFailed(path: String, seconds: Double, reason: String)
  /// The container's sizes cannot count so many bytes.
  case tooLong(path: String, container: AudioContainer, seconds: Double)

  package var description: String {
    switch self {
    case .missing(let path):
      "\(path) does not exist; give the path of an audio file, or - for standard input."
    case .isFolder(let path):
      "\(path) is a folder; give the path of an audio file."
    case .notARegularFile(let path, let kind):
      "\(path) is \(kind), not a file; give the path of an audio file, or - for standard input."
    case .unreadable(let path, let reason):
      "\(path) cannot be read: \(lowered(reason))."
    case .notAudio(let path, let reason):
      "\(path) is not an audio file that can be read (\(lowered(reason)))."
    case .truncated(let path):
      "\(path) is truncated: the file ends before its sound begins; get a whole copy of it."
    case .noFrames(let path):
      "\(path) holds no sound: its length is 0 frames."
    case .impossibleRate(let path, let rate):
      "\(path) claims a sample rate of \(rate) Hz; from 1 to \(AudioFileReader.highestRateHz) Hz"
        + " can be read."
    case .soundTooLong(let path, let limit):
      "\(path) is longer than the \(tenths(limit)) s that can be held in memory; cut it."
    case .rateNotConverted(let path, let rate, let wanted):
      "\(path) has \(rate) Hz, which cannot be converted to \(Int(wanted)) Hz; give it a rate within"
        + " 256 times of that."
    case .readFailed(let path, let seconds, let reason):
      "Reading \(path) failed after \(tenths(seconds)) s: \(lowered(reason))."
    default:
      outputDescription
    }
  }

  private var outputDescription: String {
    switch self {
    case .outputExists(let path):
      "\(path) exists already; choose another name, or overwrite it with --force."
    case .recordingExists(let path):
      "\(path) exists already, and a recording is never put over another file; choose another name."
    case .notAFile(let path):
      "\(path) is a device or a pipe, which a file cannot take the place of; use -o - and redirect"
        + " standard output to it."
    case .notReplaceable(let path, let kind):
      "\(path) is \(kind), which is never replaced by a file; choose another name."
    case .folderMissing(let path, let folder):
      "\(path) cannot be written: no such directory: \(folder)."
    case .folderNotWritable(let path, let folder, let reason):
      "\(path) cannot be written: the folder \(folder) refuses new files (\(lowered(reason)))."
    case .unknownExtension(let path):
      "\(path) has no extension that names a kind of audio file; use one of"
        + " \(AudioContainer.allExtensions)."
    case .formatNotOffered(let path, let container, let format):
      "\(path) cannot hold \(format.rawValue) samples: \(container.name) offers"
        + " \(container.offer)."
    case .tooManyChannels(let path, let container, let count):
      "\(path) cannot hold \(count) channels: \(container.name) has at most"
        + " \(container.maximumChannelCount); WAV and CAF hold more."
    case .rateNotOffered(let path, let container, let rate):
      "\(path) cannot have a sample rate of \(rate) Hz: \(container.name) offers"
        + " \(container.rates)."
    case .notWritable(let path, let reason):
      "\(path) cannot be written: \(lowered(reason))."
    case .diskFull(let path, let seconds, let keepsOther):
      "The disk is full: \(path) could not be finished, it stopped at \(tenths(seconds)) s"
        + (keepsOther ? "; the file that was there is unchanged." : " and was removed.")
    case .recordingFull(let path, let seconds, let reason):
      "\(path) ends at \(tenths(seconds)) s, as there is no more room (\(lowered(reason))); what"
        + " follows is not recorded."
    case .writeFailed(let path, let seconds, let reason):
      "Writing \(path) failed at \(tenths(seconds)) s: \(lowered(reason))."
    case .tooLong(let path, let container, let seconds):
      "\(path) would pass 4 GB at \(tenths(seconds)) s, more than \(container.name) can count;"
        + " use .wav or .caf."
    default:
      ""
    }
  }
}

/// A reason from a library, made to stand inside a sentence: no capital, no full stop.
private func lowered(_ reason: String) -> String {
  var words = Substring(reason)
  while let last = words.last, last == "." || last == " " || last == "\n" { words.removeLast() }
  // An abbreviation keeps its capitals.
  if words.dropFirst().first?.isUppercase == true { return String(words) }
  return words.prefix(1).lowercased() + words.dropFirst()
}

/// Seconds with one decimal.
private func tenths(_ seconds: Double) -> String {
  let tenths = Int((seconds * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}
