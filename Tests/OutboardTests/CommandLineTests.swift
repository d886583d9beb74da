// CommandLineTests.swift: flags, errors as JSON, missing devices. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `The command line` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
  }

  /// One message, then the usage.
  private func refuses(_ arguments: [String], says message: String) throws {
    let result = try Program.run(arguments, in: scratch)
    #expect(result.error.hasPrefix("outboard: \(message)\nUsage: outboard"))
    #expect(result.text == "")
    #expect(result.status == 2)
    #expect(try scratch.files() == ["in.wav"])
  }

  @Test func `an unknown flag or command is refused`() throws {
    try refuses(["list", "--xyzzyxyzzy"], says: "Unknown option '--xyzzyxyzzy'.")
    try refuses(["list", "--jsno"], says: "Unknown option '--jsno'. Did you mean '--json'?")
    try refuses(["rendr"], says: "No such command: rendr. Did you mean render?")
    for word in ["stop", "quit", "exit", "kill"] {
      try refuses(
        [word],
        says: "No such command: \(word). Press Ctrl-C in the terminal of the session, or run `kill"
          + " PROCESS` with the number that `outboard status` prints.")
    }
    try refuses(
      ["reverb", "mix=30"],
      says:
        "No such command: reverb. To run a plugin, use `outboard run reverb mix=30`; to render a"
        + " file, use `outboard render reverb mix=30 -i IN.wav -o OUT.wav`.")
  }

  @Test(arguments: [
    (["render", "x", "--seconds", "3"], "--seconds", "--duration"),
    (["render", "x", "--length", "3"], "--length", "--duration"),
    (["render", "x", "--block", "64"], "--block", "--block-length"),
    (["render", "x", "--sample-rate", "48000"], "--sample-rate", "--rate"),
    (["render", "x", "--tempp", "90"], "--tempp", "--tempo"),
    (["run", "x", "--seconds=3"], "--seconds", "--duration"),
    (["run", "x", "--meter", "3/4"], "--meter", "--time-signature"),
    (["run", "x", "--no-howl-guard"], "--no-howl-guard", "--no-feedback-suppression"),
    (["run", "x", "--no-deadline-watch"], "--no-deadline-watch", "--no-overload-protection"),
    (["run", "x", "--verify-realtime"], "--verify-realtime", "--check-realtime"),
    (["run", "x", "--skip-trial"], "--skip-trial", "--skip-preflight"),
    (["run", "x", "--device", "hw:1"], "--device", "--out"),
    (["run", "x", "-d", "3"], "-d", "--duration"),
    (["list", "--why"], "--why", "--unusable"),
    (["list", "--out", "2"], "--out", "--outputs"),
    (["list", "--categroy", "Delay"], "--categroy", "--category"),
    (["set", "--run", "x", "a", "b=1"], "--run", "--session"),
    (["set", "--sesion", "x", "a", "b=1"], "--sesion", "--session"),
    (["find-period", "--seconds", "3"], "--seconds", "--duration"),
    (["bench", "x", "--frames", "64"], "--frames", "--block-lengths"),
    (["export", "lv2", "x", "--output-dir", "y"], "--output-dir", "--output"),
  ])
  func `for an old or misspelt option the intended one is suggested`(
    words: [String], option: String, meant: String
  ) throws {
    try refuses(words, says: "Unknown option '\(option)'. Did you mean '\(meant)'?")
  }

  @Test func `a file given to run and a device given to render are explained`() throws {
    try refuses(
      ["run", "outboard.gain", "-i", "in.wav"],
      says: "Unknown option '-i'. Did you mean '--in'? It takes a device. Process files with"
        + " `outboard render`.")
    try refuses(
      ["render", "outboard.gain", "--out", "default"],
      says: "Unknown option '--out'. Did you mean '--output'? It takes a file. Use devices with"
        + " `outboard run`.")
  }

  @Test(arguments: [
    ["set", "--seconds", "2", "a", "b=1"], ["render", "x", "--recrod", "a.wav"], ["list", "--mix"],
  ])
  func `an option without a similar one gets no suggestion`(words: [String]) throws {
    let option = try #require(words.first { $0.hasPrefix("--") })
    try refuses(words, says: "Unknown option '\(option)'.")
  }

  @Test func `help lists guides, and prints them`() throws {
    let all = try Program.run(["help"], in: scratch)
    #expect(all.status == 0)
    #expect(all.text.contains("SUBCOMMANDS:"))
    #expect(all.text.contains("\n  porting   ") && all.text.contains("Port an effect"))
    #expect(!all.text.contains("internals/"))
    for word in ["porting", "porting.md", "guides/porting", "docs/guides/porting/index.md"] {
      let guide = try Program.run(["help", word], in: scratch)
      #expect(guide.status == 0)
      #expect(guide.text.hasPrefix("# Port an effect\n"))
      #expect(guide.text.contains("outboard run effect.c") && !guide.text.contains("<!--"))
    }
    for word in ["porting/vst2", "rigs", "faq", "internals/faults"] {
      #expect(try Program.run(["help", word], in: scratch).text.hasPrefix("# "))
    }
    let command = try Program.run(["help", "latency"], in: scratch)
    #expect(command.status == 0)
    #expect(command.text.contains("USAGE: outboard latency"))
    #expect(command.text.contains("The guide: outboard help latency.md"))
    #expect(try Program.run(["help", "latency.md"], in: scratch).text.hasPrefix("# "))
    #expect(
      try Program.run(["help", "render"], in: scratch).text.contains("USAGE: outboard render"))
    let wrong = try Program.run(["help", "portign"], in: scratch)
    #expect(wrong.status == 2)
    #expect(
      wrong.error.hasPrefix("outboard: No such command or guide: portign. Did you mean porting?")
    )
    #expect(try Program.run(["help", "../porting"], in: scratch).status == 2)
    let word = try Program.run(["help", "looper"], in: scratch)
    #expect(word.status == 2)
    #expect(
      word.error.contains("No such command or guide: looper. Guides that contain this word: "))
    #expect(word.error.contains("cookbook") && !word.error.contains("internals"))
    let nonsense = try Program.run(["help", "qqqq"], in: scratch)
    #expect(nonsense.error.contains("Run `outboard help` to see both."))
  }

  @Test func `each page has a name of its own`() throws {
    let lines = try Program.run(["help"], in: scratch).text.split(separator: "\n")
    let names = lines.drop { !$0.hasPrefix("GUIDES") }.filter { $0.hasPrefix("  ") }
      .compactMap { $0.split(separator: " ").first }
    #expect(names.count > 40 && Set(names).count == names.count)
    #expect(
      try Program.run(["help", "osc"], in: scratch).text.hasPrefix("# Control a session by OSC"))
  }

  @Test func `each guide named in a message exists`() throws {
    let all = try Program.run(["help"], in: scratch).text
    for guide in ["porting", "systemd", "modules", "rigs"] {
      #expect(all.contains("\n  \(guide) "))
    }
  }

  @Test func `a missing value is refused`() throws {
    try refuses(
      ["render", "outboard.gain", "-i", "in.wav", "-o"], says: "Missing value for '-o <file>'.")
    try refuses(
      ["render", "outboard.gain", "-i", "in.wav"],
      says: "Missing expected argument '--output <file>'. Add for example `-o out.wav`.")
    try refuses(["check"], says: "Name a rig. To test a plugin, use `outboard validate PLUGIN`.")
  }

  @Test func `values and formats in the place of options are explained`() throws {
    let files = ["-i", "in.wav", "-o", "out.wav"]
    for words in [["--mix", "30"], ["--mix=30"]] {
      try refuses(
        ["render", "outboard.reverb"] + words + files,
        says: "Unknown option '--mix'. Write values of plugins without dashes: mix=30.")
    }
    try refuses(
      ["run", "outboard.reverb", "--perid", "64"],
      says: "Unknown option '--perid'. Did you mean '--period'?")
    try refuses(
      ["render", "outboard.gain", "--format", "mp3"] + files,
      says: "mp3 is a file format. Use `--container mp3`. --format is the sample format.")
    try refuses(
      ["run", "outboard.gain", "--in", "in.wav", "--out", "dummy"],
      says: "in.wav is a file, and --in takes a device. Use `outboard render` for files, or"
        + " `--in -` with `< in.wav`.")
    try refuses(
      ["run", "outboard.gain", "--out", "new.wav"],
      says: "new.wav is a file, and --out takes a device. Write a file with --record new.wav.")
  }

  @Test func `values without an equals sign and quoted plugins are explained`() throws {
    func fails(_ words: [String], _ message: String) throws {
      let files = ["-i", "in.wav", "-o", "out.wav"]
      let result = try Program.run(["render"] + words + files, in: scratch)
      #expect(result.error == "outboard: \(message)\n")
      #expect(result.status == 2)
    }
    try fails(
      ["outboard.reverb", "mix", "30"], "30 is not a plugin. Write a value as `mix=30`.")
    try fails(
      ["outboard.reverb mix=30"],
      "No such plugin: \"outboard.reverb mix=30\". Similar plugins: Reverb"
        + " (outboard.reverb). Write a plugin and its values as separate words, without quotes around them."
    )
  }

  @Test func `an unknown subcommand is answered with the known ones`() throws {
    try refuses(
      ["export", "vst3", "reverb"],
      says: "export has no command vst3. Use one of lv2, mod-host, pipewire.")
    try refuses(
      ["export", "filter-chain", "in.wav", "-o", "x"],
      says: "export has no command filter-chain. Use one of lv2, mod-host, pipewire.")
  }

  @Test func `an unknown rig is answered with the installed ones`() throws {
    let result = try Program.run(["check", "nosuchrig"], in: scratch)
    #expect(result.error.contains("nosuchrig: no such file or installed rig. Installed rigs: "))
    #expect(result.error.contains("mic-chain") && result.status == 2)
  }

  @Test func `neither a plugin nor a rig, and both, are refused`() throws {
    try refuses(
      ["render", "-i", "in.wav", "-o", "out.wav"],
      says: "Name a plugin, or a rig with --rig FILE. `outboard list` shows all plugins.")
    try refuses(
      ["render", "outboard.gain", "--rig", "tones", "-o", "out.wav"],
      says: "Give either plugins or --rig FILE, not both.")
  }

  @Test(arguments: [
    (["--block-length", "0"], "--block-length 0 is out of range (1 to 8192 frames)."),
    (["--tail=-1"], "--tail -1 is out of range (0 to 86400 s)."),
    (["--tail", "-1"], "--tail -1 is out of range (0 to 86400 s)."),
    (["--duration", "-0.5"], "--duration -0.5 is out of range (0.001 to 864000 s)."),
    (["--block-length", "-1"], "--block-length -1 is out of range (1 to 8192 frames)."),
    (["--tail", "nan"], "--tail nan is out of range (0 to 86400 s)."),
    (["--duration", "0.00001"], "--duration 1e-05 is out of range (0.001 to 864000 s)."),
    (["--duration", "0"], "--duration 0 is out of range (0.001 to 864000 s)."),
    (
      ["--duration", "1e300"],
      "--duration 1e+300 is out of range (0.001 to 864000 s)."
    ),
    (["--threads", "0"], "--threads 0 is out of range (1 to 64)."),
    (["--rate", "1"], "--rate 1 is out of range (1000 to 768000 Hz)."),
    (["--raw", "48000:2:s16"], "--raw describes standard input, so it needs -i -."),
    (
      ["--block-length", "99999999999999999999"],
      "The value '99999999999999999999' is invalid for '--block-length <frames>'."
    ),
  ])
  func `numbers beyond their range are refused`(_ flags: [String], _ message: String) throws {
    try refuses(
      ["render", "outboard.gain", "-i", "in.wav", "-o", "out.wav"] + flags, says: message)
  }

  @Test(arguments: [
    (
      ["--rate", "44100"],
      "--rate needs a rendering without input. A file is rendered at its own rate. Remove --rate."
    ),
    (
      ["--json", "-o", "-"], "Standard output cannot carry both audio and JSON. Remove one."
    ),
  ])
  func `contradictory flags are refused`(flags: [String], message: String) throws {
    let output = flags.contains("-o") ? [] : ["-o", "out.wav"]
    let result = try Program.run(
      ["render", "outboard.gain", "-i", "in.wav"] + output + flags, in: scratch)
    #expect(result.error.contains(message))
    // Audio may go to standard output, so JSON does not.
    #expect(result.text == "")
    #expect(result.status == 2)
  }

  @Test func `empty names are refused`() throws {
    try refuses(
      ["render", "outboard.gain", "-i", "in.wav", "-o", ""],
      says: "The name of the output is empty.")
    try refuses(
      ["render", "outboard.gain", "-i", "", "-o", "out.wav"],
      says: "The name of the input is empty.")
  }

  private struct ErrorReport: Decodable, Equatable {
    struct Facts: Decodable, Equatable {
      let message: String
      let status: Int32
    }
    let error: Facts
  }

  @Test(arguments: [
    (
      ["info", "xyzzyxyzzy", "--json"],
      "No such plugin: \"xyzzyxyzzy\". Run `outboard list` to see all plugins."
    ),
    (["list", "--json", "--xyzzyxyzzy"], "Unknown option '--xyzzyxyzzy'."),
    (
      ["render", "outboard.gain", "-i", "nowhere.wav", "-o", "out.wav", "--json"],
      "nowhere.wav does not exist. Give the path of an audio file, or - for standard input."
    ),
  ])
  func `errors are JSON if that was requested`(_ arguments: [String], _ message: String) throws {
    let result = try Program.run(arguments, in: scratch)
    #expect(result.status == 2)
    #expect(result.error == "")
    let report = try JSONDecoder().decode(ErrorReport.self, from: result.output)
    #expect(report == ErrorReport(error: .init(message: message, status: 2)))
  }

  /// Whether the kernel has any sound card.
  private static let hasCard: Bool = {
    let cards = (try? String(contentsOfFile: "/proc/asound/cards", encoding: .utf8)) ?? ""
    return !cards.isEmpty && !cards.contains("no soundcards")
  }()

  @Test(.enabled(if: !hasCard), arguments: [["run", "outboard.gain"], ["devices"]])
  func `a machine without a card is reported as such`(_ arguments: [String]) throws {
    let message =
      "No sound card was found. Connect one, use `--in dummy --out dummy`, or process a file with"
      + " `outboard render`."
    try expectFailure(arguments, in: scratch, message, status: 3)
    let result = try Program.run(arguments + ["--json"], in: scratch)
    #expect(result.status == 3)
    let report = try JSONDecoder().decode(ErrorReport.self, from: result.output)
    #expect(report == ErrorReport(error: .init(message: message, status: 3)))
  }

  @Test func `a missing card is a device error`() throws {
    let result = try Program.run(
      ["run", "outboard.gain", "--in", "none", "--out", "hw:NoSuchCard"], in: scratch)
    #expect(result.status == 2 || result.status == 3)
    #expect(result.error.hasPrefix("outboard: "))
    #expect(result.error.hasSuffix(".\n"))
  }

  @Test func `help and version succeed`() throws {
    let version = try expectSuccess(["--version"], in: scratch)
    #expect(version.text.wholeMatch(of: /outboard \d+\.\d+\.\d+\n/) != nil)
    for command in [
      "run", "render", "list", "info", "check", "validate", "graph", "devices", "doctor",
    ] {
      let help = try expectSuccess([command, "--help"], in: scratch)
      #expect(help.text.contains("USAGE: outboard \(command)"))
    }
  }

  @Test func `the help of each command lists options without blank lines between them`() throws {
    let list = try expectSuccess(["--help"], in: scratch).text
    var names: [String] = []
    for line in try #require(list.components(separatedBy: "OPTIONS:").last).split(separator: "\n") {
      // Commands are indented by two blanks, the other lines of their descriptions by more.
      guard line.hasPrefix("  "), !["   ", "  -", "  See "].contains(where: line.hasPrefix) else {
        continue
      }
      let name = try #require(line.split(whereSeparator: { " ,".contains($0) }).first)
      names.append(String(name))
    }
    #expect(names.count > 20)
    for name in names {
      let help = try expectSuccess([name, "--help"], in: scratch).text
      guard let options = help.components(separatedBy: "OPTIONS:\n").dropFirst().first else {
        continue
      }
      for line in options.split(separator: "\n") where !line.hasSuffix("SUBCOMMANDS:") {
        #expect(line.hasPrefix("  "), "\(name): \(line)")
      }
    }
  }

  @Test func `a missing home directory and cache directory are not errors`() throws {
    let line = "\"$OUTBOARD\" info outboard.gain"
    let places = [
      "unset HOME XDG_CACHE_HOME;", "HOME=/nowhere XDG_CACHE_HOME=;", "XDG_CACHE_HOME=/proc;",
      "LV2_PATH=/nowhere:::relative:/dev/null;",
    ]
    for place in places {
      let result = try Program.shell(
        "\(place) export HOME XDG_CACHE_HOME LV2_PATH; \(line)", in: scratch)
      #expect(result.status == 0, "\(place) \(result.error)")
      #expect(result.text.hasPrefix("Gain\n  outboard.gain\n"))
    }
  }
}
