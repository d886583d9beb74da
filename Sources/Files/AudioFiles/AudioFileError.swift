// AudioFileError.swift: errors of audio files. SPDX-License-Identifier: MIT

import Glibc

/// The reason why an audio file could not be read or written.
///
/// `path` is the user's path, or text for standard input and output.
package enum AudioFileError: Error, Equatable {
  /// The path does not exist.
  case missing(path: String)
  /// The path is a directory.
  case isDirectory(path: String)
  /// The path names a pipe, a device or a socket; `kind` is its kind with an article.
  case notARegularFile(path: String, kind: String)
  /// The system refuses to open it.
  case unreadable(path: String, reason: String)
  /// The content is of no known kind, or broken beyond reading.
  case notAudio(path: String, reason: String)
  /// The file ends before its audio begins.
  case truncated(path: String)
  /// The file has no audio.
  case noFrames(path: String)
  /// The sample rate is invalid, or above `AudioFileReader.highestRateHz`.
  case impossibleRate(path: String, sampleRateHz: Int)
  /// The audio does not fit into memory.
  case audioTooLong(path: String, limitSeconds: Double)
  /// The sample rate is too far from the requested one.
  case rateNotConverted(path: String, sampleRateHz: Int, to: Double)
  /// A read failed.
  case readFailed(path: String, seconds: Double, reason: String)
  /// The output already exists.
  case outputExists(path: String)
  /// Something has the name of a recording already.
  case recordingExists(path: String)
  /// The output path names a device, a pipe or a socket.
  case notAFile(path: String)
  /// The output path names a pipe, a device or a socket; `kind` is its kind with an article.
  case notReplaceable(path: String, kind: String)
  /// The directory of the output does not exist.
  case directoryMissing(path: String, directory: String)
  /// The directory of the output does not accept new files.
  case directoryNotWritable(path: String, directory: String, reason: String)
  /// The extension does not belong to an audio format.
  case unknownExtension(path: String)
  /// The file format cannot be read while it is written, as a recording must.
  case notRecordable(path: String, container: AudioContainer)
  /// The file format does not support this sample format.
  case formatNotOffered(path: String, container: AudioContainer, format: SampleFormat)
  /// The container does not support this number of channels.
  case tooManyChannels(path: String, container: AudioContainer, channelCount: Int)
  /// The file format does not support this sample rate.
  case rateNotOffered(path: String, container: AudioContainer, sampleRateHz: Int)
  /// The codec reported an error.
  case notWritable(path: String, reason: String)
  /// The disk is full; `keepsOther` if the file that was to be replaced still exists.
  case diskFull(path: String, seconds: Double, keepsOther: Bool = false)
  /// The disk was full during a recording, which ends there.
  case diskFullWhileRecording(path: String, seconds: Double, reason: String)
  /// A write failed.
  case writeFailed(path: String, seconds: Double, reason: String)
  /// The container's size fields are too small for this number of bytes.
  case tooLong(path: String, container: AudioContainer, seconds: Double)

  /// The name of standard output, for the beginning of a message.
  static let standardOutput = "Standard output"

  package var description: String {
    switch self {
    case .missing(let path):
      "\(path) does not exist. Give the path of an audio file, or - for standard input."
    case .isDirectory(let path):
      "\(path) is a directory. Give the path of an audio file."
    case .notARegularFile(let path, let kind):
      "\(path) is \(kind), not a file. Give the path of an audio file, or - for standard input."
    case .unreadable(let path, let reason):
      "\(path) cannot be read: \(lowercasedFirstLetter(reason))."
    case .notAudio(let path, let reason):
      "\(path) is not a readable audio file (\(lowercasedFirstLetter(reason)))."
    case .truncated(let path):
      "\(path) is truncated: the file ends before its audio data. Get a complete copy."
    case .noFrames(let path):
      "\(path) contains no audio: its length is 0 frames."
    case .impossibleRate(let path, let rate):
      "\(path) declares a sample rate of \(rate) Hz. Supported: 1 to "
        + "\(AudioFileReader.highestRateHz) Hz."
    case .audioTooLong(let path, let limit):
      "\(path) is longer than the \(tenths(limit)) s that fit in memory. Use a shorter file."
    case .rateNotConverted(let path, let rate, let wanted):
      "\(path) has \(rate) Hz, which cannot be converted to \(Int(wanted)) Hz. Use a file whose "
        + "rate"
        + " is within a factor of 256."
    case .readFailed(let path, let seconds, let reason):
      "Reading \(path) failed after \(tenths(seconds)) s: \(lowercasedFirstLetter(reason))."
    default:
      outputDescription
    }
  }

  private var outputDescription: String {
    switch self {
    case .outputExists(let path):
      "\(path) already exists. Choose another name or overwrite it with --force."
    case .recordingExists(let path):
      "\(path) already exists; recordings never overwrite files. Choose another name."
    case .notAFile(let path):
      "\(path) is a device or a pipe and cannot be replaced by a file. Use -o - and redirect"
        + " standard output to it."
    case .notReplaceable(let path, let kind):
      "\(path) is \(kind) and is never replaced by a file. Choose another name."
    case .directoryMissing(let path, let directory):
      unsafe access(LaunchDirectory.absolute(directory), F_OK) == 0
        ? "\(path) cannot be written: \(directory) is a file, not a directory."
        : "\(path) cannot be written: no such directory: \(directory)."
    case .directoryNotWritable(let path, let directory, let reason):
      "\(path) cannot be written: the directory \(directory) does not accept new files "
        + "(\(lowercasedFirstLetter(reason)))."
    case .unknownExtension(let path):
      "\(path) cannot be written: its extension is not one of"
        + " \(AudioContainer.allExtensions)."
    case .notRecordable(let path, let container):
      "\(path) cannot be recorded as \(container.name). Use .wav, .flac, .ogg or .opus."
    case .formatNotOffered(let path, let container, let format):
      "\(path) cannot hold \(format.rawValue) samples: \(container.name) offers"
        + " \(container.offer)."
    case .tooManyChannels(let path, let container, let count):
      "\(path) cannot hold \(count) channels: \(container.name) has at most"
        + " \(container.maximumChannelCount). Use WAV or CAF for more."
    case .rateNotOffered(let path, let container, let rate):
      "\(path) cannot have a sample rate of \(rate) Hz: \(container.name) offers"
        + " \(container.rates)."
        + (container.substitute(forRateHz: rate).map {
          " Convert the audio first, for example with `sox in.wav -r \($0) out.wav`."
        } ?? "")
    case .notWritable(let path, let reason):
      "\(path) cannot be written: \(lowercasedFirstLetter(reason))."
    case .diskFull(let path, let seconds, let keepsOther):
      "The disk is full: \(path) stopped at \(tenths(seconds)) s"
        + (keepsOther ? ". The previous file is unchanged." : " and was removed.")
    case .diskFullWhileRecording(let path, let seconds, let reason):
      "\(path) ends at \(tenths(seconds)) s because the disk is full (\(lowercasedFirstLetter(reason)))."
        + " Later audio is not recorded."
    case .writeFailed(let path, let seconds, let reason):
      "Writing \(path == Self.standardOutput ? "standard output" : path) failed at \(tenths(seconds)) s: \(lowercasedFirstLetter(reason))."
    case .tooLong(let path, let container, let seconds):
      "\(path) would pass 4 GB at \(tenths(seconds)) s, the limit of \(container.name). Use .wav"
        + " or .caf."
    default:
      ""
    }
  }
}

/// Returns a library's reason in the form for the middle of a message: no capital, no full stop.
private func lowercasedFirstLetter(_ reason: String) -> String {
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
