// Command+Encoding.swift: from a command to a line. SPDX-License-Identifier: MIT

extension CommandMessage {
  /// The command on one line, without a line break at its end.
  package var line: String { json.line }

  /// The command as a JSON object.
  package var json: JSONValue {
    .object(of: [("command", .string(command.name.rawValue)), ("id", id)] + command.members)
  }
}

extension Command {
  fileprivate var members: [(String, JSONValue?)] {
    func text(_ value: String?) -> JSONValue? { value.map(JSONValue.string) }
    switch self {
    case .status, .undo, .redo, .top, .unsubscribe, .rigs: return []
    case .set(let set):
      return [
        ("node", set.node.isEmpty ? nil : text(set.node)), ("values", SetValues.json(set.values)),
        ("directory", text(set.directory)), ("over", set.over.map(JSONValue.number)),
      ]
    case .load(let load): return [("file", text(load.file))]
    case .save(let save): return [("file", text(save.file)), ("force", .bool(save.force))]
    case .insert(let insert):
      return insert.plugin.members + [("name", text(insert.name))]
        + (insert.position.map { [$0.member] } ?? [])
    case .remove(let remove): return [("node", text(remove.node))]
    case .move(let move): return [("node", text(move.node)), move.position.member]
    case .replace(let replace): return [("node", text(replace.node))] + replace.plugin.members
    case .scene(.list): return []
    case .scene(.recall(let name, let over)):
      return [("scene", text(name)), ("over", over.map(JSONValue.number))]
    case .scene(.store(let name)): return [("scene", text(name)), ("store", .bool(true))]
    case .scene(.step(let step)): return [("step", text(step < 0 ? "previous" : "next"))]
    case .learn(let learn): return learn.members
    case .map(let map): return map.members
    case .transport(let transport): return transport.members
    case .record(let record):
      return [
        ("node", text(record.node)), ("action", text(record.action?.word)),
        ("text", text(record.action?.text)),
      ]
    case .play(let play):
      return [
        ("node", text(play.node)), ("action", text(play.action?.word)),
        ("text", text(play.action?.text)),
      ]
    case .meters(let meters): return [("reset", .bool(meters.reset))]
    case .blackBox(let box): return [("file", text(box.directory))]
    case .subscribe(let subscribe):
      let kinds = subscribe.events?.map { JSONValue.string($0.rawValue) }
      return [
        ("events", kinds.map(JSONValue.array)),
        ("revision", subscribe.revision.map { .integer(Int(clamping: $0)) }),
        ("levels", subscribe.levels.map(JSONValue.integer)),
      ]
    case .acknowledge(let sequence): return [("sequence", .integer(sequence))]
    case .plugins(let plugins):
      return [("query", text(plugins.query)), ("limit", plugins.limit.map(JSONValue.integer))]
    case .plugin(let name): return [("plugin", text(name))]
    case .files(let files): return [("directory", text(files.directory))]
    }
  }
}

extension Command {
  /// Lists plugins.
  package struct Plugins: Sendable, Equatable {
    /// Search terms for the purpose of the plugins; nil for all plugins.
    package var query: String?
    /// The maximum number of plugins; nil for all.
    package var limit: Int?

    /// All plugins, or those for a purpose.
    package init(query: String? = nil, limit: Int? = nil) {
      (self.query, self.limit) = (query, limit)
    }

    /// The time of a search grows with its length.
    private static let longestQuery = 200

    init(_ reader: inout ObjectReader) throws(ProtocolError) {
      query = try reader.string("query")
      guard (query?.utf8.count ?? 0) <= Self.longestQuery else {
        throw .type(key: "query", expected: "a text of at most \(Self.longestQuery) bytes")
      }
      limit = try reader.count("limit").map { Int(clamping: $0) }
    }
  }

  /// Lists a directory.
  package struct Files: Sendable, Equatable {
    /// The absolute path; nil for the home directory of the user.
    package var directory: String?

    /// A directory by its path.
    package init(directory: String? = nil) { self.directory = directory }
  }
}

extension Command.Subscribe {
  /// How many times a second levels can be sent.
  package static let levelRange = 1 ... 30

  /// Reads `levels`; nil if it is missing.
  static func levels(_ reader: inout ObjectReader) throws(ProtocolError) -> Int? {
    guard let value = reader.take("levels") else { return nil }
    guard case .integer(let count) = value, levelRange ~= count else {
      throw .type(
        key: "levels",
        expected: "a whole number from \(levelRange.lowerBound) to \(levelRange.upperBound)")
    }
    return count
  }
}
