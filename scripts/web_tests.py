"""web_tests: the tests of scripts/test-web. Each gets a Machine and raises an error if the page is wrong."""
import os
import re
import time
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from web_machine import LAPTOP, PHONE

LIMIT_BYTES = 150_000
CHAIN = """outboard: 1
name: Test chain
nodes:
  eq: {plugin: outboard.parametric-eq}
  comp: {plugin: outboard.compressor}
  hall: {plugin: outboard.reverb, parameters: {mix: 30}}
connections: [in -> eq -> comp -> hall -> out]
scenes: {verse: {hall.mix: 10 %}, chorus: {hall.mix: 60 %}}
"""
HOSTILE = "<img src=x onerror=window.hit=1>"


def same(found, expected, what):
    assert found == expected, f"{what}: {found!r} instead of {expected!r}"


def chain(machine, size=LAPTOP):
    session = machine.start(CHAIN)
    page = machine.page(session.url, size)
    page.wait(lambda: page.slots() == ["eq", "comp", "hall"], "the chain")
    return page


def clean(page):
    """No message on the console, and no request to another host."""
    page.collect()
    same(page.console, [], "messages on the console")
    host = page.run("return location.host")
    others = [url for url in page.requests if not re.match(rf"(?:http|ws)://{re.escape(host)}/|about:|data:,", url)]
    same(others, [], "requests to other hosts")


def state_value(page, node, symbol, expected):
    """Waits until the session reports a value: a new page reads it from the snapshot."""
    page.wait(lambda: page.run("""const [node, symbol] = arguments;
        return document.querySelector(`[data-symbol="${symbol}"] [role=slider]`)?.getAttribute('aria-valuetext')""",
                               node, symbol) == expected, f"{node}.{symbol} = {expected}")


def test_size(machine):
    folder = machine.root / "Sources/Interfaces/WebPage"
    files = [one for one in folder.iterdir() if one.suffix in (".html", ".css", ".js", ".svg")]
    total = sum(one.stat().st_size for one in files)
    assert total <= LIMIT_BYTES, f"the page has {total} bytes, more than {LIMIT_BYTES}"
    for one in files:
        if one.suffix == ".js":
            text = one.read_text()
            same(re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), [], one.name)
            assert text.count("\n") <= 300, f"{one.name} has more than 300 lines"


