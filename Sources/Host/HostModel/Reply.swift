// Reply.swift: what a session replies to a command. SPDX-License-Identifier: MIT

/// What became of a command.
package struct Reply: Sendable, Equatable {
  /// What a command asked for.
  package enum Payload: Sendable, Equatable {
    /// Of `status`.
    case status(SessionStatus)
    /// Of `scene` without a name.
    case scenes([SceneInfo])
    /// Of `top`.
    case nodeLoads([NodeLoadInfo])
    /// Of `meters`.
    case meters([MeterValues])
    /// Of `subscribe`; without a snapshot if the changes since the client's revision follow.
    case subscribed(Subscribed)
  }

  /// What a subscription begins with.
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
  /// What is worth knowing, one sentence each.
  package var notes: [String]
  /// What the command has changed; nil if nothing. It is not reported as an event to who sent it.
  package var change: Event.Changed?
  /// What it asked for.
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

/// A reply on its way to a client.
package struct ReplyMessage: Sendable, Equatable {
  /// The command's.
  package var id: JSONValue?
  /// What became of it.
  package var reply: Reply

  /// A reply, with or without an identifier.
  package init(_ reply: Reply, id: JSONValue? = nil) { (self.reply, self.id) = (reply, id) }
}

extension ReplyMessage: Codable {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, error, notes, change, status, scenes, nodeLoads, meters, `protocol`, client, snapshot
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
    }
  }

  /// Writes a reply; what there is not is left out.
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
    case .subscribed(let subscribed):
      try values.encode(subscribed.version, forKey: .protocol)
      try values.encode(subscribed.client, forKey: .client)
      try values.encodeIfPresent(subscribed.snapshot, forKey: .snapshot)
    }
  }
}
