// Samples.swift: one of each command, event, change and reply. SPDX-License-Identifier: MIT

import ErrorModel
import HostModel

/// One of each, with every key that it can have.
enum Samples {
  static let commands: [Command] = [
    .status,
    .set(
      .init(
        node: "reverb", values: [.init("mix", "40 %"), .init("decay", "3 s")],
        directory: "/home/ada")),
    .set(.init(node: "", values: [.init("reverb.mix", "40 %"), .init("gain.gain", "0")], over: 2)),
    .load(.init(file: "/home/ada/evening.yaml")),
    .save(.init(file: "/home/ada/mine.yaml", force: true)), .save(.init()),
    .insert(
      .init(
        .init("limiter", values: [.init("ceiling", "-1")], directory: "/home/ada"), name: "last",
        position: .after("reverb"))),
    .insert(.init(.init("outboard.gain"), position: .on("in -> out"))),
    .insert(.init(.init("urn:amp"))), .remove(.init(node: "reverb")),
    .move(.init(node: "reverb", to: .before("out"))),
    .replace(.init(node: "reverb", with: .init("MDA Ambience"))), .undo, .redo, .scene(.list),
    .scene(.recall("chorus", over: 2.5)), .scene(.store("bridge")),
    .record(.init(node: "tape", action: .mark("chorus"))), .record(.init(action: .start)),
    .record(.init()), .play(.init(node: "guitar", action: .seek("1:23"))),
    .play(.init(action: .next)), .meters(.init(reset: true)), .top,
    .blackBox(.init(directory: "/home/ada/crackle")),
    .subscribe(.init(events: [.changed, .level], revision: 17)), .subscribe(.init()),
    .unsubscribe, .subscribe(.init(levels: 20)), .acknowledge(7),
    .plugins(.init(query: "remove noise", limit: 5)), .plugins(.init()),
    .plugin("outboard.reverb"), .rigs, .files(.init(directory: "/home/ada")), .files(.init()),
    .scene(.step(1)), .scene(.step(-1)), .learn(.init()),
    .learn(
      .init(target: "reverb.mix", range: "0..60 %", device: "nanoKONTROL2", options: "pickup")),
    .map(.list), .map(.add("cc 21 -> reverb.mix")), .map(.remove("reverb.mix")),
    .transport(.init()), .transport(.init(tempo: 124.5, action: .start)),
    .transport(.init(action: .tap)),
  ]

  static let started = Event.Started(
    sampleRateHz: 48_000, periodFrames: 64, linked: true, roundTripFrames: 192,
    pluginLatencyFrames: 0,
    devices: [
      .init(
        device: "hw:1", name: "Scarlett", direction: "playback", channels: 2, format: "S32",
        sampleRateHz: 48_000, periodFrames: 64, bufferFrames: 192, driftCorrected: false)
    ], notes: ["A note."])

  static let state = SessionState(
    rig: "stage",
    nodes: [
      .init(
        name: "reverb", plugin: "outboard.reverb",
        parameters: [.init(symbol: "mix", value: 40), .init(symbol: "decay", value: 2.5)],
        properties: [.init(uri: "urn:impulse", value: "hall.wav")], bypass: true, wet: 0.5,
        faulty: true),
      .init(name: "gain", plugin: "outboard.gain", parameters: [.init(symbol: "gain", value: 0)]),
    ], nestedRigs: [.init(name: "band", bypass: false, wet: 1)],
    connections: [
      .init(name: "in -> reverb", gain: -6), .init(name: "reverb -> out", gain: nil),
    ], scenes: [.init(name: "chorus", over: 2, current: true)],
    maps: ["cc 21 -> reverb.mix"],
    transport: .init(
      tempo: 123.4, rolling: true, clock: .init(device: "Digitakt", state: "locked")))

  static let changes: [StateChange] = [
    .parameter(node: "reverb", symbol: "mix", value: 45),
    .property(node: "reverb", uri: "urn:impulse", value: "room.wav"),
    .bypass(node: "band", isOn: true), .wet(node: "reverb", level: 0.25),
    .fault(node: "gain", isFaulty: true), .gain(connection: "in -> reverb", decibels: -3.5),
    .gain(connection: "in -> reverb", decibels: nil),
    .scenes([.init(name: "verse", over: nil, current: false)]), .rig(state),
    .maps(["cc 21 -> reverb.mix"]),
    .transport(.init(tempo: 98, rolling: false)),
  ]

  static let meter: MeterValues = {
    var meter = MeterValues(name: "input", seconds: 1.5, lostFrames: 0)
    meter.channels = [
      .init(
        peak: -6, held: -5, highest: -4, truePeak: -3.5, rms: -12, clips: 1, offset: 0.25)
    ]
    (meter.momentary, meter.shortTerm, meter.integrated) = (-20, -21, -22)
    (meter.highestMomentary, meter.highestShortTerm) = (-18, -19)
    (meter.range, meter.correlation) = (6, 0.5)
    meter.bands = [.init(hz: 1_000, level: -30)]
    return meter
  }()

