// TopCommand.swift: the command `top`. SPDX-License-Identifier: MIT

import Glibc
import HostModel
import PluginModel
import RenderGraph
import Session

/// Reports the cost of each node since the last call.
struct TopCommand: HostCommand {
  func apply(_: Void, in host: Host) -> Reply {
    Reply(
      .nodeLoads(
        host.session.nodeLoads().map { node in
          NodeLoadInfo(
            name: node.name, plugin: node.plugin, mean: node.mean * 100,
            p99: node.percentile * 100, worst: node.maximum * 100,
            peak: node.peak > 0 && node.peak.isFinite ? 20 * log10(Double(node.peak)) : nil,
            latency: node.latencyFrames, faults: node.faultCount, lastFault: node.lastFault?.word,
            isolation: node.isolation == .off ? nil : node.isolation.text,
            isolationReason: node.isolationReason?.word, sandbox: node.isSandboxed ? true : nil)
        }))
  }
}
