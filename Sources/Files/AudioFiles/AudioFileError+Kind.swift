// AudioFileError+Kind.swift: which faults of files are the request's. SPDX-License-Identifier: MIT

package import ErrorModel

extension AudioFileError: HostError {
  /// Whether the request or the work was at fault.
  package var kind: ErrorKind { isUsageError ? .usage : .failure }

  /// Whether the request was wrong and nothing was started, instead of reading or writing having
  /// failed.
  package var isUsageError: Bool {
    switch self {
    case .readFailed, .diskFull, .writeFailed, .tooLong, .notWritable: false
    default: true
    }
  }
}
