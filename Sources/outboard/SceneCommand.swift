// SceneCommand.swift: `outboard scene`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import FoundationEssentials
import Glibc
import Rig

/// Goes over to a scene of something that runs, or stores one.
struct SceneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scene",
    abstract: "Go over to a scene of something that runs, store one, or list them.",
    discussion: """
      outboard scene                      # which there are
      outboard scene chorus --over 2s     # values glide there, switches turn half-way
      outboard scene --store bridge       # how all is now

      Scenes stand in the rig, under "scenes", and `outboard save` keeps those that were stored.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(help: ArgumentHelp("The scene; without it they are listed.", valueName: "scene"))
  var name: String?
  @Option(
    help: ArgumentHelp(
      "How long it takes, in place of what the rig says; 0 is at once.", valueName: "time"))
  var over: String?
  @Flag(help: "Store how all is now under the name, in the place of what had it.")
  var store = false
  @Flag(help: "Print the list as JSON.")
  var json = false

  func validate() throws {
    if let name, name.isEmpty { throw ValidationError("The name of the scene is empty.") }
    if name == nil, store || over != nil {
      throw ValidationError(
        "\(store ? "--store" : "--over") needs a scene's name, as in `outboard scene"
          + " \(store ? "--store chorus" : "chorus --over 2s")`.")
    }
    if store, over != nil {
      throw ValidationError("What is stored takes no time; leave --over out.")
    }
    if json, name != nil { throw ValidationError("--json is for the list; leave one of them out.") }
    if let over, MorphTime(over) == nil { throw ValidationError(MorphTime.rule(over)) }
  }

  func run() throws {
    var request = ControlRequest(.scene)
    request.scene = name
    request.over = over.flatMap(MorphTime.init)?.seconds
    request.stores = store ? true : nil
    guard name == nil else {
      try choice.askAndTell(request)
      return
    }
    let scenes = try choice.ask(request).scenes ?? []
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
        "outboard: The rig has no scenes; `outboard scene --store NAME` makes one of how it is now."
      )
    }
  }
}
