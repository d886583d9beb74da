"""terminal_tests: the tests of scripts/test-terminal. Each gets a Machine and raises an error if something is wrong."""
import json
import os
import re
import shutil
import signal
import socket
import termios
import threading
import time
import wave
from pathlib import Path

CHAIN = """outboard: 1
name: Test chain
nodes:
  eq: {plugin: outboard.parametric-eq}
  comp: {plugin: outboard.compressor}
  hall: {plugin: outboard.reverb, parameters: {mix: 30}}
  tape: {builtin: recorder, file: take-%take.wav}
connections: [in -> eq -> comp -> hall -> out, hall -> tape]
scenes: {verse: {hall.mix: 10 %}, chorus: {hall.mix: 60 %}}
"""


def same(found, expected, what):
    assert found == expected, f"{what}: {found!r} instead of {expected!r}"


def select_hall(ui):
    """Selects the reverb, and then its first parameter, the mix."""
    ui.press("down", "down")
    ui.wait_text("hall: Reverb")
    ui.press("tab")
    ui.wait(lambda: "▸Preset" in ui.text, "the controls")
    ui.press("down")
    ui.wait(lambda: re.search("▸Mix .*30 %", ui.text), "the mix")


def test_keys(machine):
    machine.start(CHAIN)
    ui = machine.ui()
    select_hall(ui)
    ui.press("right")
    machine.wait_value("hall", "mix", lambda value: abs(value - 31) < 0.01, "a step")
    ui.press("page-up")
    machine.wait_value("hall", "mix", lambda value: abs(value - 36) < 0.01, "five steps")
    ui.press("7")
    machine.wait_value("hall", "mix", lambda value: abs(value - 70) < 0.01, "70 %")
    ui.press("home")
    machine.wait_value("hall", "mix", lambda value: value == 0, "the lowest value")
    ui.press("enter")
    ui.wait_text("0 % to 100 %")
    ui.press("4", "2", ".", "5", "enter")
    machine.wait_value("hall", "mix", lambda value: abs(value - 42.5) < 0.01, "a typed value")
    ui.wait_text("42.5 %")
    ui.press("u")
    machine.wait_value("hall", "mix", lambda value: value != 42.5, "undo")
    ui.press("r")
    machine.wait_value("hall", "mix", lambda value: abs(value - 42.5) < 0.01, "redo")
    ui.press("enter")
    ui.wait_text("0 % to 100 %")
    ui.press("x", "enter")
    ui.wait(lambda: "mix" in ui.lines[22] and "Type a value" not in ui.text, "the error of a wrong value")
    ui.press("q")
    same(ui.end(), 0, "the exit status")
    assert ui.is_restored(), "the terminal is not restored"


def test_other_clients(machine):
    machine.start(CHAIN)
    ui = machine.ui()
    select_hall(ui)
    machine.run("set", "hall", "mix=77")
    ui.wait_text("77 %")
    machine.run("set", "comp", "bypass=on")
    ui.wait_text("bypassed")
    machine.run("remove", "eq")
    ui.wait(lambda: "● eq" not in ui.text, "the chain without eq")
    machine.run("undo")
    ui.wait_text("● eq")
    assert "hall: Reverb" in ui.text, "the selection is lost"


def test_chain(machine):
    machine.start(CHAIN)
    ui = machine.ui()
    ui.press("down", "b")
    ui.wait_text("bypassed")
    ui.press("b")
    ui.wait(lambda: "bypassed" not in ui.text, "active again")
    ui.press("a")
    ui.wait_text("Add a plugin")
    ui.wait(lambda: "Searching" not in ui.text, "the plugins")
    ui.press(*"tremolo")
    ui.wait(lambda: re.search("│ *Tremolo", ui.text), "the plugin")
    ui.press("enter")
    ui.wait_text("tremolo: Tremolo")
    rows = [ui.find(f"● {name}")[0] for name in ("eq", "comp", "tremolo", "hall")]
    same(rows, sorted(rows), "the lines of the chain")
    same(sorted(machine.nodes()), ["comp", "eq", "hall", "tape", "tremolo"], "the nodes")
    ui.press("<")
    ui.wait(lambda: ui.find("● tremolo")[0] < ui.find("● comp")[0], "the moved node")
    ui.press("delete")
    ui.wait(lambda: "● tremolo" not in ui.text, "the removed node")
    ui.press("p")
    ui.wait(lambda: "Presets of" in ui.text or "no presets" in ui.text, "the presets")
    ui.press("escape")
    ui.wait(lambda: "Presets of" not in ui.text, "no dialog")


