// ImportError.swift: why a project cannot be imported. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why a project of another host cannot be imported.
package enum ImportError: Error, Equatable {
  /// No format matches the content.
  case unknownFormat(path: String)
  /// The file is a rig.
  case isRig(path: String)
  /// A directory without a project.
  case emptyDirectory(path: String)
  /// Longer than any project.
  case tooLarge(path: String, limitBytes: Int)
  /// The text breaks the rules of its syntax; `line` is counted from 1.
  case syntax(path: String, line: Int, syntax: String, problem: String)
  /// Written by a later version, whose format is unknown.
  case newerVersion(path: String, host: String, found: String, known: String)
  /// Several projects or presets; the candidates are their paths or names.
  case several(path: String, what: String, candidates: [String])
  /// The project contains nothing that a rig can contain.
  case nothing(path: String, format: String)
  /// More nodes than a rig may have.
  case tooManyNodes(path: String, limit: Int)

  /// The number of candidates in a message.
  private static let listedCount = 5

  private static func article(_ format: String) -> String {
    format.hasPrefix("LV2") || format.first.map("AEIOUaeiou".contains) == true ? "an" : "a"
  }

  /// The message for users. [any]
  package var description: String {
    switch self {
    case .unknownFormat(let path):
      "\(path) is not a project that Outboard can import. It imports projects and presets of Carla,"
        + " LV2, mod-host, MOD, EasyEffects, PipeWire and ecasound."
    case .isRig(let path):
      "\(path) is a rig already. Run it with `outboard run --rig \(path)`."
    case .emptyDirectory(let path):
      "\(path) contains no LV2 preset, LV2 state or MOD pedalboard. Name the file of the project."
    case .tooLarge(let path, let limit):
      "\(path) is larger than \(limit / 1_000_000) MB, the limit for a project. Check the file name."
    case .syntax(let path, let line, let syntax, let problem):
      "\(path):\(line): this is not valid \(syntax): \(problem). Save the project again."
    case .newerVersion(let path, let host, let found, let known):
      "\(path) was written by \(host) \(found), and only versions up to \(known) can be imported."
        + " Save it with an older version."
    case .several(let path, let what, let candidates):
      "\(path) contains \(candidates.count) \(what): "
        + candidates.listed(atMost: Self.listedCount)
        + ". Name the file of one."
    case .nothing(let path, let format):
      "\(path) is \(Self.article(format)) \(format) without plugins, so there is nothing to import. Check the file name."
    case .tooManyNodes(let path, let limit):
      "\(path) has more than \(limit) plugins, the limit of a rig. Split the project."
    }
  }
}

extension ImportError: HostError {
  /// An empty project is a failure; all others are errors of the request.
  package var kind: ErrorKind {
    switch self {
    case .nothing: .failure
    default: .usage
    }
  }
}
