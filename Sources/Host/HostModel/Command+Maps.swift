// Command+Maps.swift: the commands for MIDI mappings. SPDX-License-Identifier: MIT

extension Command {
  /// Maps the next control that is moved.
  package struct Learn: Sendable, Equatable {
    /// What the control changes, as in a rig: `reverb.mix`, `next scene`; nil to cancel.
    package var target: String?
    /// The range in the target's unit, as in `0..60 %`; nil for that of the target.
    package var range: String?
    /// The name of the MIDI device; nil for any hardware device.
    package var device: String?
    /// Words that follow the target in a rig, such as `pickup`; nil for none.
    package var options: String?

    /// Creates a command.
    package init(
      target: String? = nil, range: String? = nil, device: String? = nil, options: String? = nil
    ) {
      (self.target, self.range, self.device, self.options) = (target, range, device, options)
    }
  }

  /// The action on mappings.
  package enum Map: Sendable, Equatable {
    /// Lists them.
    case list
    /// Adds a line, as in a rig.
    case add(String)
    /// Removes those with this number, line, target or control.
    case remove(String)
  }
}

extension Command.Learn {
  init(_ reader: inout ObjectReader) throws(ProtocolError) {
    target = try reader.string("target")
    range = try reader.string("range")
    device = try reader.string("device")
    options = try reader.string("options")
    // Without a target the others have no meaning.
    if target == nil, range != nil || device != nil || options != nil {
      throw .missing(key: "target", command: "learn")
    }
  }

  var members: [(String, JSONValue?)] {
    [("target", target), ("range", range), ("device", device), ("options", options)].map {
      ($0.0, $0.1.map(JSONValue.string))
    }
  }
}

extension Command.Map {
  init(_ reader: inout ObjectReader) throws(ProtocolError) {
    switch (try reader.string("add"), try reader.string("remove")) {
    case (nil, nil): self = .list
    case (let line?, nil): self = .add(line)
    case (nil, let text?): self = .remove(text)
    case (_?, _?): throw .unknownKey(key: "remove", command: "map with \"add\"")
    }
  }

  var members: [(String, JSONValue?)] {
    switch self {
    case .list: []
    case .add(let line): [("add", .string(line))]
    case .remove(let text): [("remove", .string(text))]
    }
  }
}
