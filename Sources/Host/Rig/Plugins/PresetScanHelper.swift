// PresetScanHelper.swift: presets, read where a broken bundle does no harm. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import LV2Host
import PluginCatalogue
import PluginModel

/// Reads a plugin's presets in a child process.
///
/// Presets may be in any bundle, so all of them have to be looked into, and one that aborts or hangs
/// while it is read would take this process with it.
package enum PresetScanHelper {
  /// The hidden first argument with which the program starts as this child.
  package static let argument = "--helper-preset"
  private static let patienceSeconds = 20.0

  /// What the child is asked.
  struct Request: Codable {
    let plugin: String
    let home: String
    let bundles: [String]
  }

  /// Answers the request with the presets, and ends. [main, in the child]
  package static func run() -> Never {
    HelperRequest.serve { question in
      guard
        let request = try? JSONDecoder().decode(Request.self, from: Data(question.utf8)),
        let presets = try? LV2Presets.find(
          of: request.plugin, home: request.home, in: request.bundles),
        let answer = try? JSONEncoder().encode(presets)
      else { return nil }
      return String(decoding: answer, as: UTF8.self)
    }
  }

  /// The presets that were asked for; nil if the child did not come back with them in time. [main]
  static func presets(_ request: Request, by command: ChildCommand) -> [PluginPreset]? {
    if command.isInProcess {
      return try? LV2Presets.find(of: request.plugin, home: request.home, in: request.bundles)
    }
    guard let question = try? JSONEncoder().encode(request),
      let answer = HelperRequest.answer(
        to: String(decoding: question, as: UTF8.self), argument: argument, by: command,
        withinSeconds: patienceSeconds)
    else { return nil }
    return try? JSONDecoder().decode([PluginPreset].self, from: Data(answer.utf8))
  }
}
