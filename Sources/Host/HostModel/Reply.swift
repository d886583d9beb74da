// Reply.swift: the replies to commands. SPDX-License-Identifier: MIT

/// The result of a command.
package struct Reply: Sendable, Equatable {
  /// The data that a command requested.
  package enum Payload: Sendable, Equatable {
    /// The reply to `status`.
    case status(SessionStatus)
    /// The reply to `scene` without a name.
    case scenes([SceneInfo])
    /// The reply to `top`.
    case nodeLoads([NodeLoadInfo])
    /// The reply to `meters`.
    case meters([MeterValues])
    /// The reply to `subscribe`; without a snapshot if the changes since the client's revision follow.
    case subscribed(Subscribed)
    /// The reply to `plugins`.
    case plugins([PluginSummary])
    /// The reply to `plugin`: what `outboard info --json` prints.
    case plugin(JSONValue)
    /// The reply to `rigs`.
    case rigs([RigInfo])
    /// The reply to `files`.
    case files(FileList)
    /// The reply to `map` and `learn`.
    case maps([MapInfo])
    /// The reply to `transport`.
    case transport(TransportInfo)
  }

  /// The start of a subscription.
  package struct Subscribed: Sendable, Equatable {
    /// The version of commands, replies and events.
    package var version: Int
    /// The number that events carry for changes by this client.
    package var client: ClientID
    /// The state; nil if the changes since the client's revision follow as events.
    package var snapshot: Snapshot?

    /// A subscription of a client.
    package init(client: ClientID, snapshot: Snapshot?) {
      (version, self.client, self.snapshot) = (Protocol.version, client, snapshot)
    }
  }

  /// Why the command was not carried out; nil if it was.
  package var error: ErrorInfo?
  /// Messages about the command.
  package var notes: [String]
  /// The change that the command has made, which its sender does not receive as an event; nil for none.
  package var change: Event.Changed?
  /// The data that the command requested.
  package var result: Payload?

  /// A reply to a command that was carried out.
  package init(notes: [String] = [], _ result: Payload? = nil) {
    (self.notes, self.result) = (notes, result)
  }

  /// A reply to a command that was not carried out.
  package init(_ error: any Error) {
    (self.error, notes) = (ErrorInfo(error), [])
  }
}

/// A reply to a client.
package struct ReplyMessage: Sendable, Equatable {
  /// The command's.
  package var id: JSONValue?
  /// The result of the command.
  package var reply: Reply

  /// A reply, with or without an identifier.
  package init(_ reply: Reply, id: JSONValue? = nil) { (self.reply, self.id) = (reply, id) }
}

extension ReplyMessage: Codable {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, error, notes, change, status, scenes, nodeLoads, meters, `protocol`, client, snapshot
    case plugins, plugin, rigs, files, maps, transport
  }

  /// The keys that a reply can have.
  package static var keys: [String] { CodingKeys.allCases.map(\.stringValue) }

  /// Reads a reply.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decodeIfPresent(JSONValue.self, forKey: .id)
    reply = Reply(notes: try values.decodeIfPresent([String].self, forKey: .notes) ?? [])
    reply.error = try values.decodeIfPresent(ErrorInfo.self, forKey: .error)
    reply.change = try values.decodeIfPresent(Event.Changed.self, forKey: .change)
    if let status = try values.decodeIfPresent(SessionStatus.self, forKey: .status) {
      reply.result = .status(status)
    } else if let scenes = try values.decodeIfPresent([SceneInfo].self, forKey: .scenes) {
      reply.result = .scenes(scenes)
    } else if let loads = try values.decodeIfPresent([NodeLoadInfo].self, forKey: .nodeLoads) {
      reply.result = .nodeLoads(loads)
    } else if let meters = try values.decodeIfPresent([MeterValues].self, forKey: .meters) {
      reply.result = .meters(meters)
    } else if let client = try values.decodeIfPresent(ClientID.self, forKey: .client) {
      var subscribed = Reply.Subscribed(
        client: client, snapshot: try values.decodeIfPresent(Snapshot.self, forKey: .snapshot))
      subscribed.version = try values.decode(Int.self, forKey: .protocol)
      reply.result = .subscribed(subscribed)
    } else if let maps = try values.decodeIfPresent([MapInfo].self, forKey: .maps) {
      reply.result = .maps(maps)
    } else if let info = try values.decodeIfPresent(TransportInfo.self, forKey: .transport) {
      reply.result = .transport(info)
    } else {
      reply.result = try Self.libraryReply(values)
    }
  }

  /// Reads the reply to a command about plugins and files; nil if there is none.
  private static func libraryReply(
    _ values: KeyedDecodingContainer<CodingKeys>
  ) throws -> Reply.Payload? {
    if let plugins = try values.decodeIfPresent([PluginSummary].self, forKey: .plugins) {
      return .plugins(plugins)
    }
    if let plugin = try values.decodeIfPresent(JSONValue.self, forKey: .plugin) {
      return .plugin(plugin)
    }
    if let rigs = try values.decodeIfPresent([RigInfo].self, forKey: .rigs) { return .rigs(rigs) }
    return try values.decodeIfPresent(FileList.self, forKey: .files).map { .files($0) }
  }

  /// Encodes a reply; omits missing values.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(id, forKey: .id)
    try values.encodeIfPresent(reply.error, forKey: .error)
    if !reply.notes.isEmpty { try values.encode(reply.notes, forKey: .notes) }
    try values.encodeIfPresent(reply.change, forKey: .change)
    switch reply.result {
    case nil: break
    case .status(let status): try values.encode(status, forKey: .status)
    case .scenes(let scenes): try values.encode(scenes, forKey: .scenes)
    case .nodeLoads(let loads): try values.encode(loads, forKey: .nodeLoads)
    case .meters(let meters): try values.encode(meters, forKey: .meters)
    case .maps(let maps): try values.encode(maps, forKey: .maps)
    case .transport(let transport): try values.encode(transport, forKey: .transport)
    case .subscribed(let subscribed):
      try values.encode(subscribed.version, forKey: .protocol)
      try values.encode(subscribed.client, forKey: .client)
      try values.encodeIfPresent(subscribed.snapshot, forKey: .snapshot)
    case .plugins(let plugins): try values.encode(plugins, forKey: .plugins)
    case .plugin(let plugin): try values.encode(plugin, forKey: .plugin)
    case .rigs(let rigs): try values.encode(rigs, forKey: .rigs)
    case .files(let files): try values.encode(files, forKey: .files)
    }
  }
}
