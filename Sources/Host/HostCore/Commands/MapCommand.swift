// MapCommand.swift: the command `map`. SPDX-License-Identifier: MIT

import HostModel
import RigPlanning
import RigSchema
import Session

/// Lists, adds or removes MIDI mappings.
struct MapCommand: HostCommand {
  let map: Command.Map

  func apply(_: Void, in host: Host) throws -> Reply {
    let maps = host.session.currentRig.maps
    switch map {
    case .list:
      return Reply(.maps(maps.enumerated().map { MapInfo($1, number: $0 + 1) }))
    case .add(let line):
      let new = try host.session.plan(RigMap(line)).namedMap
      guard !maps.contains(where: { $0.description == new.description }) else {
        throw MapError.exists(new.description)
      }
      // Two ranges or take-overs of one control and target would work against each other.
      let old = maps.firstIndex {
        $0.source.description == new.source.description && $0.target == new.target
      }
      var all = maps
      if let old { all[old] = new } else { all.append(new) }
      return Reply(notes: try host.session.setMaps(all))
    case .remove(let text):
      let indices = Self.indices(text, in: maps)
      guard !indices.isEmpty else {
        throw MapError.noSuchMap(text, known: maps.map(\.target) + maps.map(\.source.description))
      }
      let remaining = maps.indices.filter { !indices.contains($0) }.map { maps[$0] }
      let removed = indices.map { "Removed \(maps[$0])." }
      return Reply(notes: removed + (try host.session.setMaps(remaining)))
    }
  }

  /// Returns the mappings that a number, a line, a target or a control means.
  private static func indices(_ text: String, in maps: [RigMap]) -> [Int] {
    if let number = Int(text), maps.indices.contains(number - 1) { return [number - 1] }
    let wanted = text.lowercased()
    return maps.indices.filter { index in
      let map = maps[index]
      return [map.description, map.target, map.source.description].contains {
        $0.lowercased() == wanted
      }
    }
  }
}
