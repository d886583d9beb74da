"""terminal_session: sessions, and programs in a pseudo-terminal whose screen is emulated, for scripts/test-terminal."""
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
from pathlib import Path

import pyte

WAIT_SECONDS = 60
KEYS = {
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
    "page-up": "\x1b[5~", "page-down": "\x1b[6~", "delete": "\x1b[3~", "tab": "\t", "enter": "\r", "escape": "\x1b",
    "backspace": "\x7f", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "ctrl-c": "\x03", "ctrl-d": "\x04",
    "ctrl-u": "\x15",
}


class Terminal:
    """A program in a terminal of a size. `lines` is what a person sees."""

    def __init__(self, arguments, environment, rows=24, columns=80):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.master, slave = pty.openpty()
        self.slave = slave
        self._size(rows, columns)
        self.before = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            arguments, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def _size(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        self.read()
        self.screen.resize(rows, columns)
        self._size(rows, columns)
        os.kill(self.process.pid, signal.SIGWINCH)

    def read(self, seconds=0.0):
        """Takes what the program has written."""
        while select.select([self.master], [], [], seconds)[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            self.raw += data
            self.stream.feed(data)
            seconds = 0.0

    def send(self, text):
        os.write(self.master, text.encode())

    def press(self, *names):
        for name in names:
            self.send(KEYS.get(name, name))
            # A lone escape must not be read together with the next key.
            self.read(0.15 if name == "escape" else 0.0)

    def click(self, row, column, button=0):
        self.send(f"\x1b[<{button};{column + 1};{row + 1}M\x1b[<{button};{column + 1};{row + 1}m")

    @property
    def lines(self):
        self.read()
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self):
        return "\n".join(self.lines)

    def wait(self, condition, what):
        """Waits until a condition is true for the screen. Fails with the screen after a minute."""
        end = time.monotonic() + WAIT_SECONDS
        while True:
            self.read(0.02)
            if condition():
                return
            if time.monotonic() > end:
                raise AssertionError(f"never: {what}. The screen:\n{self.text}")

    def wait_text(self, text):
        self.wait(lambda: text in self.text, repr(text))

    def find(self, text):
        """The row and column of a text, as soon as it is on the screen."""
        self.wait_text(text)
        return next((row, line.index(text)) for row, line in enumerate(self.lines) if text in line)

    def end(self):
        """Waits for the end of the program; returns its status."""
        end = time.monotonic() + WAIT_SECONDS
        while self.process.poll() is None:
            self.read(0.02)
            if time.monotonic() > end:
                raise AssertionError(f"the program does not end. The screen:\n{self.text}")
        self.read(0.05)
        return self.process.returncode

    def is_restored(self):
        """Whether the settings are as before, and the last control sequences leave the alternate screen."""
        self.read(0.05)
        same = termios.tcgetattr(self.slave)[:4] == self.before[:4]
        return same and self.raw.rfind(b"\x1b[?1049l") > self.raw.rfind(b"\x1b[?1049h")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


class Machine:
    """Directories of their own, sessions with dummy devices, and terminals."""

    def __init__(self, program):
        self.program = str(program)

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="terminal-"))
        runtime = self.folder / "run"
        runtime.mkdir(mode=0o700)
        self.environment = {
            name: value for name, value in os.environ.items()
            if name not in ("NO_COLOR", "COLORTERM", "RUNTIME_DIRECTORY")}
        self.environment.update(XDG_RUNTIME_DIR=str(runtime), TERM="xterm-256color", XDG_STATE_HOME=str(self.folder / "state"))
        self.runs, self.terminals = [], []
        return self

    def __exit__(self, *_):
        for terminal in self.terminals:
            terminal.close()
        for run in self.runs:
            self.stop(run)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, rig):
        """Starts a session with the text of a rig, and waits until it answers."""
        path = self.folder / "rig.yaml"
        if not path.exists():
            path.write_text(rig)
        run = subprocess.Popen(
            [self.program, "run", "--rig", path, "--in", "dummy", "--out", "dummy"], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self.runs.append(run)
        end = time.monotonic() + WAIT_SECONDS
        while not self.status():
            if run.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"the session does not start: {run.stderr.read() if run.poll() is not None else ''}")
            time.sleep(0.05)
        return run

    def stop(self, run, how=signal.SIGTERM):
        if run.poll() is None:
            run.send_signal(how)
        run.wait()
        run.stderr.close()

    def run(self, *words, **options):
        """Runs a command to its end."""
        options.setdefault("env", self.environment)
        options.setdefault("stdin", subprocess.DEVNULL)
        if "input" in options:
            del options["stdin"]
        return subprocess.run(
            [self.program, *words], capture_output=True, text=True, timeout=WAIT_SECONDS, cwd=self.folder, **options)

    def status(self):
        """The sessions as `status --json` lists them."""
        return json.loads(self.run("status", "--json").stdout)

    def value(self, node, symbol):
        return next(one for one in self.status()[0]["nodes"] if one["name"] == node)["values"][symbol]

    def is_bypassed(self, node):
        return next(one for one in self.status()[0]["nodes"] if one["name"] == node).get("bypass", False)

    def nodes(self):
        return [one["name"] for one in self.status()[0]["nodes"]]

    def terminal(self, *words, rows=24, columns=80, **variables):
        terminal = Terminal([self.program, *words], {**self.environment, **variables}, rows, columns)
        self.terminals.append(terminal)
        return terminal

    def ui(self, rows=24, columns=80, *words, **variables):
        """`outboard ui`, after it shows the chain."""
        terminal = self.terminal("ui", *words, rows=rows, columns=columns, **variables)
        terminal.wait(lambda: "Chain" in terminal.text and "load" in terminal.text, "the chain")
        return terminal

    def wait_value(self, node, symbol, condition, what):
        """Waits until the session has a value."""
        end = time.monotonic() + WAIT_SECONDS
        while not condition(self.value(node, symbol)):
            if time.monotonic() > end:
                raise AssertionError(f"never: {what}; {node}.{symbol} = {self.value(node, symbol)}")
            time.sleep(0.05)
