// FileLimit.swift: the number of files that this process may open. SPDX-License-Identifier: MIT

internal import Glibc

/// The limit of open files of this process and of those that it starts.
package enum FileLimit {
  /// More would make programs slow that close all numbers up to the limit.
  private static let sufficient: rlim_t = 16_384

  /// Raises the limit to 16,384, or to the maximum of the user if that is lower. [any]
  ///
  /// Each worker process needs three files, and the usual limit is 1,024.
  /// - Returns: the limit.
  @discardableResult
  package static func raise() -> Int {
    var limit = rlimit()
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(files, &limit) == 0 else { return 0 }
    let wanted = min(limit.rlim_max, sufficient)
    if limit.rlim_cur < wanted {
      limit.rlim_cur = wanted
      _ = unsafe setrlimit(files, &limit)
    }
    return Int(min(limit.rlim_cur, sufficient))
  }
}
