// PresetScanHelper.swift: reads presets in a helper process. SPDX-License-Identifier: MIT

internal import PluginCatalogue
internal import PluginModel

/// Reads the presets of a plugin in a helper process.
///
/// Any bundle can contain presets, so all bundles are read. A bundle that crashes or hangs the reader does not affect
/// this process.
enum PresetScanHelper {
  /// The hidden first argument of this helper process.
  static let argument = "--helper-preset"
  private static let timeoutSeconds = 20.0
  /// Between the texts of a message.
  private static let separator: Character = "\0"

  /// The request.
  struct Request {
    let plugin: String
    let home: String
    let bundles: [String]
  }

  /// Answers the request with the presets, and exits. [main, in the child]
  static func run() -> Never {
    HelperRequest.serve { question in
      let words = question.split(separator: separator, omittingEmptySubsequences: false)
        .map(String.init)
      guard words.count >= 2,
        let presets = try? LV2Presets.find(
          of: words[0], home: words[1], in: Array(words.dropFirst(2)))
      else { return nil }
      return presets.flatMap(\.texts).joined(separator: String(separator))
    }
  }

  /// Returns the presets; nil if the helper process did not answer in time. [main]
  static func presets(_ request: Request, by command: ChildCommand) -> [PluginPreset]? {
    if command.isInProcess {
      return try? LV2Presets.find(of: request.plugin, home: request.home, in: request.bundles)
    }
    let question = [request.plugin, request.home] + request.bundles
    let answer = HelperRequest.answer(
      to: question.joined(separator: String(separator)), argument: argument, by: command,
      withinSeconds: timeoutSeconds)
    guard let answer else { return nil }
    guard !answer.isEmpty else { return [] }
    let words = answer.split(separator: separator, omittingEmptySubsequences: false)
      .map(String.init)
    let count = PluginPreset.textCount
    guard words.count % count == 0 else { return nil }
    return stride(from: 0, to: words.count, by: count).map {
      PluginPreset(texts: words[$0 ..< $0 + count])
    }
  }
}

extension PluginPreset {
  fileprivate static let textCount = 5

  /// The preset in a message; the texts of a bank are empty if it has none.
  fileprivate var texts: [String] {
    [identifier, name, location, bank?.identifier ?? "", bank?.name ?? ""]
  }

  fileprivate init(texts: ArraySlice<String>) {
    let texts = Array(texts)
    let bank = texts[3].isEmpty ? nil : Bank(identifier: texts[3], name: texts[4])
    self.init(identifier: texts[0], name: texts[1], bank: bank, location: texts[2])
  }
}
