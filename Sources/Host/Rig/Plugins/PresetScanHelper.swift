// PresetScanHelper.swift: reads presets in a helper process. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import LV2Host
import PluginCatalogue
import PluginModel

/// Reads the presets of a plugin in a helper process.
///
/// Any bundle can contain presets, so all bundles are read. A bundle that crashes or hangs the reader does not affect
/// this process.
package enum PresetScanHelper {
  /// The hidden first argument of this helper process.
  package static let argument = "--helper-preset"
  private static let patienceSeconds = 20.0

  /// The request.
  struct Request: Codable {
    let plugin: String
    let home: String
    let bundles: [String]
  }

  /// Answers the request with the presets, and exits. [main, in the child]
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

  /// Returns the presets; nil if the helper process did not answer in time. [main]
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
