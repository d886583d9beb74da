// AnnouncerNotices.swift: the notices about the announcement of a session. SPDX-License-Identifier: MIT

import ErrorModel

extension HostNotice {
  /// A program is not installed.
  static var announcerMissing: HostNotice {
    HostNotice(
      "announcerMissing",
      "The session is not announced because avahi-publish was not found. Install avahi-utils.")
  }

  /// A program has ended.
  static var announcerEnded: HostNotice {
    HostNotice(
      "announcerEnded",
      "The session is not announced because avahi-publish has ended. Check that avahi-daemon is running."
    )
  }
}
