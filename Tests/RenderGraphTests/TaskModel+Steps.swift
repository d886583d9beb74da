// TaskModel+Steps.swift: the steps of the model. SPDX-License-Identifier: MIT

extension TaskModel {
  // MARK: - The owner

  mutating func stepBeginning(_ own: inout Thread) {
    switch own.place {
    case .begin:
      block += 1
      program = block
      waiting = shape.predecessorCounts.map { shape.miscounts && $0 > 1 ? $0 - 1 : $0 }
      ran = ran.map { _ in false }
      own.place = .beginUnfinished
    case .beginUnfinished:
      unfinished = UInt8(successors.count)
      own.place = .beginMayWake
    case .beginMayWake:
      canWake = true
      wakes = 0
      own.index = 0
      own.place = .beginEntry
    case .beginEntry:
      entries[Int(own.index)] = Tagged(block: block, number: roots[Int(own.index)] + 1)
      own.index += 1
      if own.index == UInt8(roots.count) { own.place = .beginBack }
    case .beginBack:
      back = UInt8(roots.count)
      own.place = .beginFront
    default:
      front = Tagged(block: block)
      (own.next, own.left, own.wasLast) = (-1, 0, false)
      own.place = roots.count > 1 ? .callSleepers : .ownerPoll
    }
  }

  mutating func stepOwning(_ own: inout Thread) throws {
    switch own.place {
    case .ownerPoll: own.place = unfinished > 0 ? .takeFront : .ownerFree
    case .ownerSignal:
      ownerSleeps = true
      own.place = shape.looksAgain ? .ownerPollAgain : .ownerWait
    case .ownerPollAgain: own.place = unfinished > 0 ? .ownerFront : .ownerWoken
    case .ownerFront:
      own.seen = front
      own.place = own.seen.number < entries.count ? .ownerEntry : .ownerWait
    case .ownerEntry:
      own.place = isReady(entries[Int(own.seen.number)], own.seen) ? .ownerWoken : .ownerWait
    case .ownerWait: own.place = ownerSleeps ? .ownerSleep : .ownerWoken
    case .ownerWoken:
      ownerSleeps = false
      own.place = .ownerPoll
    case .ownerFree:
      guard ran.allSatisfy(\.self) else {
        throw InvariantViolation("a block is over, but not its tasks")
      }
      program = 0
      own.place = block < shape.blockCount ? .begin : .stop
    case .stop:
      isStopping = true
      own.place = .stopBell
    case .stopBell:
      bell += 1
      own.place = .stopWake
    default:
      wakeWorkers()
      own.place = .join
    }
  }

  // MARK: - Taking

  mutating func stepTaking(_ own: inout Thread, isOwner: Bool) throws {
    let idle: Place = isOwner ? .ownerIdle : .workerIdle
    switch own.place {
    case .takeFront:
      own.seen = front
      own.place = own.seen.number < entries.count ? .takeEntry : idle
    case .takeEntry:
      own.entry = entries[Int(own.seen.number)]
      own.place = isReady(own.entry, own.seen) ? .takeExchange : idle
    default:
      guard front == own.seen else {
        own.seen = front
        own.place = own.seen.number < entries.count ? .takeEntry : idle
        return
      }
      front.number += 1
      own.task = own.entry.number - 1
      own.place = .run
    }
  }

  // MARK: - Working