def test_pure_functions(machine):
    page = chain(machine)
    found = page.module("""
        const f = await import('/format.js'), l = await import('/layout.js'), p = await import('/plots.js');
        const s = await import('/state.js'), c = await import('/coalesce.js');
        const hertz = {name: 'F', minimum: 20, maximum: 20000, unit: 'Hz', scale: 'logarithmic'};
        const mix = {name: 'Mix', minimum: 0, maximum: 100, unit: '%', scale: 'linear', default: 20};
        const toggle = {minimum: 0, maximum: 1, scale: 'toggle'}, steps = {minimum: 0, maximum: 7, scale: 'integer'};
        const sent = [], gates = [];
        const coalescer = new c.Coalescer((key, value) => new Promise((done) => { sent.push(value); gates.push(done); }));
        for (const value of [1, 2, 3, 4]) coalescer.put('a', value);
        gates.shift()(); await Promise.resolve(); await Promise.resolve(); await Promise.resolve();
        const node = (name) => ({name, plugin: 'x', parameters: []});
        const rig = {nodes: ['a', 'b', 'm', 'strip/x'].map(node), nestedRigs: [{name: 'strip'}], scenes: [], connections:
            ['in -> a', 'in:2 -> b', 'a -> m', 'b -> m:1', 'm -> strip', 'strip -> out', 'm -> a'].map((name) => ({name, gain: 0}))};
        const boxes = l.arrange(rig).boxes, at = (name) => boxes.find((one) => one.unit.name === name);
        const overlap = boxes.some((a, i) => boxes.some((b, j) => i < j && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h));
        const state = s.reduce({...s.emptyState, ...rig}, {change: 'parameter', node: 'a', symbol: 'g', value: 3});
        const comp = {threshold: -20, ratio: 4, knee: 6};
        return {
          middle: f.valueAt(hertz, 0.5), ends: [f.valueAt(hertz, 0), f.valueAt(hertz, 1)], round: f.position(mix, f.valueAt(mix, 0.37)),
          text: [f.formatted(hertz, 1250), f.formatted(mix, 30), f.formatted(toggle, 1), f.formatted({unit: ':1'}, 4), f.number(-6.25)],
          spoken: [f.spoken(hertz, 1250), f.spoken({unit: 'dB'}, -6)], step: [f.stepped(steps, 3, 1), f.stepped(steps, 7, 1), f.stepped(mix, 20, 1)],
          typed: [f.typedValue(mix, '45'), f.typedValue(hertz, '1.2k'), f.typedValue(mix, '3 s'), f.typedValue(mix, ' −4,5 '), f.typedValue(mix, '')],
          level: [f.levelShare(null), f.levelShare(-30), f.levelShare(6)], sent, order: l.readingOrder(boxes).map((one) => one.unit.name),
          columns: ['in', 'a', 'm', 'strip', 'out'].map((name) => at(name).column), overlap, strange: l.links({...rig,
            nodes: [node('a -> b'), node('x:1')], nestedRigs: [], connections: [{name: 'a -> b -> x:1'}, {name: 'nobody -> out'}]}).map((one) => [one.from, one.to]),
          value: state.nodes[0].parameters, other: s.reduce(state, {change: 'tomorrow'}) === state, empty: l.arrange(s.emptyState).boxes.length,
          bell: p.filterDecibels('bell', 1000, 6, 1, 1000), pass: p.filterDecibels('highPass', 100, 0, 0.70711, 100), low: p.filterDecibels('lowPass', 1000, 0, 0.70711, 20),
          squeezed: [p.compressedLevel(comp, -40), p.compressedLevel(comp, 0)], back: p.levelAtReduction(comp, 15),
        };""")
    same(found["middle"], 632, "middle of a logarithmic scale")
    same(found["ends"], [20, 20000], "ends of a scale")
    assert abs(found["round"] - 0.37) < 0.005
    same(found["text"], ["1.25 kHz", "30 %", "on", "4:1", "−6.25"], "text of values")
    same(found["spoken"], ["1.25 kilohertz", "minus 6 decibels"], "spoken values")
    same(found["step"], [4, 7, 21], "steps")
    same(found["typed"], [45, 1200, "3 s", -4.5, ""], "typed values")
    same(found["level"], [0, 0.5, 1], "levels")
    same(found["sent"], [1, 4], "one value in flight, and the last one wins")
    same(found["order"], ["in", "a", "b", "m", "strip", "out"], "reading order")
    same(found["columns"], [0, 1, 2, 3, 4], "columns; a loop does not count")
    assert not found["overlap"], "boxes overlap"
    same(found["strange"], [["a -> b", "x:1"]], "names with arrows and colons")
    same(found["value"], [{"symbol": "g", "value": 3}], "changed value")
    assert found["other"], "an unknown change must change nothing"
    same(found["empty"], 0, "boxes of an empty rig")
    assert abs(found["bell"] - 6) < 0.01 and abs(found["pass"] + 3.01) < 0.05 and abs(found["low"]) < 0.01
    same(found["squeezed"], [-40, -15], "compressed levels")
    assert abs(found["back"]) < 0.01
    clean(page)


def test_add_move_bypass_replace_remove(machine):
    page = chain(machine)
    page.click('[data-after="comp"]')
    page.one("dialog .search").send_keys("reverb")
    page.click('dialog [data-plugin="outboard.plate-reverb"]')
    page.wait(lambda: len(page.slots()) == 4, "a fourth slot")
    added = next(one for one in page.slots() if one not in ("eq", "comp", "hall"))
    same(page.slots()[2], added, "place of the new node")
    page.wait(lambda: page.one(".panel h1").text == added, "the new node is selected")
    moves = page.one(".panel-tools .move")
    same(moves.text, "Move", "the arrows of `move` have a label")
    shapes = page.run("return [...document.querySelectorAll('.move path, .scenes .card-head path')].map((one) => one.getAttribute('d'))")
    same(len(set(shapes)), 4, "arrows that differ from those of the scenes")
    page.press(f"Move {added} towards the output")
    page.wait(lambda: page.slots()[3] == added, "the moved node")
    page.click(f'[data-unit="{added}"] .power')
    page.wait(lambda: "bypassed" in page.one(f'[data-unit="{added}"]').get_attribute("class"), "bypass")
    page.press(f"Replace {added}")
    page.wait(lambda: len(page.all("dialog [data-plugin]")) > 20, "all plugins")
    # The list is scrolled before the results arrive.
    page.run("""const input = document.querySelector('dialog .search'); input.value = 'tremolo';
        input.dispatchEvent(new Event('input')); document.querySelector('dialog').scrollTop = 1000;""")
    page.wait(lambda: page.all("dialog [data-plugin]")[0].get_attribute("data-plugin") == "outboard.tremolo", "the results")
    same(page.run("return document.querySelector('dialog').scrollTop"), 0, "results are shown from the first")
    page.click('dialog [data-plugin="outboard.tremolo"]')
    page.wait(lambda: page.one(f'[data-unit="{added}"] .slot-kind, [data-unit="{added}"] .slot-state') and
              page.one(".panel-kind").text == "Tremolo", "the other plugin")
    page.press(f"Remove {added}")
    page.wait(lambda: page.slots() == ["eq", "comp", "hall"], "removed")
    page.press("Undo")
    page.wait(lambda: len(page.slots()) == 4, "undo")
    page.press("Redo")
    page.wait(lambda: len(page.slots()) == 3, "redo")
    clean(page)