  static let events: [Event] = [
    .started(started),
    .changed(.init(revision: 17, source: .client, client: ClientID(3), changes: changes)),
    .level(
      .init(
        inputPeakDBFS: [-12.5, nil], outputPeakDBFS: [-6], meanLoad: 0.25, worstLoad: 0.5, xruns: 0,
        lostSeconds: 0, clippedSamples: 0, drift: [.init(device: "hw:2", driftPPM: 12.5)])),
    .analysis(
      .init(
        analysis: .init(
          node: "spectrum", peakDBFS: [-6], rmsDBFS: [-12],
          bands: [.init(centreHz: 1_000, decibels: -20)], strongestHz: 440))),
    .meter(.init(meter: meter)), .xrun(.init(xruns: 1, lostSeconds: 0.125)),
    .device(
      .init(
        device: "hw:1", direction: "playback", state: "missing", fallback: "hw:0",
        currentName: "hw:2", reason: "The device was disconnected.")),
    .rate(.init(sampleRateHz: 44_100)),
    .notice(.init(HostNotice("rigReloaded", "Reloaded {rig}.", "evening.yaml"))),
    .property(
      .init(
        property: .init(
          node: "ir", property: "impulse", uri: "urn:impulse", value: .string("hall.wav")))),
    .midi(
      .init(
        HostNotice("midiConnected", "The MIDI {direction} {device} is connected.", "input", "mix"))),
    .feedback(
      .init(
        feedback: .init(
          seconds: 1.5, action: "notched", frequencyHz: 2_500, levelDecibels: -10,
          depthDecibels: -6))),
    .refused(
      .init(
        node: "reverb", plugin: "Unknown", request: "home", call: "openat", path: "/home/user",
        notice: "reverb was refused.")),
    .failure(
      .init(
        kind: "crashed", node: "reverb", plugin: "urn:reverb", location: "reverb.c:12",
        failure: "reverb crashed.")),
    .stopped(
      .init(
        xruns: 1, lostSeconds: 0.125, clippedSamples: 0, failure: "The device is gone.",
        recordings: [
          .init(
            file: "take.wav", seconds: 10, frames: 480_000, channels: 2, sampleRateHz: 48_000,
            lostFrames: 0, clippedSamples: 0, failure: "The disk is full.")
        ])),
    .levels(
      .init(
        sequence: 7, inputPeakDBFS: [-12.5, nil], outputPeakDBFS: [-6],
        nodes: [
          .init(
            name: "gate", peakDBFS: -12.5,
            readouts: [.init(symbol: "reduction", value: -3.5), .init(symbol: "open", value: nil)])
        ], load: 0.25, xruns: 0)),
  ]

  static let replies: [Reply] = {
    var changed = Reply(notes: ["mix is above its maximum; 100 % is used."])
    changed.change = .init(revision: 17, source: .client, client: ClientID(3), changes: changes)
    var node = SessionStatus.Node(
      name: "reverb", plugin: "outboard.reverb", values: ["mix": 40], readouts: ["level": -6])
    node.shown = [.init(symbol: "mode", name: "Mode", value: 1, unit: "%", choice: "Hall")]
    node.shownReadouts = [
      .init(symbol: "level", name: "Level", value: -6, unit: "dB", choice: nil)
    ]
    node.properties = ["impulse": "hall.wav"]
    (node.wet, node.bypass, node.faulty) = (0.5, true, true)
    var status = SessionStatus(
      process: 42, revision: 17, rig: "stage", stall: "It hangs", nodes: [node], stream: started)
    status.addresses = ["http://127.0.0.1:8420/"]
    status.deviceStates = [.init(device: "hw:1", direction: "playback", state: "missing")]
    status.transport = state.transport
    return [
      Reply(), changed,
      Reply(ErrorInfo(message: "No such node.", kind: .usage, fields: ["key": "node"])),
      Reply(.status(status)),
      Reply(.scenes(state.scenes)),
      Reply(
        .nodeLoads([
          .init(
            name: "reverb", plugin: "outboard.reverb", mean: 1.5, p99: 2, worst: 3, peak: -6,
            latency: 0, faults: 1, lastFault: "overload")
        ])),
      Reply(.meters([meter])),
      Reply(
        .maps([
          .init(number: 1, control: "cc 21", target: "reverb.mix", options: "0..60 % pickup")
        ])),
      Reply(.transport(.init(tempo: 124.5, rolling: true))),
      Reply(
        .subscribed(.init(client: ClientID(3), snapshot: .init(revision: 17, state: state)))),
      Reply(
        .plugins([
          .init(
            plugin: "outboard.organ", name: "Organ", category: "Instrument", format: "module",
            summary: "A tonewheel organ.", inputs: 0, outputs: 2, midi: true)
        ])),
      Reply(.plugin(.object([.init("id", .string("outboard.organ"))]))),
      Reply(.rigs([.init(name: "stage", path: "/home/ada/stage.yaml")])),
      Reply(
        .files(
          .init(directory: "/home/ada", entries: [.init(name: "hall.wav", directory: false)]))),
    ]
  }()
}
