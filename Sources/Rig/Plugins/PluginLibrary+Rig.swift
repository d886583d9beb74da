// PluginLibrary+Rig.swift: the plugins that a rig names. SPDX-License-Identifier: MIT

import AudioFiles
import Builtins
package import PluginModel
import Recording

extension PluginLibrary {
  /// Describes every node of a rig, in its order. [main]
  ///
  /// - Throws: `ManifestError` with every node whose plugin is not there, each in its place.
  package func find(nodesOf rig: RigDescription) throws(ManifestError) -> [PluginDescription] {
    var found: [PluginDescription] = []
    var findings: [ManifestFinding] = []
    for node in rig.nodes {
      do {
        found.append(try find(node, in: rig))
      } catch let mistake as Mistake {
        findings.append(mistake.finding(in: node.origin?.file ?? rig.file))
      } catch {
        findings.append(
          Mistake(
            position: node.sourcePosition, keyPath: "\(node.keyPath).plugin",
            fault: .reported(sentence: "\(error)")
          ).finding(in: node.origin?.file ?? rig.file))
      }
    }
    guard findings.isEmpty else { throw ManifestError(findings) }
    return found
  }

  private func find(_ node: RigNode, in rig: RigDescription) throws -> PluginDescription {
    switch node.source {
    case .plugin(let name):
      return try find(Self.isPath(name) ? rig.path(name, in: node.origin?.file) : name)
    case .builtin(RecordingRequest.word): return try recorder(node, in: rig).plugin
    case .builtin(let word):
      guard let builtin = Builtin(rawValue: word) else {
        let known = Builtin.allCases.map(\.rawValue) + [RecordingRequest.word]
        throw Mistake(
          position: node.sourcePosition, keyPath: "\(node.keyPath).builtin",
          fault: .unknownWord(
            found: word, suggestion: nearest(to: word, among: known), known: known))
      }
      var count = 2
      for setting in node.settings {
        guard setting.key == "channels" else {
          let known = ["builtin", "channels", "parameters"]
          throw Mistake(setting, of: node, .unknownKey(suggestion: nil, known: known))
        }
        count = try channelCount(setting, of: node, Builtin.channelCounts)
      }
      return builtin.description(channelCount: count)
    }
  }

  /// What a recorder is asked to write; whether the file can be begun is seen when it is.
  private func recorder(
    _ node: RigNode, in rig: RigDescription
  ) throws -> RecordingRequest {
    var request = RecordingRequest(path: "", channelCount: 2)
    for setting in node.settings {
      switch setting.key {
      case "file": request.path = rig.path(setting.text, in: node.origin?.file)
      case "channels":
        request.channelCount = try channelCount(setting, of: node, RecordingRequest.channelCounts)
      case "format":
        guard let format = SampleFormat(rawValue: setting.text.lowercased()) else {
          let known = SampleFormat.allCases.map(\.rawValue)
          let suggestion = nearest(to: setting.text.lowercased(), among: known)
          throw Mistake(
            setting, of: node,
            .unknownWord(found: setting.text, suggestion: suggestion, known: known))
        }
        request.format = format
      default:
        let known = ["builtin", "file", "channels", "format"]
        throw Mistake(setting, of: node, .unknownKey(suggestion: nil, known: known))
      }
    }
    guard !request.path.isEmpty else {
      throw Mistake(
        position: node.sourcePosition, keyPath: node.keyPath,
        fault: .reported(
          sentence: "A recorder needs a file to write; add one, as in file: take.wav."))
    }
    do throws(AudioFileError) {
      try request.checkKind()
    } catch {
      throw Mistake(
        position: node.sourcePosition, keyPath: "\(node.keyPath).file",
        fault: .reported(sentence: "\(error)"))
    }
    return request
  }

  private func channelCount(
    _ setting: RigSetting, of node: RigNode, _ range: ClosedRange<Int>
  ) throws -> Int {
    guard let number = Int(setting.text), range ~= number else {
      throw Mistake(
        setting, of: node,
        .outOfRange(
          found: setting.text, least: "\(range.lowerBound)", greatest: "\(range.upperBound)"))
    }
    return number
  }

  /// What is wrong with one key of a node.
  struct Mistake: Error {
    let position: SourcePosition
    let keyPath: String
    let fault: ManifestFault

    init(position: SourcePosition, keyPath: String, fault: ManifestFault) {
      (self.position, self.keyPath, self.fault) = (position, keyPath, fault)
    }

    init(_ setting: RigSetting, of node: RigNode, _ fault: ManifestFault) {
      self.init(
        position: setting.position, keyPath: "\(node.keyPath).\(setting.key)", fault: fault)
    }

    func finding(in file: String) -> ManifestFinding {
      ManifestFinding(file: file, position: position, keyPath: keyPath, fault: fault)
    }
  }
}
