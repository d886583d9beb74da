// Interfaces.swift: the interfaces of this program. SPDX-License-Identifier: MIT

import Control
import HostModel
import OSC
import WebServer

extension RunCommand {
  /// The interfaces of a session, one entry per kind.
  func interfaces(
    _ web: PreparedWebServer?, _ osc: PreparedOSCServer?, _ restart: SessionRestart?
  ) -> [HostInterfaceKind] {
    var kinds = [ControlServer.kind]
    if let web { kinds.append(web.kind) }
    if let osc { kinds.append(osc.kind) }
    if let announcer = announcementArguments.kind(web, osc) { kinds.append(announcer) }
    let manager = SessionManagerClient.kind(
      continues: restart?.record != nil, keeping: restart?.managed ?? ManagedSession())
    if let manager { kinds.append(manager) }
    if events != nil { kinds.append(JSONEventPrinter.kind(showsMeters: meters)) }
    return kinds
  }
}
