// PipeError.swift: errors of standard input and output. SPDX-License-Identifier: MIT

package import ErrorModel
import Glibc

/// The reason why a stream cannot be read or written.
package enum PipeError: Equatable {
  /// Standard input is a terminal.
  case inputIsTerminal
  /// Standard output is a terminal.
  case outputIsTerminal
  /// The input is closed, or ended without data.
  case inputEmpty
  /// The system does not allow reading.
  case unreadable(reason: String)
  /// The input does not start with a WAV header.
  case notWave(beginning: String)
  /// The input ended within its header.
  case headerCut
  /// The header declares an impossible format.
  case impossible(what: String)
  /// A WAV header where raw PCM was declared.
  case headerBeforeSamples
  /// WAV on standard output uses other formats.
  case formatNotOffered(format: String)
  /// The user stopped before there was any audio.
  case interrupted
  /// A read failed.
  case readFailed(seconds: Double, reason: String)
  /// The reader of standard output closed it.
  case outputClosed(seconds: Double)
  /// A write failed.
  case writeFailed(seconds: Double, reason: String)
  /// The system could not create a thread.
  case noThread

  package var description: String {
    switch self {
    case .inputIsTerminal:
      "Standard input is a terminal. Pipe audio into it, as in `arecord -f cd -t wav | outboard "
        + "run ...`,"
        + " or redirect a file to it."
    case .outputIsTerminal:
      "Standard output is a terminal and cannot play audio. Pipe it to a"
        + " program, as in `outboard run ... | aplay`, or redirect it to a file."
    case .inputEmpty:
      "Standard input ended before any audio arrived. Check the messages of the program before "
        + "the pipe."
    case .unreadable(let reason):
      "Standard input cannot be read (\(reason)). Pipe audio into it or redirect a file to it."
    case .notWave(let beginning) where Self.otherFiles.contains(beginning):
      "Standard input is not a WAV stream: it begins with \(beginning). Convert it with `ffmpeg "
        + "-i - -f wav -`:"
        + " `outboard run` reads only WAV and raw PCM streams. `outboard render` also reads other "
        + "formats."
    case .notWave(let beginning):
      "Standard input is not a WAV stream: it begins with \(beginning). Make the program before "
        + "the pipe write WAV,"
        + " or describe raw PCM with --raw, as in --raw 48000:2:S16."
    case .headerCut:
      "Standard input ended within its WAV header. Check the messages of the program before the "
        + "pipe."
    case .impossible(let what):
      "The WAV header on standard input declares \(what), which is not supported. Make the "
        + "program before the"
        + " pipe write integers of 8 to 32 bits or floating point."
    case .headerBeforeSamples:
      "Standard input begins with a WAV header, which describes the format. Remove --raw."
    case .formatNotOffered(let format):
      "Standard output cannot have \(format) samples. Use s16, s24, s32, float or double."
    case .interrupted:
      "Stopped before any audio arrived on standard input."
    case .readFailed(let seconds, let reason):
      "Reading standard input failed after \(tenths(seconds)) s (\(reason)). The session ends."
    case .outputClosed(let seconds):
      "The reader of standard output closed it after \(tenths(seconds)) s. The session ends."
    case .writeFailed(let seconds, let reason):
      "Writing standard output failed after \(tenths(seconds)) s (\(reason)). The session ends."
    case .noThread:
      "The thread for standard input and output could not be created. Stop other programs and try "
        + "again."
    }
  }

  /// Returns the system's words for an error number.
  static func reason(_ number: Int32) -> String {
    let words = String(cString: strerror(number)).lowercased()
    // This program uses no descriptor after it has closed it.
    return number == EBADF ? "\(words); a plugin may have closed it" : words
  }

  /// The first bytes of other audio files: FLAC, AIFF, Ogg, AU, CAF, WavPack, big-endian WAV.
  private static let otherFiles: Set<String> = [
    "\"fLaC\"", "\"FORM\"", "\"OggS\"", "\".snd\"", "\"caff\"", "\"wvpk\"", "\"RIFX\"",
  ]

  /// Whether the request was wrong and nothing was started, instead of the rendering having failed.
  package var isUsageError: Bool {
    switch self {
    case .readFailed, .outputClosed, .writeFailed, .noThread, .interrupted: false
    default: true
    }
  }
}

/// Returns seconds with one decimal.
private func tenths(_ seconds: Double) -> String {
  let tenths = Int((seconds * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}

extension PipeError: HostError {
  /// Whether the user, the request or the rendering is the cause.
  package var kind: ErrorKind {
    self == .interrupted ? .interrupted : isUsageError ? .usage : .failure
  }
}