def test_pages(machine):
    machine.start(CHAIN)
    ui = machine.ui()
    ui.press("f3")
    ui.wait_text("verse")
    ui.press("down", "enter")
    ui.wait(lambda: re.search("● chorus", ui.text), "the recalled scene")
    machine.wait_value("hall", "mix", lambda value: abs(value - 60) < 0.01, "the scene")
    ui.press("n")
    ui.wait_text("Store a scene")
    ui.press(*"bridge", "enter")
    ui.wait_text("○ verse")
    ui.wait_text("● bridge")
    ui.press("f4")
    ui.wait_text("tape (recorder)")
    ui.wait_text("Records to take-001.wav")
    ui.press(" ")
    ui.wait_text("Waits for its start")
    ui.press(" ")
    ui.wait_text("Records to take-002.wav")
    ui.press("f5")
    ui.wait_text("Interruptions")
    ui.wait(lambda: re.search(r"│ hall +[0-9.]+ %", ui.text), "the load of a node")
    ui.press("?")
    ui.wait_text("default value")
    ui.press("escape", "f2")
    ui.wait_text("● comp")
    ui.press("s")
    # The message about a completed recording may take the place of the one about the file.
    ui.wait(lambda: "bridge" in (machine.folder / "rig.yaml").read_text(), "the saved scene")


def test_mouse(machine):
    machine.start(CHAIN)
    ui = machine.ui()
    row, column = ui.find("● hall")
    ui.click(row, column + 3)
    ui.wait_text("hall: Reverb")
    ui.click(row, column)
    ui.wait_text("bypassed")
    row, column = ui.find("Mix")
    start = ui.lines[row].index("━")
    ui.click(row, start)
    machine.wait_value("hall", "mix", lambda value: value == 0, "a click at the start of the scale")
    ui.send(f"\x1b[<0;{start + 1};{row + 1}M\x1b[<32;{start + 8};{row + 1}M\x1b[<32;200;{row + 1}M\x1b[<0;200;{row + 1}m")
    machine.wait_value("hall", "mix", lambda value: value == 100, "a drag to the end")
    ui.click(row, start + 2, button=65)
    machine.wait_value("hall", "mix", lambda value: abs(value - 99) < 0.01, "the wheel")
    ui.click(*ui.find("Scenes"))
    ui.wait_text("verse")
    ui.click(*ui.find("q Quit"))
    same(ui.end(), 0, "the exit status")


def test_sizes(machine):
    machine.start(CHAIN)
    ui = machine.ui()
    for rows, columns in [(40, 120), (12, 40), (16, 60), (24, 200), (24, 80)]:
        ui.resize(rows, columns)
        ui.wait(lambda: ui.lines[-1].endswith("q Quit") and "comp" in ui.text, f"{columns}x{rows}")
    ui.resize(11, 80)
    ui.wait_text("The terminal is too small: 80x11. Use at least 40x12.")
    ui.resize(3, 5)
    ui.resize(24, 80)
    ui.wait_text("● comp")
    # After the first screen nothing is cleared, so nothing flickers; a still screen costs little.
    ui.read(0.3)
    start = len(ui.raw)
    ui.wait(lambda: len(ui.raw) > start, "a change of the load")
    time.sleep(2)
    ui.read()
    assert b"\x1b[2J" not in ui.raw[start:], "the screen is cleared"
    assert len(ui.raw) - start < 20_000, f"{len(ui.raw) - start} bytes for a still screen"


def test_lost_connection(machine):
    run = machine.start(CHAIN)
    ui = machine.ui()
    select_hall(ui)
    machine.stop(run, signal.SIGKILL)
    ui.wait_text("connection lost")
    ui.press("right")
    ui.wait_text("connection lost")
    machine.start(CHAIN)
    ui.wait(lambda: "connection lost" not in ui.text and "load" in ui.lines[0], "the connection")
    ui.press("right")
    machine.wait_value("hall", "mix", lambda value: abs(value - 31) < 0.01, "a step after the connection is back")
    ui.press("q")
    same(ui.end(), 0, "the exit status")


