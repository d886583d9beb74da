// Projects.swift: projects to import. SPDX-License-Identifier: MIT

import Foundation

/// Projects that real programs wrote, and some in the formats of programs that need a desktop.
enum Projects {
  private static let directory = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/imports")

  static func path(_ name: String) -> String { directory.appending(path: name).path }

  static func text(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  /// All texts with their names.
  static func all() throws -> [(name: String, text: String)] {
    let files = [
      "carla-rack.carxp", "carla-patchbay.carxp", "carla-compressor.carxs", "chain.modhost",
      "voice.ecs", "eg-amp-quiet.lv2/quiet.ttl", "parallel.ecs", "easyeffects-room.json",
      "Clean_Echo.pedalboard/Clean_Echo.ttl",
    ]
    return try files.map { ($0, try text($0)) }
      + [("easyeffects", easyEffects), ("filter-chain", filterChain), ("pedalboard", pedalboard)]
  }

  static let easyEffects = """
    {"output": {"blocklist": [], "plugins_order": ["bass_enhancer#0", "autogain#0", "equalizer#0"],
      "autogain#0": {"bypass": false},
      "bass_enhancer#0": {"amount": 6.0, "bypass": false, "input-gain": -3.0, "scope": 150.0},
      "equalizer#0": {"bypass": true, "num-bands": 1, "output-gain": 2.0, "split-channels": false,
        "left": {"band0": {"frequency": 90.0, "gain": 6.0, "type": "Hi-shelf", "slope": "x2"}},
        "right": {"band0": {"frequency": 80.0, "gain": 1.0, "type": "Bell", "slope": "x1"}}}}}
    """

  static let filterChain = """
    # A sink.
    context.modules = [
      { name = libpipewire-module-filter-chain
        args = {
          node.description = "Warm sink"
          filter.graph = {
            nodes = [
              { type = lv2 name = amp plugin = "http://lv2plug.in/plugins/eg-amp"
                control = { gain = -6.0 } }
              { type = ladspa name = comp plugin = sc4_1882 label = sc4
                control = { "Attack time (ms)" = 12.5 } }
              { type = builtin name = mix label = mixer control = { "Gain 1" = 0.5 "Gain 2" = 0.25 } }
              { type = builtin name = late label = delay control = { "Delay (s)" = 0.01 } }
            ]
            links = [
              { output = "amp:out" input = "comp:Left input" }
              { output = "amp:out" input = "comp:Right input" }
              { output = "comp:Left output" input = "mix:In 1" }
              { output = "comp:Right output" input = "mix:In 2" }
              { output = "mix:Out" input = "late:In" }
            ]
            inputs = [ "amp:in" ]
            outputs = [ "late:Out" ]
          }
          audio.channels = 2
        }
      }
    ]
    """

  /// A filter that is not supported is first, without `inputs`.
  static let filterChainWithConvolver = """
    context.modules = [
      { name = libpipewire-module-filter-chain
        args = {
          filter.graph = {
            nodes = [
              { type = builtin name = hall label = convolver config = { filename = "hall.wav" } }
              { type = lv2 name = amp plugin = "http://lv2plug.in/plugins/eg-amp" }
            ]
            links = [ { output = "hall:Out" input = "amp:in" } ]
          }
        }
      }
    ]
    """

  static let pedalboard = """
    @prefix ingen: <http://drobilla.net/ns/ingen#> .
    @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
    @prefix pedal: <http://moddevices.com/ns/modpedal#> .
    _:b1 ingen:tail <capture_1> ; ingen:head <Amp/in> .
    _:b2 ingen:tail <Amp/out> ; ingen:head <playback_1> .
    _:b3 ingen:tail <Amp/out> ; ingen:head <playback_2> .
    <Amp> ingen:enabled false ; lv2:port <Amp/in> , <Amp/out> , <Amp/gain> , <Amp/:bypass> ;
      lv2:prototype <http://lv2plug.in/plugins/eg-amp> ; pedal:instanceNumber 0 ; a ingen:Block .
    <Amp/gain> ingen:value -4.5 .
    <Amp/:bypass> ingen:value 1 .
    <:bpm> ingen:value 96.0 .
    <:bpb> ingen:value 3.0 .
    <> a ingen:Graph , pedal:Pedalboard ; <http://usefulinc.com/ns/doap#name> "Clean" ;
      ingen:block <Amp> ; ingen:arc _:b1 , _:b2 , _:b3 .
    """
}
