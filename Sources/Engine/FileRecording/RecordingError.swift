// RecordingError.swift: what a recorder cannot do, each as one sentence. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why a recorder does not do what it is asked.
package enum RecordingError: Equatable {
  /// A word in a file's name stands for nothing.
  case unknownWord(path: String, word: String)
  /// The next take would have the name of one that is there.
  case nameTaken(path: String)
  /// It is to be started, and records.
  case underWay(path: String)
  /// It is to be paused, and is.
  case paused(path: String)
  /// It is to go on, and does.
  case notPaused(path: String)
  /// There is nothing to stop, to pause or to mark.
  case nothingUnderWay

  package var description: String {
    switch self {
    case .unknownWord(let path, let word):
      "\(path) has %\(word) in its name, which stands for nothing; there is"
        + " \(TakeFileName.words.dropLast().map { "%\($0)" }.joined(separator: ", ")) and"
        + " %\(TakeFileName.words.last ?? ""), and %% is a percent sign."
    case .nameTaken(let path):
      "\(path) is there already, and a recording is never put over another file; with %take in its"
        + " name, as in take-%take.wav, each take has a number of its own."
    case .underWay(let path): "\(path) is being recorded already; stop it first."
    case .paused(let path): "\(path) is paused already."
    case .notPaused(let path): "\(path) is not paused."
    case .nothingUnderWay: "nothing is being recorded."
    }
  }
}

extension RecordingError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}
