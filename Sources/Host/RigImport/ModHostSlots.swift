// ModHostSlots.swift: the MIDI mappings of mod-host. SPDX-License-Identifier: MIT

/// The list of mappings in which mod-host looks for a control.
///
/// A parameter keeps its slot when it is mapped again, and a slot that became free is used for the next mapping. Of
/// several slots with the same control, only the first one has an effect.
struct ModHostSlots {
  /// What a control moves.
  struct Target: Equatable {
    let node: String
    let parameter: String
  }

  private var slots: [(target: Target, control: ForeignProject.Control)?] = []

  /// The mappings with their nodes, in the order in which mod-host looks at them.
  var controls: [(control: ForeignProject.Control, node: String)] {
    slots.compactMap { slot in slot.map { ($0.control, $0.target.node) } }
  }

  /// Maps a control to a parameter of a node.
  mutating func set(_ control: ForeignProject.Control, ofNode node: String) {
    let target = Target(node: node, parameter: control.parameter)
    let present = slots.firstIndex { $0?.target == target }
    if let place = present ?? slots.firstIndex(where: { $0 == nil }) {
      slots[place] = (target, control)
    } else {
      slots.append((target, control))
    }
  }

  /// Removes mappings.
  mutating func remove(where isRemoved: (Target) -> Bool) {
    for index in slots.indices {
      if let slot = slots[index], isRemoved(slot.target) { slots[index] = nil }
    }
  }
}
