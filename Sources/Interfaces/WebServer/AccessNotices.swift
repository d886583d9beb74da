// AccessNotices.swift: the notices about web clients. SPDX-License-Identifier: MIT

import ErrorModel

extension HostNotice {
  /// A client has no access.
  static func clientRefused(_ address: String) -> HostNotice {
    HostNotice(
      "clientRefused", "A client at {address} sent a wrong token or pairing code.", address)
  }

  /// A client has sent too many wrong tokens.
  static func clientBlocked(_ address: String) -> HostNotice {
    HostNotice(
      "clientBlocked",
      "The client at {address} sent {count} wrong tokens or codes. It is blocked for {seconds} s.",
      address, "\(AttemptLimiter.maximumCount)", "\(Int(AttemptLimiter.windowSeconds))")
  }

  /// The code to pair a device was guessed too often.
  static func pairingCodeReplaced(by code: String) -> HostNotice {
    HostNotice(
      "pairingCodeReplaced", "Too many wrong pairing codes. The new code is {code}.", code)
  }

  /// A device was paired.
  static func devicePaired(_ device: String, at address: String, nextCode: String) -> HostNotice {
    HostNotice(
      "devicePaired", "Paired {device} at {address}. The code for the next device is {code}.",
      device, address, nextCode)
  }
}
