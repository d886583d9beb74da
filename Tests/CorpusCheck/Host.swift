// Host.swift: the program that validates the plugins. SPDX-License-Identifier: MIT

import Foundation

/// A plugin in the output of `outboard list`.
struct ListedPlugin: Decodable {
  struct Port: Decodable {
    let symbol: String
  }

  struct Parameter: Decodable {
    let symbol: String
    let `default`: Float
  }

  let id: String
  let location: String
  let audioInputs: [Port]
  let audioOutputs: [Port]
  let parameters: [Parameter]
  let requiredFeatures: [String]

  /// Whether the plugin outputs audio for an audio input.
  var hasAudioInAndOut: Bool { !audioInputs.isEmpty && !audioOutputs.isEmpty }
}

/// `outboard` with the plugins of some directories and a separate cache.
struct Host {
  private let program: String
  /// The differences from the environment of this process.
  let environment: [String: String]

  init(_ program: String, directories: [String], cache: String) {
    self.program = program
    environment = [
      "LV2_PATH": directories.joined(separator: ":"), "XDG_CACHE_HOME": cache,
      // No display, as on the machine of the table.
      "DISPLAY": "", "WAYLAND_DISPLAY": "",
    ]
  }

  private struct Checked: Decodable {
    struct Examination: Decodable {
      struct Remark: Decodable {
        let severity: String
        let message: String
      }
      let messages: [Remark]
    }
    let id: String
    let rating: String
    let reason: String?
    let tests: [Examination]
  }

  /// Plugins by the package that their bundle belongs to.
  func plugins(of packages: InstalledPackages) throws -> [String: [ListedPlugin]] {
    let (status, text) = try Tool.run(
      [program, "list", "--kind", "lv2", "--json"], environment: environment)
    guard status == 0 else { throw CorpusFault("`outboard list` ended with status \(status).") }
    let listed = try JSONDecoder().decode([ListedPlugin].self, from: Data(text.utf8))
    var plugins: [String: [ListedPlugin]] = [:]
    for plugin in listed {
      let directory = URL(filePath: plugin.location).standardizedFileURL.path(percentEncoded: false)
      let bundle = directory.hasSuffix("/") ? String(directory.dropLast()) : directory
      if let owner = packages.owners[bundle] { plugins[owner, default: []].append(plugin) }
    }
    return plugins
  }

  /// Returns the results of a package's plugins, all in one run, which must survive every one of
  /// them.
  func check(_ identifiers: [String], of package: String) throws -> [Row] {
    let (status, text) = try Tool.run(
      [program, "validate", "--quick", "--json"] + identifiers,
      environment: environment)
    guard status == 0 || status == 1 else {
      throw CorpusFault(
        "`outboard validate` ended with status \(status) at the package \(package).")
    }
    return try JSONDecoder().decode([Checked].self, from: Data(text.utf8)).map {
      try row($0, package)
    }
  }

  private func row(_ checked: Checked, _ package: String) throws -> Row {
    let outcome: Outcome
    switch checked.rating {
    case "ok": outcome = .hosted
    case "faulty": outcome = .faulty
    case "unusable": outcome = .refused
    case "crashes": outcome = .crashes
    default: throw CorpusFault("\(checked.id) is \(checked.rating), which no quick check says.")
    }
    let remarks = checked.tests.flatMap(\.messages)
    let notes = remarks.filter { $0.severity == "note" }.map {
      Sentence.withoutSituation($0.message)
    }
    let faults = remarks.filter { $0.severity != "note" }.map(\.message)
    // Notes count if there is nothing worse.
    let reported = checked.reason.map { [$0] } ?? (faults.isEmpty ? notes : faults)
    return Row(
      identifier: checked.id, package: package, outcome: outcome,
      reason: reported.map(Sentence.lasting).joined(separator: " "))
  }
}
