// AnnouncementArguments.swift: the option to announce a session. SPDX-License-Identifier: MIT

import ArgumentParser
import HostModel
import OSC
import ServiceDiscovery
import WebServer

/// The option to announce a session in the local network.
struct AnnouncementArguments: ParsableArguments {
  @Flag(help: "Announce --osc and --http in the network (zeroconf).")
  var announce = false

  /// Returns the interface that announces the servers; nil if that is not requested.
  func kind(_ web: PreparedWebServer?, _ osc: PreparedOSCServer?) -> HostInterfaceKind? {
    guard announce else { return nil }
    var services: [ServiceAnnouncer.Service] = []
    if let osc {
      services = [.init("_osc._udp", port: osc.port), .init("_oscjson._tcp", port: osc.port)]
    }
    if let web { services.append(.init("_http._tcp", port: web.port)) }
    return ServiceAnnouncer.kind(services)
  }

  /// Checks that there is something that other devices can reach.
  func check(_ web: PreparedWebServer?, _ osc: PreparedOSCServer?) throws {
    guard announce, web?.isLoopback ?? true, osc?.isLoopback ?? true else { return }
    throw ValidationError(
      "--announce needs a server that other devices can reach. Add --osc lan or --http lan.")
  }
}