  mutating func stepWorking(_ own: inout Thread) throws {
    switch own.place {
    case .run:
      guard program != 0 else { throw InvariantViolation("a program is used that was freed") }
      guard !ran[Int(own.task)] else { throw InvariantViolation("a task is run twice") }
      guard predecessors(own.task).allSatisfy({ ran[Int($0)] }) else {
        throw InvariantViolation("a task is run before one that it needs")
      }
      own.program = program
      ran[Int(own.task)] = true
      (own.next, own.left, own.index) = (-1, 0, 0)
      own.place = successors[Int(own.task)].isEmpty ? .finish : .countDown
    case .countDown:
      guard program == own.program else {
        throw InvariantViolation("a program is counted in that was freed")
      }
      let successor = successors[Int(own.task)][Int(own.index)]
      waiting[Int(successor)] &-= 1
      let isReady = waiting[Int(successor)] == 0
      if isReady, own.next >= 0 {
        own.place = .putBack
      } else {
        if isReady { own.next = Int8(successor) }
        countOn(&own)
      }
    case .putBack:
      own.seen.number = back
      own.place = .putEntry
    case .putEntry:
      guard program == own.program, own.seen.number < entries.count else {
        throw InvariantViolation("a task is put where none can be")
      }
      own.entry = entries[Int(own.seen.number)]
      if own.entry.block == block { own.seen.number += 1 } else { own.place = .putExchange }
    case .putExchange:
      guard entries[Int(own.seen.number)] == own.entry else {
        own.seen.number += 1
        own.place = .putEntry
        return
      }
      let successor = successors[Int(own.task)][Int(own.index)]
      entries[Int(own.seen.number)] = Tagged(block: block, number: successor + 1)
      own.left += 1
      own.place = .putOn
    case .putOn:
      back = own.seen.number + 1
      countOn(&own)
    default:
      unfinished -= 1
      own.wasLast = unfinished == 0
      own.place = own.left > 0 ? .callSleepers : .wakeOwner
    }
  }

  private mutating func countOn(_ own: inout Thread) {
    own.index += 1
    own.place = Int(own.index) < successors[Int(own.task)].count ? .countDown : .finish
  }

  private func predecessors(_ task: UInt8) -> [UInt8] {
    successors.indices.filter { successors[$0].contains(task) }.map { UInt8($0) }
  }

  // MARK: - Calling

  mutating func stepCalling(_ own: inout Thread, isOwner: Bool) throws {
    switch own.place {
    case .callSleepers: own.place = sleepingWorkers > 0 ? .callMayWake : .wakeOwner
    case .callMayWake:
      own.place = canWake ? .callBell : .wakeOwner
      canWake = false
    case .callBell:
      bell += 1
      own.place = .callWake
    case .callWake:
      wakes += 1
      guard wakes <= 2 else { throw InvariantViolation("workers are woken again and again") }
      wakeWorkers()
      own.place = .wakeOwner
    case .wakeOwner:
      if own.left > 0 || own.wasLast, ownerSleeps {
        own.place = .callOwnerExchange
      } else {
        goOn(&own, isOwner: isOwner)
      }
    case .callOwnerExchange:
      if ownerSleeps { own.place = .callOwnerWake } else { goOn(&own, isOwner: isOwner) }
      ownerSleeps = false
    default:
      if threads[0].place == .ownerSleep { threads[0].place = .ownerWoken }
      goOn(&own, isOwner: isOwner)
    }
  }

  private mutating func wakeWorkers() {
    for worker in threads.indices.dropFirst() where threads[worker].place == .workerSleep {
      threads[worker].place = .workerWoken
    }
  }

  // MARK: - A worker without work

  mutating func stepWaiting(_ own: inout Thread) {
    switch own.place {
    case .workerPoll: own.place = isStopping ? .ended : .takeFront
    case .workerBell:
      own.seenGeneration = bell
      own.place = .workerSignal
    case .workerSignal:
      sleepingWorkers += 1
      own.place = .workerFront
    case .workerFront:
      own.seen = front
      own.place = own.seen.number < entries.count ? .workerEntry : .workerStop
    case .workerEntry:
      own.place = isReady(entries[Int(own.seen.number)], own.seen) ? .workerWoken : .workerStop
    case .workerStop: own.place = isStopping ? .workerWoken : .workerWait
    case .workerWait: own.place = bell == own.seenGeneration ? .workerSleep : .workerWoken
    default:
      sleepingWorkers -= 1
      own.place = .workerPoll
    }
  }
}
