// CommandGroups.swift: the commands by task, as help lists them. SPDX-License-Identifier: MIT

import ArgumentParser

/// The commands by task.
enum CommandGroups {
  static let all = [
    CommandGroup(
      name: "Play and render",
      subcommands: [
        RunCommand.self, RenderCommand.self, AnalyseCommand.self, CompareCommand.self,
        SweepCommand.self, MeasureCommand.self,
      ]),
    CommandGroup(
      name: "Control a session",
      subcommands: [
        UICommand.self, ShellCommand.self, StatusCommand.self, SetCommand.self, InsertCommand.self,
        RemoveNodeCommand.self,
        MoveCommand.self, ReplaceCommand.self, LoadCommand.self, UndoCommand.self,
        RedoCommand.self, SceneCommand.self, LearnCommand.self, MapCommand.self,
        TransportCommand.self, TapCommand.self, SaveCommand.self,
        RecordCommand.self, PlayCommand.self,
        TopCommand.self,
        MetersCommand.self, WatchCommand.self, BlackBoxCommand.self, PairingsCommand.self,
      ]),
    CommandGroup(
      name: "Plugins",
      subcommands: [
        ListCommand.self, FindCommand.self, InfoCommand.self, PresetCommand.self,
        ValidateCommand.self,
        BenchCommand.self, FaultsCommand.self,
      ]),
    CommandGroup(
      name: "Rigs", subcommands: [CheckCommand.self, GraphCommand.self, ImportCommand.self]),
    CommandGroup(
      name: "Devices and system",
      subcommands: [
        DevicesCommand.self, DoctorCommand.self, LatencyCommand.self, FindPeriodCommand.self,
      ]),
    CommandGroup(
      name: "Develop modules",
      subcommands: [
        NewCommand.self, InstallCommand.self, UninstallCommand.self, ExportCommand.self,
      ]),
  ]
}
