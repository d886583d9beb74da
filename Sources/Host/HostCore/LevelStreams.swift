// LevelStreams.swift: levels for displays, as often as clients have requested. SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import HostModel
import PluginModel
import Session
import Synchronization

/// The subscriptions of the event `levels`.
///
/// All clients with one rate receive the same event, so it is encoded once. A client that has not acknowledged
/// `window` events is left out, so no more than these wait for a slow client.
final class LevelStreams: Sendable {
  /// Events that are sent to a client before one of them is acknowledged.
  static let window = 4

  private struct Client {
    /// The numbers of the events that were sent and not acknowledged, in order.
    var waiting: [Int] = []
  }

  /// The clients of one rate.
  private struct Group {
    var clients: [ClientID: Client] = [:]
    var dueNanoseconds: UInt64
    var window = Window()
  }

  /// The highest levels since the last event.
  private struct Window {
    var reading: LevelReading?

    mutating func add(_ next: LevelReading) {
      guard let old = reading else {
        reading = next
        return
      }
      var merged = next
      merged.inputPeaks = LevelWindow.higher(old.inputPeaks, next.inputPeaks)
      merged.outputPeaks = LevelWindow.higher(old.outputPeaks, next.outputPeaks)
      for index in merged.nodes.indices
      where index < old.nodes.count && old.nodes[index].name == merged.nodes[index].name {
        merged.nodes[index].peak = max(old.nodes[index].peak, merged.nodes[index].peak)
      }
      reading = merged
    }
  }

  private struct State {
    var groups: [Int: Group] = [:]
    var lastSequence = 0
  }

  private let state = Mutex(State())

  /// An event and its receivers.
  struct Delivery {
    let levels: Event.Levels
    let clients: [ClientID]
  }

  /// Sends levels to a client this many times a second, or ends that; the first event is due at once. [any]
  func set(_ rate: Int?, for client: ClientID) {
    remove(client)
    guard let rate else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    state.withLock {
      $0.groups[rate, default: Group(dueNanoseconds: now)].clients[client] = Client()
    }
  }

  /// Forgets a client. [any]
  func remove(_ client: ClientID) {
    state.withLock { state in
      for rate in state.groups.keys {
        state.groups[rate]?.clients[client] = nil
        if state.groups[rate]?.clients.isEmpty ?? false { state.groups[rate] = nil }
      }
    }
  }

  /// Records that a client has received an event and all before it. [any]
  func acknowledge(_ sequence: Int, by client: ClientID) {
    state.withLock { state in
      for rate in state.groups.keys {
        state.groups[rate]?.clients[client]?.waiting.removeAll { $0 <= sequence }
      }
    }
  }

  /// Whether no client receives levels. [any]
  var isEmpty: Bool { state.withLock { $0.groups.isEmpty } }

  /// The time until the next event in seconds; nil if there are no clients. [main]
  func pause(at now: UInt64) -> Double? {
    state.withLock { state in
      state.groups.values.map(\.dueNanoseconds).min().map { $0 > now ? Double($0 - now) / 1e9 : 0 }
    }
  }

  /// Adds levels, and returns the events that are due. [main]
  func add(
    _ reading: LevelReading, load: Double, xruns: Int, at now: UInt64
  ) -> [Delivery] {
    state.withLock { state in
      for rate in state.groups.keys { state.groups[rate]?.window.add(reading) }
      return state.groups.keys.compactMap { rate in
        guard let group = state.groups[rate], group.dueNanoseconds <= now else { return nil }
        let interval = 1_000_000_000 / UInt64(rate)
        // A late event does not make the next one early.
        state.groups[rate]?.dueNanoseconds = max(
          group.dueNanoseconds + interval, now + interval / 2)
        state.groups[rate]?.window = Window()
        let clients = group.clients.filter { $0.value.waiting.count < Self.window }.map(\.key)
        guard !clients.isEmpty, let reading = group.window.reading else { return nil }
        state.lastSequence += 1
        for client in clients {
          state.groups[rate]?.clients[client]?.waiting.append(state.lastSequence)
        }
        return Delivery(
          levels: .init(reading, sequence: state.lastSequence, load: load, xruns: xruns),
          clients: clients)
      }
    }
  }
}

extension Event.Levels {
  fileprivate init(_ reading: LevelReading, sequence: Int, load: Double, xruns: Int) {
    func decibels(_ peak: Float) -> Double? {
      // A hundredth of a decibel is finer than any display.
      peak > 0 && peak.isFinite ? (2_000 * log10(Double(peak))).rounded() / 100 : nil
    }
    self.init(
      sequence: sequence, inputPeakDBFS: reading.inputPeaks.map(decibels),
      outputPeakDBFS: reading.outputPeaks.map(decibels),
      nodes: reading.nodes.map { node in
        Node(
          name: node.name, peakDBFS: decibels(node.peak),
          readouts: node.readouts.map { readouts in
            zip(readouts.plugin.readouts, readouts.values).map {
              Readout(symbol: $0.symbol, value: $1.isFinite ? $1 : nil)
            }
          } ?? [])
      }, load: (load * 10_000).rounded() / 10_000, xruns: xruns)
  }
}
