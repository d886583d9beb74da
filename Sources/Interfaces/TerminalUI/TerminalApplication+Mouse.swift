// TerminalApplication+Mouse.swift: what the mouse does while no dialog is open. SPDX-License-Identifier: MIT

import HostModel

extension TerminalApplication {
  /// Handles the mouse over a part of the screen.
  func handle(_ mouse: InputEvent.Mouse, _ target: ScreenDrawing.Target?) {
    switch mouse.action {
    case .press(0):
      model.message = nil
      press(mouse, target)
    case .drag:
      if let drag { moveControl(drag.row, drag.scale, column: mouse.column) }
    case .release: drag = nil
    case .wheel(let direction): turn(direction, mouse.modifiers, target)
    case .press: break
    }
  }

  private func press(_ mouse: InputEvent.Mouse, _ target: ScreenDrawing.Target?) {
    switch target {
    case .slot(let name)?:
      model.select(slot: name)
      model.focus = .chain
    case .bypass(let name)?: link.set(name, "bypass", "toggle")
    case .row(let index)?: pressRow(index)
    case .scale(let index, let scale)?:
      select(row: index)
      drag = (index, scale)
      moveControl(index, scale, column: mouse.column)
    case .page(let page)?: show(page)
    case .scene(let index)?:
      model.selectedScene = index
      recallScene()
    case .device(let index)?:
      model.selectedDevice = index
      chooseTransportAction()
    case .clip?: resetClips()
    case .key(let key)?: handleCommand(.key(key, []), nil)
    case .dialogItem?, nil: break
    }
  }

  /// A click on a switch or a menu changes it; on the name of a slider it selects.
  private func pressRow(_ index: Int) {
    let isSelected = model.selectedRow == index && model.focus == .controls
    select(row: index)
    guard let row = model.selectedControl else { return }
    let isSlider = row.parameter.map { !$0.isToggle && !$0.isChoice && !$0.isTrigger } ?? false
    if !isSlider || isSelected { activate() }
  }

  private func select(row index: Int) {
    guard model.rows.indices.contains(index) else { return }
    model.selectedRow = index
    model.focus = .controls
  }

  private func moveControl(_ index: Int, _ scale: Rectangle, column: Int) {
    guard model.rows.indices.contains(index), model.selectedRow == index else { return }
    let share = Double(column - scale.column) / Double(max(1, scale.columns - 1))
    changeValue { parameter, _ in parameter.value(at: share) }
  }

  private func turn(
    _ direction: Int, _ modifiers: InputEvent.Modifiers, _ target: ScreenDrawing.Target?
  ) {
    switch target {
    case .scale(let index, _)?:
      select(row: index)
      step(by: Double(direction) * (modifiers.contains(.shift) ? 0.2 : 1))
    case .row?: moveRow(by: -direction)
    case .slot?, .bypass?: moveSlot(by: -direction)
    case .scene?:
      let last = max(0, model.state.scenes.count - 1)
      model.selectedScene = max(0, min(last, model.selectedScene - direction))
    default: if model.page == .status { model.logTop -= direction }
    }
  }
}
