// AudioFileWriter+Failure.swift: why a write failed. SPDX-License-Identifier: MIT

import CSndFile
import Glibc

extension AudioFileWriter {
  /// The errno value of the first write that failed; 0 if none did. [any one thread]
  package var failureNumber: Int32 { output.failure }

  func failure() -> AudioFileError {
    let number = output.failure
    if [ENOSPC, EDQUOT, EFBIG].contains(number), output.isGrowing {
      return .diskFullWhileRecording(path: path, seconds: seconds, reason: errorMessage(number))
    }
    if (number == ENOSPC || number == EDQUOT) && output.isFile {
      return .diskFull(path: path, seconds: seconds, keepsOther: output.hasOther)
    }
    let reason = unsafe number == 0 ? String(cString: sf_strerror(handle)) : errorMessage(number)
    return .writeFailed(path: path, seconds: seconds, reason: reason)
  }
}
