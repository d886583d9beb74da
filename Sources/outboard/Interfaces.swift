// Interfaces.swift: the interfaces of this program. SPDX-License-Identifier: MIT

import Control
import HostModel

extension RunCommand {
  /// The interfaces of a session, one entry per kind.
  var interfaces: [HostInterfaceKind] {
    var kinds = [ControlServer.kind]
    if events != nil { kinds.append(JSONEventPrinter.kind(showsMeters: meters)) }
    return kinds
  }
}