def test_stopped_session(machine):
    run = machine.start(CHAIN)
    ui = machine.ui()
    run.send_signal(signal.SIGSTOP)
    ui.wait_text("the session does not respond")
    run.send_signal(signal.SIGCONT)
    ui.wait(lambda: "load" in ui.lines[0], "the load")


def test_fast_keys(machine):
    """More keys than the session may have open commands."""
    machine.start(CHAIN)
    ui = machine.ui()
    ui.press("down", "a")
    ui.wait(lambda: "Searching" not in ui.text, "the plugins")
    # Pasted without the marks of a terminal that knows them.
    ui.send("remove n" * 75)
    ui.wait(lambda: "Nothing matches" in ui.text or "Searching" not in ui.text, "the result of the search")
    assert b"connection lost" not in ui.raw, ui.text
    ui.press("escape")
    ui.wait(lambda: "Add a plugin" not in ui.text, "no dialog")
    ui.send("b" * 601)
    ui.wait(lambda: machine.is_bypassed("comp"), "the last of 601 switches")
    ui.send("u")
    ui.wait(lambda: not machine.is_bypassed("comp"), "an undo after them")
    assert b"connection lost" not in ui.raw, ui.text
    lines = "".join(f"set hall mix={number % 100}\n" for number in range(1000))
    same(machine.run("shell", input=lines + "set hall mix=42").returncode, 0, "1,001 lines, the last without a line break")
    same(machine.value("hall", "mix"), 42, "the value of the last line")


def test_signals(machine):
    machine.start(CHAIN)
    for signal_number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, None):
        ui = machine.ui()
        if signal_number:
            os.kill(ui.process.pid, signal_number)
        else:
            ui.press("ctrl-c")
        ui.end()
        assert ui.is_restored(), f"not restored after {signal_number}"
    ui = machine.ui()
    os.kill(ui.process.pid, signal.SIGTSTP)
    ui.wait(lambda: Path(f"/proc/{ui.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T", "the stop")
    assert ui.is_restored(), "not restored while stopped"
    os.kill(ui.process.pid, signal.SIGCONT)
    ui.wait(lambda: not ui.is_restored() and "● comp" in ui.text, "the screen after the stop")
    ui.press("q")
    same(ui.end(), 0, "the exit status")
    assert ui.is_restored(), "not restored at the end"


def test_colours(machine):
    machine.start(CHAIN)
    assert b"38;5;" in machine.ui().raw, "no colours"
    assert not re.search(rb"\x1b\[[0-9;]*[34][0-9;]*m", machine.ui(NO_COLOR="1").raw), "colours with NO_COLOR"
    plain = machine.ui(24, 80, "--ascii", "--no-mouse")
    assert plain.text.isascii(), plain.text
    assert b"?1000h" not in plain.raw, "the mouse is taken"


def test_bad_terminal(machine):
    machine.start(CHAIN)
    piped = machine.run("ui")
    same((piped.returncode, piped.stdout), (2, ""), "without a terminal")
    assert piped.stderr.count("\n") == 1 and "needs a terminal" in piped.stderr, piped.stderr
    for term in ("dumb", ""):
        ui = machine.terminal("ui", TERM=term)
        same(ui.end(), 2, "the exit status")
        assert b"outboard shell" in ui.raw and b"\x1b[" not in ui.raw, ui.raw


def test_no_session(machine):
    ui = machine.terminal("ui")
    same(ui.end(), 4, "the exit status")
    assert "No running session. Start one with" in ui.text.replace("\n", " "), ui.text
    machine.start(CHAIN)
    ui = machine.terminal("ui", "--session", "nobody")
    same(ui.end(), 4, "the exit status")
    assert "No such session: nobody" in ui.text, ui.text


def test_other_protocol(machine):
    """A session of another version, and one that answers nonsense."""
    folder = machine.folder / "run" / "outboard"
    folder.mkdir(mode=0o700)
    for answer in (b'{"status":{"protocol":9,"process":1,"revision":0,"rig":"x","nodes":[]}}\n', b"hello\n"):
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(folder / "fake.sock"))
        server.listen()
        def serve(server=server, answer=answer):
            try:
                while True:
                    connection = server.accept()[0]
                    connection.recv(4096)
                    connection.sendall(answer)
            except OSError:
                pass
        threading.Thread(target=serve, daemon=True).start()
        ui = machine.terminal("ui")
        same(ui.end(), 1, "the exit status")
        assert b"cannot be read. It may be another version" in ui.raw, ui.raw
        server.close()
        (folder / "fake.sock").unlink()


