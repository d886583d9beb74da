// OpenAPIDocument.swift: the description of the HTTP interface. SPDX-License-Identifier: MIT

import ErrorModel
import FoundationEssentials
import HostModel

/// The description of the HTTP interface in OpenAPI 3.1.
///
/// Words for commands, keys of replies, kinds of errors and events come from the types. The keys of commands are
/// compared with them by a test.
enum OpenAPIDocument {
  /// The path of the document.
  static let path = "/openapi.json"

  /// The document.
  static let data = JSONLine.data(json, isPretty: true)

  private static var json: JSONValue {
    .object(of: [
      ("openapi", "3.1.0"),
      (
        "info",
        .object(of: [
          ("title", "Outboard session"), ("version", .string("\(Protocol.version)")),
          (
            "description",
            .string(
              "Controls a running session. \(WebRouter.socketPath) is a WebSocket with the subprotocol"
                + " \(WebRouter.subprotocol) that carries the same commands, their replies, and events."
            )
          ),
        ])
      ), ("paths", paths),
      (
        "components",
        .object(of: [
          (
            "securitySchemes",
            .object(of: [("token", .object(of: [("type", "http"), ("scheme", "bearer")]))])
          ), ("schemas", schemas),
        ])
      ), ("security", .array([.object(of: [("token", .array([]))])])),
    ])
  }

  // MARK: - Paths

  private static var paths: JSONValue {
    let command = operation(
      "Carries out a command.", reply: "Reply",
      body: .object(of: [("required", .bool(true)), ("content", content("Command"))]))
    let state = operation("Returns the state and its revision.", reply: "Snapshot", body: nil)
    return .object(of: [
      ("/api/v1/command", .object(of: [("post", command)])),
      ("/api/v1/state", .object(of: [("get", state)])),
    ])
  }

  private static func operation(_ summary: String, reply: String, body: JSONValue?) -> JSONValue {
    func response(_ text: String, _ schema: String) -> JSONValue {
      .object(of: [("description", .string(text)), ("content", content(schema))])
    }
    let failures = [
      ("400", "The request is invalid."), ("401", "The token is missing or wrong."),
      ("403", "The host name or the origin is not accepted."),
      ("413", "The request is too long."), ("415", "The type is not application/json."),
      ("429", "Too many wrong tokens came from this address."), ("500", "The command failed."),
      ("503", "The session is busy, stalled or ending."),
    ]
    return .object(of: [
      ("summary", .string(summary)), ("requestBody", body),
      (
        "responses",
        .object(
          of: [("200", response("The command was carried out.", reply))]
            + failures.map { ($0, response($1, "Reply")) })
      ),
    ])
  }

  private static func content(_ schema: String) -> JSONValue {
    .object(of: [("application/json", .object(of: [("schema", reference(schema))]))])
  }

  private static func reference(_ schema: String) -> JSONValue {
    .object(of: [("$ref", .string("#/components/schemas/\(schema)"))])
  }

  // MARK: - Schemas

  private static var schemas: JSONValue {
    .object(of: [
      (
        "Command",
        .object(of: [("oneOf", .array(Command.Name.allCases.map { CommandSchema($0).json }))])
      ),
      ("Reply", object(ReplyMessage.keys.map { ($0, $0 == "error" ? reference("Error") : .any) })),
      (
        "Error",
        object([
          ("message", type("string")), ("status", type("integer")),
          ("kind", words(ErrorKind.allCases.map(\.rawValue))), ("fields", type("object")),
        ])
      ), ("Snapshot", object([("revision", type("integer")), ("state", type("object"))])),
      (
        "Event",
        object([
          ("event", words(Event.Kind.allCases.map(\.rawValue))), ("seconds", type("number")),
        ])
      ),
    ])
  }

  private static func object(_ properties: [(String, JSONValue)]) -> JSONValue {
    .object(of: [("type", "object"), ("properties", .object(of: properties))])
  }

  private static func type(_ name: String) -> JSONValue {
    .object(of: [("type", .string(name))])
  }

  private static func words(_ words: [String]) -> JSONValue {
    .object(of: [("type", "string"), ("enum", .array(words.map(JSONValue.string)))])
  }
}

/// The keys of a command.
struct CommandSchema {
  /// The type of a value.
  enum Kind: String {
    case string, integer, number, boolean
    /// An object of values by symbol, or a list of pairs.
    case values
    /// A list of kinds of events.
    case events
  }

  let name: Command.Name
  /// The keys beside `command` and `id`.
  let keys: [(name: String, kind: Kind, isRequired: Bool)]

  init(_ name: Command.Name) {
    self.name = name
    func needs(_ key: String, _ kind: Kind = .string) -> (String, Kind, Bool) { (key, kind, true) }
    func may(_ key: String, _ kind: Kind = .string) -> (String, Kind, Bool) { (key, kind, false) }
    let position = [may("after"), may("before"), may("on")]
    keys =
      switch name {
      case .status, .undo, .redo, .top, .unsubscribe, .rigs: []
      case .set:
        [may("node"), needs("values", .values), may("directory"), may("over", .number)]
      case .load: [needs("file")]
      case .save: [may("file"), may("force", .boolean)]
      case .insert:
        [needs("plugin"), may("values", .values), may("directory"), may("name")] + position
      case .remove: [needs("node")]
      case .move: [needs("node")] + position
      case .replace:
        [needs("node"), needs("plugin"), may("values", .values), may("directory")]
      case .scene: [may("scene"), may("over", .number), may("store", .boolean), may("step")]
      case .record, .play: [may("node"), may("action"), may("text")]
      case .meters: [may("reset", .boolean)]
      case .blackBox: [needs("file")]
      case .subscribe: [may("events", .events), may("revision", .integer), may("levels", .integer)]
      case .acknowledge: [needs("sequence", .integer)]
      case .plugins: [may("query"), may("limit", .integer)]
      case .plugin: [needs("plugin")]
      case .files: [may("directory")]
      case .learn: [may("target"), may("range"), may("device"), may("options")]
      case .map: [may("add"), may("remove")]
      case .transport: [may("tempo", .number), may("action")]
      }
  }

  /// The schema.
  var json: JSONValue {
    let command = JSONValue.object(of: [("const", .string(name.rawValue))])
    let id = JSONValue.object(of: [("type", .array(["string", "integer"]))])
    let required = ["command"] + keys.filter(\.isRequired).map(\.name)
    return .object(of: [
      ("title", .string(name.rawValue)), ("type", "object"),
      (
        "properties",
        .object(
          of: [("command", command), ("id", id)] + keys.map { ($0.name, Self.type(of: $0.kind)) })
      ),
      ("required", .array(required.map(JSONValue.string))),
      ("additionalProperties", .bool(false)),
    ])
  }

  private static func type(of kind: Kind) -> JSONValue {
    switch kind {
    case .string, .integer, .number, .boolean: .object(of: [("type", .string(kind.rawValue))])
    case .values: .object(of: [("type", .array(["object", "array"]))])
    case .events:
      .object(of: [
        ("type", "array"),
        (
          "items",
          .object(of: [("enum", .array(Event.Kind.allCases.map { .string($0.rawValue) }))])
        ),
      ])
    }
  }
}

extension JSONValue {
  /// A schema that accepts everything.
  fileprivate static let any = JSONValue.object([])
}
