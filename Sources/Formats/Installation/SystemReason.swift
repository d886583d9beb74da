// SystemReason.swift: the reason of a failed file operation. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The operating system's reason in an error of a file operation.
package enum SystemReason {
  /// Returns the reason as the middle of a message, for example "No space left on device". [any]
  package static func text(_ error: any Error) -> String {
    if let error = error as? POSIXError {
      return unsafe String(cString: strerror(error.code.rawValue))
    }
    guard let error = error as? CocoaError else { return "a file could not be written or copied" }
    if let inner = error.underlying { return text(inner) }
    switch error.code {
    case .fileWriteOutOfSpace: return unsafe String(cString: strerror(ENOSPC))
    case .fileWriteNoPermission, .fileReadNoPermission:
      return unsafe String(cString: strerror(EACCES))
    case .fileWriteVolumeReadOnly: return unsafe String(cString: strerror(EROFS))
    case .fileNoSuchFile, .fileReadNoSuchFile: return unsafe String(cString: strerror(ENOENT))
    case .fileWriteFileExists: return unsafe String(cString: strerror(EEXIST))
    default: return "a file could not be written or copied"
    }
  }
}