def test_hostile_names(machine):
    rig = CHAIN.replace("name: Test chain", json.dumps("name")[1:-1] + ': "\\e[2J\\u202Ehostile"')
    machine.start(rig)
    ui = machine.ui()
    assert "hostile" in ui.lines[0] and "\u202e" not in ui.text, ui.lines[0]
    same(ui.raw.count(b"\x1b[2J"), 1, "clearing")


PLOTS = """outboard: 1
name: Plots
nodes:
  tone: {plugin: outboard.oscillator, parameters: {waveform: 0, frequency: 440, level: -12}}
  eq: {plugin: outboard.parametric-eq, parameters: {band_5_gain: 9, band_5_q: 2}}
  comp: {plugin: outboard.compressor, parameters: {threshold: -30, ratio: 4, knee: 0, auto_makeup: 0}}
  pitch: {plugin: outboard.tuner}
  bands: {plugin: outboard.spectrum-analyser}
  loud: {plugin: outboard.loudness-meter}
  room: {plugin: outboard.convolver}
connections: [tone -> eq -> comp -> pitch -> bands -> loud -> room -> out]
"""


def is_braille(character):
    return "\u2801" <= character <= "\u28ff"


def pane(ui):
    """The lines of the controls, without those of the chain."""
    return [line[30:] for line in ui.lines[4:-2]]


def curve(ui):
    """The rows with dots of a curve of each column of the pane, from the left."""
    lines = pane(ui)
    width = max(map(len, lines))
    rows = [[row for row, line in enumerate(lines) if column < len(line) and is_braille(line[column])] for column in range(width)]
    return [found for found in rows if found]


def show_node(ui, name):
    """Selects a node by a click."""
    row, column = ui.find(f"● {name}")
    ui.click(row, column + 3)
    ui.wait(lambda: re.search(f"▸● {name}", ui.text), name)


def test_plots(machine):
    machine.start(PLOTS)
    ui = machine.ui(40, 120)
    show_node(ui, "eq")
    ui.wait(lambda: any(map(is_braille, ui.text)) and "+12" in ui.text, "the response")
    highest = [min(rows) for rows in curve(ui)]
    # The band at 1 kHz, 56 % of the way from 20 Hz to 20 kHz, raises the curve by 9 dB there and nowhere else.
    peak = highest.index(min(highest)) / len(highest)
    assert 0.5 < peak < 0.63, f"the peak is at {peak}: {highest}"
    assert highest[0] == highest[-1] > min(highest) + 1, highest
    assert re.search("[⠁-⣿]5|5[⠁-⣿]", ui.text), "the number of the band is not at its point"
    machine.run("set", "eq", "band_5_gain=-24")
    ui.wait(lambda: "-24" in ui.text and curve(ui) and max(map(max, curve(ui))) - min(map(min, curve(ui))) >= 4, "the deeper response")
    machine.run("set", "eq", "band_5_gain=0")
    show_node(ui, "comp")
    # A sine of -12 dB: 18 dB above the threshold, of which a quarter remains.
    ui.wait(lambda: re.search(r"Input +-1[12]\.", ui.text) and re.search(r"Output +-2[56]\.", ui.text), "the point of the compressor")
    machine.run("set", "tone", "level=-40")
    ui.wait(lambda: re.search(r"Input +-40\.", ui.text) and re.search(r"Output +-40\.", ui.text), "the point that moved")
    machine.run("set", "tone", "level=-12")
    show_node(ui, "pitch")
    ui.wait(lambda: "In tune" in ui.text and "A4" in ui.text, "the note")
    machine.run("set", "tone", "detune=20")
    ui.wait_text("20 cents too high")
    machine.run("set", "tone", "detune=0")
    show_node(ui, "bands")
    ui.wait(lambda: "20 Hz" in ui.text and "20 kHz" in ui.text and "█" in "".join(pane(ui)), "the spectrum")
    row = next(line for line in reversed(pane(ui)) if "█" in line and "dB" not in line)
    place = (row.index("█") + row.rindex("█")) / 2 / len(row)
    assert 0.3 < place < 0.6, f"440 Hz is at {place}: {row}"
    show_node(ui, "loud")
    ui.wait(lambda: re.search(r"momentary -[23][0-9]\.[0-9], integrated -[23][0-9]\.[0-9] LUFS", ui.text), "the loudness")
    ui.wait(lambda: len(curve(ui)) >= 2, "the history")
    ui.press("v")
    ui.wait(lambda: "integrated -" not in ui.text, "no plot")
    ui.press("v")
    ui.wait_text("integrated -")
    plain = machine.ui(40, 120, "--ascii")
    row, column = plain.find("* eq")
    plain.click(row, column + 3)
    plain.wait(lambda: "+12" in plain.text, "the response of ASCII")
    assert plain.text.isascii(), plain.text
    for rows, columns in [(12, 40), (18, 70), (24, 80), (50, 200)]:
        ui.resize(rows, columns)
        ui.wait(lambda: ui.lines[-1].endswith("q Quit") and "loud" in ui.text, f"{columns}x{rows}")


