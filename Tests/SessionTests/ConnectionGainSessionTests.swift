// ConnectionGainSessionTests.swift: gains of connections, changed manually and by scenes. SPDX-License-Identifier: MIT

import Foundation
import GraphTestSupport
import RenderGraph
import RigSchema
import RigTestSupport
import Testing

@testable import Session

@Suite(.serialized) struct `A running rig's connections` {
  private let workshop: RigTestEnvironment

  init() throws { workshop = try RigTestEnvironment(modules: ["gain", "delay"]) }

  private func session(_ driver: ManualDriver, _ more: String = "") throws -> LiveSession {
    let session = try LiveSession(
      PreparedRig(
        try workshop.rig(
          """
          input: {device: hand, channels: 2}
          output: {device: hand, channels: 2}
          feedback_suppression: off
          nodes:
            voice: {plugin: outboard.gain}
            hall: {plugin: outboard.gain}
          connections:
            - in -> voice -> out
            - {from: voice, to: hall, gain: -20 dB}
            - hall -> out
          scenes:
            near: {"voice -> hall.gain": -3 dB}
            far: {over: 300 ms, "voice -> hall.gain": off, "voice -> out.gain": -6 dB}
          \(more)
          """), workshop.library), workshop.library
    ) { _ in driver }
    try session.start()
    return session
  }

  private func gain(_ session: LiveSession) -> Float {
    session.rig.rig.connections[2].gainDecibels
  }

  @Test func `a manual or scene change of a gain does not click`() throws {
    let driver = ManualDriver()
    let session = try session(driver)
    defer {
      driver.stop()
      session.stop()
    }
    var clicks = ClickDetector()
    var (frame, peak) = (0, Float(0))
    func play(_ blocks: Int = 150) throws {
      var played = 0
      peak = 0
      while played < blocks || session.isMorphing || !session.graph.editor.isIdle {
        let tone = ArraySlice((frame ..< frame + 64).map { clicks.tone(at: $0) })
        for sample in driver.play(tone, tone).prefix(64) {
          clicks.hear(sample)
          peak = max(peak, abs(sample))
        }
        (frame, played) = (frame + 64, played + 1)
        // In real time, because otherwise a scene would end within a few blocks.
        if session.isMorphing { Thread.sleep(forTimeInterval: 0.001) }
        session.advanceMorph()
        _ = try session.report()
      }
    }
    try play()
    // A tone that begins in the middle of a wave is not counted as a click here.
    clicks = ClickDetector()
    for (step, level) in [
      ("-6 dB", 1.501), ("off", 1), ("0", 2), ("-40", 1.01),
    ] as [(String, Float)] {
      _ = try session.set("voice -> hall", to: [("gain", step)])
      try play()
      try play()
      #expect(abs(peak - level / 10) < 0.001)
    }
    for scene in ["near", "far", "near"] {
      _ = try session.recall(scene)
      try play()
    }
    #expect(gain(session) == -3)
    _ = try session.undo()
    try play()
    #expect(gain(session) == -.infinity)
    #expect(clicks.worstDecibels < -90)
  }

  @Test func `a manual gain overrides a scene that is still fading`() throws {
    let driver = ManualDriver()
    let session = try session(driver)
    defer {
      driver.stop()
      session.stop()
    }
    _ = try session.recall("near", over: 1_000)
    #expect(session.isMorphing)
    _ = try session.set("voice->hall", to: [("gain", "-7")])
    #expect(!session.isMorphing && gain(session) == -7)
    // Half of a ramp in decibels, and half of one to silence in linear level.
    var way = SceneMorph.GainMorph(
      connection: session.rig.rig.connections[2], toDecibels: -27,
      clock: .init(start: 0, seconds: 2))
    #expect(way.decibels(at: 1) == -17)
    way.toDecibels = -.infinity
    #expect(abs(way.decibels(at: 1) - -13.02) < 0.01 && way.decibels(at: 2) == -.infinity)
  }

  @Test func `gains are stored in a scene, saved, and set at the start with it`() throws {
    let driver = ManualDriver()
    let session = try session(driver)
    defer {
      driver.stop()
      session.stop()
    }
    _ = try session.set("voice -> hall", to: [("gain", "-7.5")])
    _ = try session.storeScene("mine")
    let path = "\(workshop.path)/saved.yaml"
    try session.save(to: path, replaces: true)
    let saved = try RigReader.read(path: path)
    #expect(saved.connections[2].gainDecibels == -7.5)
    // The file omits values that equal those of the rig. They are added when the rig is prepared.
    #expect(saved.scenes.last?.isComplete == true && saved.scenes.last?.values.isEmpty == true)
    let mine = try #require(try PreparedRig(saved, workshop.library).rig.scenes.last).values
    #expect(mine.first { $0.symbol == "voice -> hall.gain" }?.text == "-7.5 dB")
    #expect(mine.first { $0.symbol == "in -> voice.gain" }?.text == "0 dB")
    let begun = try PreparedRig(saved, workshop.library).applyingScene("near")
    #expect(begun.rig.connections[2].gainDecibels == -3)
    _ = try session.set("voice -> hall", to: [("gain", "-9")])
    try session.save(to: path, replaces: true)
    let other = try #require(try RigReader.read(path: path).scenes.last).values
    #expect(other.map(\.symbol) == ["voice -> hall.gain"] && other.first?.text == "-7.5 dB")
  }

  @Test func `a manual gain overrides its lane until the next point`() throws {
    let driver = ManualDriver()
    let session = try session(
      driver, "automation: [{parameter: \"voice -> hall.gain\", points: [[0, -30 dB]]}]")
    defer {
      driver.stop()
      session.stop()
    }
    let tone = ArraySlice(repeatElement(Float(0.1), count: 64))
    // After its point, because otherwise that would be the next one.
    for _ in 0 ..< 10 { _ = driver.play(tone, tone) }
    let notes = try session.set("voice -> hall", to: [("gain", "0")])
    #expect(notes == ["voice -> hall.gain is automated. Its lane sets it again at the next point."])
    for _ in 0 ..< 300 { _ = driver.play(tone, tone) }
    #expect(abs(driver.play(tone, tone)[0] - 0.2) < 0.001)
    // A scene that is stored omits automated values.
    _ = try session.storeScene("mine")
    let symbols = try #require(session.rig.rig.scenes.last).values.map(\.symbol)
    #expect(!symbols.contains("voice -> hall.gain") && symbols.contains("hall -> out.gain"))
  }
}
