"""doc_pages.py: reads the command blocks of documentation pages and executes them. SPDX-License-Identifier: MIT

`scripts/test-docs` imports this module and describes the marks.
"""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_S = 60
SESSION_START_S = 60
SESSION_END_S = 30
# A MIDI file with one note of a second.
SONG = (
    b"MThd\0\0\0\6\0\0\0\1\0\x60"
    b"MTrk\0\0\0\x0d\0\x90\x40\x64\x81\x40\x80\x40\0\0\xff\x2f\0")


def is_command_block(info, body):
    """Whether a block shows commands: `sh`, `console`, or output of a terminal."""
    return info in ("sh", "console") or (info in ("", "text") and any(line.startswith("$ ") for line in body))


def blocks(page):
    """Yields (line, kind, info, text).

    The kind is `run`, `silent`, `unmarked`, `file`, `prepare`, `session` or `end`.
    """
    lines = page.read_text().split("\n")
    mark, index = None, 0
    while index < len(lines):
        line = lines[index].strip()
        index += 1
        if match := re.fullmatch(r"<!-- (run|run silent|not run: \S.*) -->", line):
            mark = match.group(1)
        elif match := re.fullmatch(r"<!-- (session|prepare): (.*) -->", line):
            yield index, match.group(1), "", match.group(2)
        elif line == "<!-- session end -->":
            yield index, "end", "", ""
        elif line.startswith("```"):
            info, start, body = line[3:].strip(), index, []
            while lines[index].strip() != "```":
                body.append(lines[index])
                index += 1
            index += 1
            text = "\n".join(body)
            if mark in ("run", "run silent"):
                yield start, "run" if mark == "run" else "silent", info, text
            elif mark is None and is_command_block(info, body):
                yield start, "unmarked", info, text
            elif body and (match := re.match(r"(?://|#) ([\w./-]+\.(?:c|cpp|swift|ttl|txt|yaml))\b", body[0])):
                yield start, "file", match.group(1), text + "\n"
            mark = None


def without_card(command):
    """Lets a command end by itself, without a sound card: devices become `dummy`, and the time is short."""

    def run(match):
        words = re.sub(r" --(?:in|out) (?!none\b|- |-$)\S+", "", match.group().rstrip())
        for option in ("--in", "--out"):
            if f"{option} " not in words + " ":
                words += f" {option} dummy"
        return words + ("" if "--duration" in words else " --duration 0.2") + " "

    command = re.sub(r"\s+#\s.*$", "", command)
    command = re.sub(r"\boutboard run\b[^|<>]*", run, command)
    return re.sub(r"\boutboard (?:top|meters)\b(?!.*--count)[^|<>]*", r"\g<0> --count 1", command)


def commands(start, info, text):
    """Yields (line, command, expected output or None)."""
    lines = text.split("\n")
    if info == "sh":
        for offset, line in enumerate(lines):
            if line and not line.startswith("#"):
                yield start + offset + 1, line, None
        return
    assert info == "console", f"line {start}: an executed block is `sh` or `console`, not `{info}`"
    for offset, line in enumerate(lines):
        if not line.startswith("$ "):
            continue
        output = []
        for after in lines[offset + 1 :]:
            if after.startswith("$ "):
                break
            output.append(after)
        yield start + offset + 1, line[2:], output


VARIABLE = [
    (r"\d+(\.\d+)? x real time", "N x real time"),
    (r"process \d+", "process N"),
    (r"/\S*/outboard-docs-\w+", "DIR"),
]


def normalised(line):
    for pattern, replacement in VARIABLE:
        line = re.sub(pattern, replacement, line)
    return re.sub(r"\s+", " ", line).strip()


def matches(expected, actual):
    """Compares lines. `...` matches any text, and any number of lines."""
    wanted = [normalised(line) for line in expected if line.strip()]
    got = "\n".join(normalised(line) for line in actual if line.strip())
    pattern = ""
    for line in wanted:
        pattern += r"(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n"
    return re.fullmatch(pattern, got + "\n" if got else "") is not None


