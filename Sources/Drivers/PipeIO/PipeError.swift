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
  /// The header says something that no sound can be.
  case impossible(what: String)
  /// A header where bare samples were promised.
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
      "Standard input is a terminal; pipe sound into it, as in `arecord -f cd -t wav | outboard run ...`,"
        + " or redirect a file to it."
    case .outputIsTerminal:
      "Standard output is a terminal, which shows no sound; pipe it on, as in"
        + " `outboard run ... | aplay`, or redirect it to a file."
    case .inputEmpty:
      "Standard input ended before there was any sound; see what the program before the pipe says."
    case .unreadable(let reason):
      "Standard input cannot be read (\(reason)); pipe sound into it, or redirect a file to it."
    case .notWave(let beginning) where Self.otherFiles.contains(beginning):
      "Standard input is no WAV: it begins with \(beginning); put `ffmpeg -i - -f wav -` before `outboard"
        + " run`, which reads WAV and bare samples as they come. `outboard render` reads files of other kinds, too."
    case .notWave(let beginning):
      "Standard input is no WAV: it begins with \(beginning); have the program before the pipe write WAV,"
        + " or say what bare samples are, as in --raw 48000:2:S16."
    case .headerCut:
      "Standard input ended within its WAV header; see what the program before the pipe says."
    case .impossible(let what):
      "The WAV header on standard input says \(what), which cannot be played; have the program before the"
        + " pipe write integers of 8 to 32 bits or floating point."
    case .headerBeforeSamples:
      "Standard input begins with a WAV header, which says what follows; leave --raw out."
    case .formatNotOffered(let format):
      "Standard output cannot have \(format) samples; s16, s24, s32, float and double can be written."
    case .interrupted:
      "The end was asked for before there was any sound on standard input."
    case .readFailed(let seconds, let reason):
      "Reading standard input failed after \(tenths(seconds)) s (\(reason)); the run ends."
    case .outputClosed(let seconds):
      "Standard output was closed by its reader after \(tenths(seconds)) s; the run ends."
    case .writeFailed(let seconds, let reason):
      "Writing standard output failed after \(tenths(seconds)) s (\(reason)); the run ends."
    case .noThread:
      "The system gave no thread for standard input and output; end some programs and try again."
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
