// Command+Decoding.swift: from a line to a command. SPDX-License-Identifier: MIT

extension CommandMessage {
  /// Parses a command from a line of JSON.
  ///
  /// - Throws: the first error in the line.
  package init(line: some Sequence<UInt8>) throws(ProtocolError) {
    let value: JSONValue
    do {
      value = try JSONParser.parse(Array(line))
    } catch {
      if case .duplicateKey(let key) = error { throw .duplicateKey(key) }
      throw .notACommand
    }
    try self.init(json: value)
  }

  /// Returns the identifier in a line that is not a valid command, for the error reply; nil if there is none.
  package static func identifier(in line: some Sequence<UInt8>) -> JSONValue? {
    switch (try? JSONParser.parse(Array(line)))?["id"] {
    case .string(let text)?: .string(text)
    case .integer(let number)?: .integer(number)
    default: nil
    }
  }

  /// Reads a JSON object.
  package init(json: JSONValue) throws(ProtocolError) {
    guard case .object(let members) = json else { throw .notACommand }
    var reader = ObjectReader(members)
    if let version = reader.take("protocol"), version != .integer(Protocol.version) {
      throw .version(version.line)
    }
    switch reader.take("id") {
    case nil: id = nil
    case .string(let text)?: id = .string(text)
    case .integer(let number)?: id = .integer(number)
    default: throw .type(key: "id", expected: "a string or a whole number")
    }
    guard case .string(let word)? = reader.take("command") else { throw .notACommand }
    guard let name = Command.Name(rawValue: word) else {
      throw .unknownWord(word, key: "command", words: Command.Name.allCases.map(\.rawValue))
    }
    command = try Command(name, &reader)
    try reader.finish(word)
  }
}

extension Command {
  fileprivate init(_ name: Name, _ reader: inout ObjectReader) throws(ProtocolError) {
    switch name {
    case .status: self = .status
    case .set: self = .set(try SetValues(&reader))
    case .load: self = .load(Load(file: try reader.requiredString("file", of: "load")))
    case .save:
      self = .save(Save(file: try reader.string("file"), force: try reader.flag("force")))
    case .insert: self = .insert(try Insert(&reader))
    case .remove: self = .remove(Remove(node: try reader.requiredString("node", of: "remove")))
    case .move: self = .move(try Move(&reader))
    case .replace: self = .replace(try Replace(&reader))
    case .undo: self = .undo
    case .redo: self = .redo
    case .scene: self = .scene(try Scene(&reader))
    case .record: self = .record(try Record(&reader))
    case .play: self = .play(try Play(&reader))
    case .meters: self = .meters(Meters(reset: try reader.flag("reset")))
    case .top: self = .top
    case .blackBox:
      self = .blackBox(
        BlackBox(directory: try reader.requiredString("file", of: "black-box")))
    case .subscribe: self = .subscribe(try Subscribe(&reader))
    case .unsubscribe: self = .unsubscribe
    case .acknowledge:
      guard let sequence = try reader.count("sequence") else {
        throw .missing(key: "sequence", command: "acknowledge")
      }
      self = .acknowledge(Int(clamping: sequence))
    case .plugins: self = .plugins(try Plugins(&reader))
    case .plugin: self = .plugin(try reader.requiredString("plugin", of: "plugin"))
    case .rigs: self = .rigs
    case .files: self = .files(Files(directory: try reader.string("directory")))
    case .learn: self = .learn(try Learn(&reader))
    case .map: self = .map(try Map(&reader))
    case .transport: self = .transport(try Transport(&reader))
    }
  }
}

extension Command.SetValues {
  fileprivate init(_ reader: inout ObjectReader) throws(ProtocolError) {
    node = try reader.string("node") ?? ""
    directory = try reader.string("directory")
    over = try reader.seconds("over")
    values = try Self.assignments(&reader) ?? []
    if values.isEmpty { throw .missing(key: "values", command: "set") }
    if node.isEmpty, !values.allSatisfy({ $0.symbol.contains(".") }) {
      throw .missing(key: "node", command: "set")
    }
  }

  /// Reads `values`; nil if there are none.
  static func assignments(
    _ reader: inout ObjectReader
  ) throws(ProtocolError) -> [Command.Assignment]? {
    var values: [Command.Assignment] = []
    switch reader.take("values") {
    case .object(let members)?:
      for member in members { values.append(try assignment(member.key, member.value)) }
    case .array(let pairs)?:
      for pair in pairs {
        guard case .array(let parts) = pair, parts.count == 2, case .string(let symbol) = parts[0]
        else { throw .values }
        values.append(try assignment(symbol, parts[1]))
      }
    case nil: return nil
    default: throw .values
    }
    return values
  }

  /// The assignments as pairs, which keep their order.
  static func json(_ values: [Command.Assignment]) -> JSONValue {
    .array(values.map { .array([.string($0.symbol), .string($0.value)]) })
  }