def test_drag_a_card(machine):
    page = chain(machine)
    card, gap = page.one('[data-unit="eq"] .slot-name'), page.one('[data-after="hall"]')
    ActionChains(page.driver).click_and_hold(card).move_by_offset(30, 10).move_to_element(gap).release().perform()
    page.wait(lambda: page.slots() == ["comp", "hall", "eq"], "the dragged card")


def test_knobs(machine):
    page = chain(machine)
    page.open("hall")
    dial = page.one('[data-symbol="mix"] [role=slider]')
    same(page.value("mix"), "30 percent", "spoken value")
    ActionChains(page.driver).click_and_hold(dial).move_by_offset(0, -30).move_by_offset(0, -30).release().perform()
    page.wait(lambda: float(page.value("mix").split()[0]) > 50, "a dragged knob")
    ActionChains(page.driver).double_click(dial).perform()
    state_value(page, "hall", "mix", "20 percent")
    page.click('[data-symbol="decay"] .value')
    field = page.one("dialog input")
    field.clear()
    field.send_keys("3.5 s", Keys.ENTER)
    state_value(page, "hall", "decay", "3.5 seconds")
    page.click('[data-symbol="decay"] .value')
    page.one("dialog input").send_keys(Keys.CONTROL, "a")
    page.one("dialog input").send_keys("loud", Keys.ENTER)
    page.wait(lambda: "decay" in page.one("dialog .field-error").text.lower(), "an error for a wrong value")
    page.one("dialog input").send_keys(Keys.ESCAPE)
    page.wait(lambda: not page.all("dialog"), "the dialog has closed")
    page.press("Undo")
    state_value(page, "hall", "decay", "2 seconds")
    page.open("eq")
    handle = page.all(".handle")[2]
    ActionChains(page.driver).click_and_hold(handle).move_by_offset(40, -30).release().perform()
    page.wait(lambda: float(page.value("band_3_gain").split()[0]) > 1, "a dragged point of the equaliser")
    page.open("comp")
    page.run("const s = document.querySelector('[data-symbol=key] select'); s.value = '1'; s.dispatchEvent(new Event('change'))")
    page.click('[data-symbol="auto_makeup"] input')
    other = machine.page(page.driver.current_url + "#token=" + page.run("return localStorage.getItem('outboard.token')"))
    other.open("comp")
    other.wait(lambda: other.one('[data-symbol="key"] select').get_attribute("value") == "1", "the choice in another browser")
    assert not other.one('[data-symbol="auto_makeup"] input').is_selected(), "the switch in another browser"
    assert other.one(".plot .curve").get_attribute("d").startswith("M"), "the curve of the compressor"


def test_presets_and_wet(machine):
    page = chain(machine)
    page.open("hall")
    page.press("Presets")
    page.press("Cathedral")
    page.wait(lambda: page.value("mix") != "30 percent" or page.value("decay") != "2 seconds", "values of the preset")
    dial = page.one('[data-symbol="wet"] [role=slider]')
    dial.send_keys(Keys.PAGE_DOWN)
    state_value(page, "hall", "wet", "90 percent")


def test_scenes(machine):
    page = chain(machine)
    page.open("hall")
    page.press("chorus")
    state_value(page, "hall", "mix", "60 percent")
    page.wait(lambda: page.button("chorus").get_attribute("aria-pressed") == "true", "the current scene")
    page.one(".scenes .text.short").send_keys("0.1")
    page.press("verse")
    state_value(page, "hall", "mix", "10 percent")
    page.press("Next scene")
    state_value(page, "hall", "mix", "60 percent")
    page.press("Next scene")
    state_value(page, "hall", "mix", "10 percent")
    page.press("Store")
    field = page.one("dialog input")
    field.clear()
    field.send_keys(HOSTILE, Keys.ENTER)
    page.wait(lambda: any(one.text == HOSTILE for one in page.all(".scene")), "the stored scene")
    assert page.run("return window.hit") is None