def test_files(machine):
    sounds = machine.folder / "sounds"
    (sounds / "halls").mkdir(parents=True)
    for name in ("church.wav", "halls/large.wav", "notes.txt"):
        with wave.open(str(sounds / name), "wb") as file:
            file.setparams((1, 2, 48_000, 0, "NONE", ""))
            file.writeframes(bytes(200))
    machine.environment["HOME"] = str(sounds)
    machine.start(PLOTS)
    ui = machine.ui(24, 100)
    show_node(ui, "room")
    ui.press("tab", "down")
    ui.wait(lambda: re.search("▸Impulse response +▾ none", ui.text), "the property")
    ui.press("enter")
    ui.wait(lambda: "halls/" in ui.text and "church.wav" in ui.text, "the home directory")
    assert "notes.txt" not in ui.text, ui.text
    ui.press("down", "enter")
    ui.wait(lambda: "large.wav" in ui.text and "church.wav" not in ui.text, "the directory")
    ui.press("backspace")
    ui.wait_text("church.wav")
    ui.press(*"chu", "enter")
    ui.wait(lambda: re.search("Impulse response +▾ church.wav", ui.text), "the chosen file")
    # The list opens in the directory of the file, with the file selected.
    ui.press("enter")
    ui.wait(lambda: "halls/" in ui.text and "../" in ui.text, "the directory of the file")
    ui.press(*"Type", "enter")
    ui.wait_text("Absolute path on the machine of the session")
    ui.press(*"/nonexistent.wav", "enter")
    ui.wait(lambda: "nonexistent" in ui.lines[22], "the error of a missing file")
    shutil.rmtree(sounds)
    ui.press("enter")
    ui.wait(lambda: "cannot be read" in ui.text, "the error of a missing directory")
    ui.press("escape")
    ui.wait(lambda: "Nothing matches" not in ui.text, "no dialog")
    ui.press("q")
    same(ui.end(), 0, "the exit status")


# MARK: shell


def shell(machine, *words, **variables):
    terminal = machine.terminal("shell", *words, **variables)
    terminal.wait_text("Type help for the commands.")
    terminal.wait(lambda: terminal.lines[terminal.screen.cursor.y].startswith("test-chain>"), "the prompt")
    return terminal