def scan(program, home):
    """Scans the plugins in the home directory `home`, and returns its cache.

    A scan takes seconds, and every page has a separate home. So all pages start with a copy of this cache.
    """
    environment = dict(os.environ, HOME=str(home))
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        environment.pop(name, None)
    subprocess.run([program, "list"], env=environment, stdout=subprocess.DEVNULL, check=True)
    return Path(home) / ".cache"


class Page:
    def __init__(self, page, program, cache):
        """`cache` is the directory of `scan`."""
        self.page, self.program = page, program
        self.directory = Path(tempfile.mkdtemp(prefix="outboard-docs-"))
        self.session, self.count = None, 0
        for name in ("bin", "home", "runtime"):
            (self.directory / name).mkdir(mode=0o700)
        os.symlink(program, self.directory / "bin/outboard")
        shutil.copytree(cache, self.directory / "home/.cache")
        recording = ROOT / "manifests/recordings/guitar.flac"
        subprocess.run(["sox", "-D", recording, self.directory / "voice.wav"], check=True)
        (self.directory / "song.mid").write_bytes(SONG)
        self.environment = dict(
            os.environ,
            PATH=f"{self.directory}/bin:{os.environ['PATH']}",
            SOURCES=str(ROOT),
            HOME=f"{self.directory}/home",
            XDG_RUNTIME_DIR=f"{self.directory}/runtime",
            COLUMNS="100",
        )
        for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
            self.environment.pop(name, None)

    def shell(self, command):
        """Returns the status and the output of a command. A command that takes too long is killed."""
        result = subprocess.run(
            ["timeout", "--kill-after=5", str(TIMEOUT_S), "bash", "-c", command], cwd=self.directory,
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout

    def start(self, command):
        # Background jobs of a shell ignore Ctrl-C, which ends sessions.
        self.session = subprocess.Popen(
            ["env", "--default-signal=INT", "bash", "-c", "exec " + command], cwd=self.directory,
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, start_new_session=True)
        deadline = time.monotonic() + SESSION_START_S
        while time.monotonic() < deadline and self.session.poll() is None:
            if self.shell('[[ $(outboard status --json 2>/dev/null) == *\'"nodes"\'* ]]')[0] == 0:
                return None
            time.sleep(0.1)
        if self.session.poll() is None:
            return "the session does not answer"
        return self.session.stderr.read()

    def end(self):
        if self.session is None:
            return
        if self.session.poll() is None:
            os.killpg(self.session.pid, signal.SIGINT)
            try:
                self.session.communicate(timeout=SESSION_END_S)
            except subprocess.TimeoutExpired:
                os.killpg(self.session.pid, signal.SIGKILL)
                self.session.communicate()
        self.session = None

    def run(self):
        """Returns the faults of the page."""
        faults = []

        def fault(line, text):
            faults.append(f"{self.page.relative_to(ROOT)}:{line}: {text}")

        try:
            for line, kind, info, text in blocks(self.page):
                if kind == "file":
                    (self.directory / info).write_text(text)
                elif kind == "session":
                    if problem := self.start(text):
                        fault(line, f"{text}: {problem}")
                elif kind == "end":
                    self.end()
                elif kind == "prepare":
                    status, output = self.shell(text)
                    if status != 0:
                        fault(line, f"`{text}` ended with status {status}:\n{output}")
                elif kind == "unmarked":
                    fault(line, "the block has no mark: <!-- run -->, <!-- run silent --> or <!-- not run: REASON -->")
                else:
                    for place, command, expected in commands(line, info, text):
                        self.count += 1
                        if kind == "silent" and (changed := without_card(command)) != command:
                            command, expected = changed, None
                        status, output = self.shell(command)
                        if status != 0:
                            fault(place, f"`{command}` ended with status {status}:\n{output}")
                        elif expected is not None and not matches(expected, output.split("\n")):
                            fault(place, f"`{command}` printed:\n{output}")
        finally:
            self.end()
            shutil.rmtree(self.directory, ignore_errors=True)
        return faults
