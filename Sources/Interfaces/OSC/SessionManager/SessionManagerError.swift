// SessionManagerError.swift: why a session has no session manager. SPDX-License-Identifier: MIT

import ErrorModel
import PluginModel

/// Why a session runs without the session manager that the environment names.
enum SessionManagerError: HostError, Equatable {
  /// `NSM_URL` is not an address.
  case notAnAddress(String)
  /// The address cannot be reached.
  case unreachable(url: String, reason: String)
  /// The manager has not answered for some seconds.
  case silent(url: String, seconds: Int)
  /// The manager does not accept the session.
  case refused(message: String)

  var kind: ErrorKind {
    if case .notAnAddress = self { .usage } else { .failure }
  }

  var description: String {
    switch self {
    case .notAnAddress(let text):
      "NSM_URL=\(text.visible) is not the address of a session manager, such as osc.udp://localhost:14143/. Unset NSM_URL."
    case .unreachable(let url, let reason):
      "The session manager at \(url) cannot be reached (\(reason)). The session runs without it."
    case .silent(let url, let seconds):
      "The session manager at \(url) has not answered within \(seconds) s. The session runs without it."
    case .refused(let message):
      "The session manager does not accept this session (\(message)). The session runs without it."
    }
  }
}