def test_shell_pipe(machine):
    machine.start(CHAIN)
    done = machine.run("shell", input="set hall mix=44\nbypass comp on\nnodes\n# a comment\n\nscene verse\nshow hall\n")
    same((done.returncode, done.stderr), (0, ""), "the status and the errors")
    same(done.stdout.splitlines()[:4], [
        "eq (outboard.parametric-eq)", "comp (outboard.compressor)", "hall (outboard.reverb)", "tape (recorder)"], "the nodes")
    assert re.search(r"mix +10 %", done.stdout) and "\x1b" not in done.stdout, done.stdout
    failing = "set hall mix=much\nsett x\nset \"x\nset hall mix=20\n"
    done = machine.run("shell", input=failing)
    same(done.returncode, 2, "the status of the first failure")
    same(len(done.stderr.splitlines()), 3, "the number of messages")
    same(machine.value("hall", "mix"), 20, "the line after the failures")
    done = machine.run("shell", "--stop-on-error", input="save /nonexistent/x.yaml\nset hall mix=30\n")
    same((done.returncode, len(done.stderr.splitlines())), (1, 1), "the first failure")
    same(machine.value("hall", "mix"), 20, "no line after it")
    same(machine.run("shell", input="quit\nsett\n").returncode, 0, "the end by quit")
    done = machine.run("shell", input="levels\nhelp set\n")
    assert "load" in done.stdout and "USAGE: outboard set" in done.stdout, done.stdout


def test_shell_editing(machine):
    machine.start(CHAIN)
    terminal = shell(machine)
    terminal.press(*"set ha", "tab")
    terminal.wait_text("> set hall")
    terminal.press("tab")
    terminal.wait_text('"hall -> out"')
    terminal.press(*" mi", "tab")
    terminal.wait_text("set hall mix=")
    terminal.press(*"55", "enter")
    machine.wait_value("hall", "mix", lambda value: value == 55, "the value")
    terminal.press("up")
    terminal.wait(lambda: terminal.lines[terminal.screen.cursor.y] == "test-chain> set hall mix=55", "the last line")
    terminal.press("backspace", "6", "home", "end", "enter")
    machine.wait_value("hall", "mix", lambda value: value == 56, "the changed line")
    terminal.press(*"nonsense", "ctrl-c")
    terminal.wait_text("nonsense^C")
    terminal.press(*"rubbish", "ctrl-u", *"set eq band_1_type=", "tab", "tab")
    terminal.wait_text("Band-pass")
    terminal.press("ctrl-u", *"watch on", "enter")
    terminal.press(*"half a li")
    terminal.wait(lambda: terminal.text.endswith("half a li") or "half a li" in terminal.text, "the line")
    # Changes of the shell itself are not announced.
    terminal.press("ctrl-u", *"set hall mix=13", "enter")
    machine.wait_value("hall", "mix", lambda value: value == 13, "the value of the shell")
    terminal.press(*"half a li")
    machine.run("set", "hall", "mix=12")
    terminal.wait_text("hall.mix = 12")
    assert "hall.mix = 13" not in terminal.text, terminal.text
    terminal.wait(lambda: terminal.lines[terminal.screen.cursor.y] == "test-chain> half a li", "the line below the message")
    terminal.press("ctrl-u", "ctrl-d")
    same(terminal.end(), 0, "the exit status")
    assert b"?1049h" not in terminal.raw
    same(termios.tcgetattr(terminal.slave)[:4], terminal.before[:4], "the settings of the terminal")


def test_learn(machine):
    """An unknown target is refused before anybody is asked to move something."""
    machine.start(CHAIN)
    for words, options in ((["learn", "hall.nothing"], {}), (["shell"], {"input": "learn hall.nothing\n"})):
        done = machine.run(*words, **options)
        same((done.returncode, len(done.stderr.splitlines())), (2, 1), "the status and the number of messages")
        assert "Move the control" not in done.stderr and "hall" in done.stderr, done.stderr


def test_shell_plain(machine):
    machine.start(CHAIN)
    for words, variables in ((["--plain"], {}), ([], {"TERM": "dumb"})):
        terminal = shell(machine, *words, **variables)
        terminal.press(*"nodes", "enter")
        terminal.wait_text("hall (outboard.reverb)")
        terminal.press(*"complete set hall m", "enter")
        terminal.wait_text("modulation=")
        terminal.press("ctrl-d")
        same(terminal.end(), 0, "the exit status")
        assert b"\x1b" not in terminal.raw, terminal.raw


def test_shell_signals(machine):
    machine.start(CHAIN)
    terminal = shell(machine)
    os.kill(terminal.process.pid, signal.SIGTERM)
    same(terminal.end(), 143, "the exit status")
    same(termios.tcgetattr(terminal.slave)[:4], terminal.before[:4], "the settings of the terminal")
    same(machine.run("shell", "--session", "nobody", input="").returncode, 4, "without a session")