def test_rigs_and_save(machine):
    page = chain(machine)
    page.press("More")
    page.press("Save as")
    field = page.one("dialog input.text")
    field.clear()
    field.send_keys("mine")
    page.wait(lambda: page.one("dialog .path").text.startswith("/"), "a directory")
    directory = page.one("dialog .path").text
    file = os.path.join(directory, "mine.yaml")
    assert not os.path.exists(file), f"{file} exists already"
    try:
        page.click("dialog [type=submit]")
        page.wait(lambda: os.path.exists(file) and not page.all("dialog"), "the saved rig")
    finally:
        if os.path.exists(file):
            os.remove(file)
    own = machine.sessions[-1].rig
    page.open("hall")
    page.click('[data-symbol="mix"] .value')
    field = page.one("dialog input")
    field.clear()
    field.send_keys("71", Keys.ENTER)
    state_value(page, "hall", "mix", "71 percent")
    page.press("Save")
    page.wait(lambda: "mix: 71" in Path(own).read_text(), "the rig in its own file")
    assert not page.all("dialog"), "saving into the own file asks for a name"
    page.click("#rig")
    page.press("Duet")
    page.wait(lambda: "hall" in page.slots() and "low" in page.slots() and "low/eq" in page.slots(), "the other rig")
    page.wait(lambda: page.one("#rig-name").text == "Duet", "the name of the rig")
    page.press("Undo")
    page.wait(lambda: page.slots() == ["eq", "comp", "hall"], "undo of the load")


def test_file_property(machine):
    path = machine.root / "manifests/recordings/guitar.flac"
    rig = f"outboard: 1\nnodes: {{room: {{plugin: outboard.convolver, properties: {{impulse: {path}}}}}}}\nconnections: [in -> room -> out]\n"
    page = machine.page(machine.start(rig).url)
    page.open("room")
    page.wait(lambda: page.one(".file-name").text == "guitar.flac", "the file's name")
    page.click(".file")
    page.wait(lambda: page.one("dialog .path").text == str(path.parent), "the directory of the file")
    page.press("guitar.flac")
    page.wait(lambda: not page.all("dialog"), "the file is set")


def test_recorder_player_looper_tuner(machine):
    page = machine.page(machine.start("backing-track").url, PHONE)
    page.click('[data-tab="transport"]')
    page.click('[data-device="tape"] [data-action="start"]')
    page.wait(lambda: page.one('[data-device="tape"] .device-state').text.startswith("Records to"), "recording")
    page.click('[data-device="guitar"] [data-action="start"]')
    page.wait(lambda: "running" in page.one('[data-device="guitar"]').get_attribute("class"), "playing")
    page.click('[data-device="tape"] [data-action="mark"]')
    page.one("dialog input").send_keys("chorus", Keys.ENTER)
    page.wait(lambda: not page.all("dialog"), "the marker")
    page.click('[data-device="tape"] [data-action="stop"]')
    page.wait(lambda: "running" not in page.one('[data-device="tape"]').get_attribute("class"), "stopped")
    looper = machine.page(machine.start("looper").url, PHONE)
    looper.open("looper")
    looper.wait(lambda: looper.one(".looper-state").text not in ("", "–"), "the state of the loop")
    looper.press("Pedal")
    tuner = machine.page(machine.start("tuner").url, PHONE)
    tuner.open("tuner")
    assert tuner.one(".tuner-note").size["height"] >= 80, "the note is large"
    clean(page)


def test_tempo(machine):
    session = machine.start("backing-track")
    page, other = machine.page(session.url, PHONE), machine.page(session.url, PHONE)
    for one in (page, other):
        one.click('[data-tab="transport"]')
    page.wait(lambda: "BPM, rolling" in page.one(".tempo .device-state").text, "the tempo")
    page.click(".tempo .start")
    for one in (page, other):
        one.wait(lambda: "stopped" in one.one(".tempo .device-state").text, "stopped on both pages")
    page.run("[...document.querySelectorAll('.tempo .pad')].find((one) => one.textContent === 'Set').click()")
    page.one("dialog input").clear()
    page.one("dialog input").send_keys("97,5", Keys.ENTER)
    other.wait(lambda: other.one(".tempo .device-state").text.startswith("97.5 BPM"), "the new tempo on the other page")
    for _ in range(4):
        page.click('.tempo [data-action="tap"]')
        time.sleep(0.4)  # the tempo of the taps
    other.wait(lambda: not other.one(".tempo .device-state").text.startswith("97.5 BPM"), "the tapped tempo on the other page")
    clean(page)


def test_levels(machine):
    page = chain(machine)
    page.wait(lambda: "48000 Hz" in page.one("#health .facts").text, "the rate that a late page learns from the status")
    page.run("""window.count = 0; new MutationObserver(() => { window.count += 1; }).observe(
        document.querySelector('.meter'), {attributes: true, subtree: true, childList: true});""")
    page.wait(lambda: page.run("return window.count") >= 10, "levels")
    page.wait(lambda: "decibel" in (page.one(".meter").get_attribute("aria-valuetext") or "") or page.one(".meter").get_attribute("aria-valuetext"), "a level in words")
    page.wait(lambda: "xrun" in page.one(".health").text or "none" in page.one(".health").text, "xruns in words")