  private static func assignment(
    _ symbol: String, _ value: JSONValue
  ) throws(ProtocolError) -> Command.Assignment {
    guard !symbol.utf8.contains(0), !value.containsNUL else { throw .nul(key: "values") }
    return switch value {
    case .string(let text): .init(symbol, text)
    case .integer(let number): .init(symbol, "\(number)")
    case .number(let number): .init(symbol, "\(number)")
    case .bool(let isOn): .init(symbol, isOn ? "true" : "false")
    case .null, .array, .object: throw .valueType(symbol: symbol)
    }
  }
}

extension Command.Scene {
  private static let steps = ["next": 1, "previous": -1]

  fileprivate init(_ reader: inout ObjectReader) throws(ProtocolError) {
    let name = try reader.string("scene")
    let storesScene = try reader.flag("store")
    let over = try reader.seconds("over")
    if let word = try reader.string("step") {
      guard let step = Self.steps[word] else {
        throw .unknownWord(word, key: "step", words: Self.steps.keys.sorted())
      }
      if name != nil || storesScene || over != nil {
        throw .unknownKey(
          key: name != nil ? "scene" : over != nil ? "over" : "store",
          command: "scene with \"step\"")
      }
      self = .step(step)
      return
    }
    guard let name else {
      // Without a name neither has a meaning.
      if storesScene || over != nil { throw .missing(key: "scene", command: "scene") }
      self = .list
      return
    }
    if storesScene, over != nil { throw .unknownKey(key: "over", command: "scene with \"store\"") }
    self = storesScene ? .store(name) : .recall(name, over: over)
  }
}

extension Command.Record {
  /// The words for actions in JSON.
  package static let keywords = ["start", "stop", "pause", "resume", "split", "mark"]

  fileprivate init(_ reader: inout ObjectReader) throws(ProtocolError) {
    node = try reader.string("node")
    let text = try reader.string("text")
    if let word = try reader.string("action") {
      guard let known = Action(word, text: text) else {
        throw word == "mark"
          ? .missing(key: "text", command: "mark")
          : .unknownWord(word, key: "action", words: Self.keywords)
      }
      action = known
    } else {
      action = nil
    }
    if text != nil, action?.text == nil { throw .unknownKey(key: "text", command: "this action") }
  }
}

extension Command.Record.Action {
  /// An action by its word, with the text that belongs to `mark`; nil if there is no such action.
  package init?(_ word: String, text: String?) {
    switch (word, text) {
    case ("start", _): self = .start
    case ("stop", _): self = .stop
    case ("pause", _): self = .pause
    case ("resume", _): self = .resume
    case ("split", _): self = .split
    case ("mark", let text?): self = .mark(text)
    default: return nil
    }
  }

  /// The word for it.
  package var word: String {
    switch self {
    case .start: "start"
    case .stop: "stop"
    case .pause: "pause"
    case .resume: "resume"
    case .split: "split"
    case .mark: "mark"
    }
  }

  /// The text that belongs to it; nil for most.
  package var text: String? { if case .mark(let text) = self { text } else { nil } }
}

extension Command.Play {
  /// The words for actions in JSON.
  package static let keywords = ["start", "stop", "pause", "next", "previous", "seek"]

  fileprivate init(_ reader: inout ObjectReader) throws(ProtocolError) {
    node = try reader.string("node")
    let text = try reader.string("text")
    if let word = try reader.string("action") {
      guard let known = Action(word, text: text) else {
        throw word == "seek"
          ? .missing(key: "text", command: "seek")
          : .unknownWord(word, key: "action", words: Self.keywords)
      }
      action = known
    } else {
      action = nil
    }
    if text != nil, action?.text == nil { throw .unknownKey(key: "text", command: "this action") }
  }
}

extension Command.Play.Action {
  /// An action by its word, with the text that belongs to `seek`; nil if there is no such action.
  package init?(_ word: String, text: String?) {
    switch (word, text) {
    case ("start", _): self = .start
    case ("stop", _): self = .stop
    case ("pause", _): self = .pause
    case ("next", _): self = .next
    case ("previous", _): self = .previous
    case ("seek", let text?): self = .seek(text)
    default: return nil
    }
  }

  /// The word for it.
  package var word: String {
    switch self {
    case .start: "start"
    case .stop: "stop"
    case .pause: "pause"
    case .next: "next"
    case .previous: "previous"
    case .seek: "seek"
    }
  }

  /// The text that belongs to it; nil for most.
  package var text: String? { if case .seek(let text) = self { text } else { nil } }
}

extension Command.Subscribe {
  fileprivate init(_ reader: inout ObjectReader) throws(ProtocolError) {
    revision = try reader.count("revision")
    levels = try Self.levels(&reader)
    switch reader.take("events") {
    case nil: events = nil
    case .array(let values)?:
      var kinds: [Event.Kind] = []
      for value in values {
        guard case .string(let word) = value else {
          throw .type(key: "events", expected: "a list of strings")
        }
        guard let kind = Event.Kind(rawValue: word) else {
          throw .unknownWord(word, key: "events", words: Event.Kind.allCases.map(\.rawValue))
        }
        kinds.append(kind)
      }
      events = kinds
    default: throw .type(key: "events", expected: "a list of strings")
    }
  }
}
