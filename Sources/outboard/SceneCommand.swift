// SceneCommand.swift: `outboard scene`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import HostModel
import RigSchema

/// Recalls, stores or lists the scenes of a session.
struct SceneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scene",
    abstract: "Recall, store or list scenes.",
    discussion: """
      outboard scene                      # list the scenes
      outboard scene chorus --over 2s     # morph values; switches change half-way
      outboard scene --next               # the next one in the rig; --previous goes back
      outboard scene --store bridge       # store the current values

      Scenes are in the rig file under `scenes`. `outboard save` also writes the stored ones.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(help: ArgumentHelp("Scene to recall; without it, list the scenes.", valueName: "scene"))
  var name: String?
  @Option(
    help: ArgumentHelp(
      "Morph time, e.g. 2s; 0 is immediate.", valueName: "time"))
  var over: String?
  @Flag(help: "Store the current values under this name.")
  var store = false
  @Flag(help: "Recall the next scene.")
  var next = false
  @Flag(help: "Recall the previous scene.")
  var previous = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if let name, name.isEmpty { throw ValidationError("The name of the scene is empty.") }
    if next || previous {
      guard next != previous, name == nil, !store, over == nil, !json else {
        throw ValidationError(
          "--\(next ? "next" : "previous") cannot be combined with other arguments. Remove them.")
      }
      return
    }
    if name == nil, store || over != nil {
      throw ValidationError(
        "\(store ? "--store" : "--over") needs the name of a scene, e.g. `outboard scene"
          + " \(store ? "--store chorus" : "chorus --over 2s")`.")
    }
    if store, over != nil {
      throw ValidationError("--store takes no time. Remove --over.")
    }
    if json, name != nil { throw ValidationError("--json works only without a scene. Remove one.") }
    if let over, MorphTime(over) == nil { throw ValidationError(MorphTime.rule(over)) }
  }

  func run() throws {
    if next || previous {
      try choice.sendAndPrint(.scene(.step(next ? 1 : -1)))
      return
    }
    if let name {
      let seconds = over.flatMap(MorphTime.init)?.seconds
      try choice.sendAndPrint(.scene(store ? .store(name) : .recall(name, over: seconds)))
      return
    }
    guard case .scenes(let scenes)? = try choice.send(.scene(.list)).result else { return }
    if json {
      JSONOutput.print(scenes)
      return
    }
    for scene in scenes {
      let over = scene.over.map { ", over \(NumberFormat.short($0)) s" } ?? ""
      Terminal.output.writeLine("\(scene.current ? "*" : " ") \(scene.name)\(over)")
    }
    if scenes.isEmpty {
      Terminal.error.writeLine(
        "outboard: The rig has no scenes. To store one, run `outboard scene --store NAME`."
      )
    }
  }
}
