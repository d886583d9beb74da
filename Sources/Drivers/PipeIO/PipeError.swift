// PipeError.swift: what can be wrong with standard input and output, each as one sentence. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why sound cannot come in, or go out, through a stream.
package enum PipeError: Equatable {
  /// A person would have to type the sound.
  case inputIsTerminal
  /// Nobody wants to see samples.
  case outputIsTerminal
  /// It was closed, or ended at once.
  case inputEmpty
  /// The system refuses to read it.
  case unreadable(reason: String)
  /// It begins with something else than a WAV header.
  case notWave(beginning: String)
  /// It ended within its header.
  case headerCut
  /// The header declares an impossible format.
  case impossible(what: String)
  /// A WAV header where raw PCM was declared.
  case headerBeforeSamples
  /// Standard output as WAV has other formats.
  case formatNotOffered(format: String)
  /// The end was asked for before there was any sound.
  case interrupted
  /// Reading failed on the way.
  case readFailed(seconds: Double, reason: String)
  /// Who read standard output closed it.
  case outputClosed(seconds: Double)
  /// Writing failed on the way.
  case writeFailed(seconds: Double, reason: String)
  /// The system gave no thread.
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

  /// How sound files of other kinds begin: FLAC, AIFF, Ogg, AU, CAF, WavPack, big-endian WAV.
  private static let otherFiles: Set<String> = [
    "\"fLaC\"", "\"FORM\"", "\"OggS\"", "\".snd\"", "\"caff\"", "\"wvpk\"", "\"RIFX\"",
  ]

  /// Whether the request was wrong and nothing was started, rather than the work having failed.
  package var isRequestWrong: Bool {
    switch self {
    case .readFailed, .outputClosed, .writeFailed, .noThread, .interrupted: false
    default: true
    }
  }
}

/// Seconds with one decimal.
private func tenths(_ seconds: Double) -> String {
  let tenths = Int((seconds * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}

extension PipeError: HostError {
  /// Whether the user, the request or the work has ended it.
  package var kind: ErrorKind {
    self == .interrupted ? .interrupted : isRequestWrong ? .usage : .failure
  }
}
