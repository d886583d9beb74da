// AudioFileError+Request.swift: file errors that are errors of the request. SPDX-License-Identifier: MIT

package import AudioFiles

extension AudioFileError {
  /// Whether the request was wrong and nothing was started.
  ///
  /// Otherwise the operation itself failed.
  package var isRequestWrong: Bool {
    switch self {
    case .readFailed, .diskFull, .writeFailed, .tooLong, .notWritable: false
    default: true
    }
  }
}
