// OSCNotices.swift: the notices of OSC and of session managers. SPDX-License-Identifier: MIT

import ErrorModel

extension HostNotice {
  /// A client has sent bytes that are not a packet.
  static func oscPacketMalformed(_ client: String, _ error: any Error) -> HostNotice {
    HostNotice(
      "oscPacketMalformed",
      "The OSC client at {client} sent a malformed packet: {error}. It was ignored.", client,
      error: error)
  }

  /// The session runs without the session manager.
  static func sessionManagerMissing(_ error: SessionManagerError) -> HostNotice {
    HostNotice("sessionManagerMissing", "{error}", error: error)
  }

  /// The session manager has opened the session.
  static func sessionManaged(in path: String) -> HostNotice {
    HostNotice("sessionManaged", "The session manager keeps this session in {path}.", path)
  }

  /// A request of the session manager has failed.
  static func managerRequestFailed(_ error: any Error) -> HostNotice {
    HostNotice(
      "managerRequestFailed", "The request of the session manager has failed. {error}",
      error: error)
  }
}
