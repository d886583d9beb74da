"""soak_others: clients with OSC, and programs in a terminal, for scripts/soak-clients."""
import json
import os
import re
import select
import socket
import struct
import subprocess
import time

from osc_machine import leaves, message, pad, read_message
from soak_clients import NODES, TIMEOUT_S, Client, Frames, UnixClient, WebClient

# Clients with OSC

class Addresses(Client):
    """A client that knows values by addresses; it takes what it has sent or received last."""

    def prepare(self):
        self.values, self.sent, self.errors = {}, {}, 0
        self.connect()

    def edit(self):
        node, symbol, value = self.value()
        kind = self.random.choices(["set", "wet", "bypass", "scene", "undo"], [12, 2, 1, 0.5, 0.5])[0]
        if kind == "set":
            self.move(f"/node/{node}/{symbol}", "f", value)
        elif kind == "wet":
            self.move(f"/node/{node}/wet", "f", round(self.random.random(), 4))
        elif kind == "bypass":
            self.move(f"/node/{node}/bypass", self.random.choice("TF"))
        elif kind == "scene":
            self.write(message("/scene", "s", self.random.choice(["low", "high"])))
        else:
            self.write(message("/undo"))

    def move(self, address, tag, *values):
        value = struct.unpack(">f", struct.pack(">f", values[0]))[0] if values else tag == "T"
        self.values[address] = self.sent[address] = value
        self.write(pad(address.encode()) + pad(f",{tag}".encode()) + (struct.pack(">f", *values) if values else b""))

    def packet(self, data):
        if data.startswith(b"#bundle"):
            data = data[16:]
            while data:
                size = struct.unpack(">i", data[:4])[0]
                self.packet(data[4:4 + size])
                data = data[4 + size:]
            return
        address, value = read_message(data)
        if address == "/error":
            self.errors += 1
            return
        self.received += 1
        # Only one client sends each parameter value. So if that client receives the value, it is an echo.
        if self.sent.pop(address, None) == value and address.count("/") == 3 and address.split("/")[-1] in NODES.get(address.split("/")[2], {}):
            self.fault(f"its own value {address} = {value} came back")
        self.values[address] = value

    def settle(self):
        """Waits until all commands are carried out: the error of the last one follows them."""
        self.take(0.5)
        before, end = self.errors, time.monotonic() + TIMEOUT_S
        while self.errors == before:
            assert time.monotonic() < end, "no error for a wrong command"
            self.write(message("/scene", "s", "nothing"))
            self.take(2)

    def differences(self, tree):
        wrong = []
        for address, one in leaves(tree).items():
            if address.startswith(("/level", "/readout")) or "VALUE" not in one:
                continue
            value, mine = one["VALUE"][0], self.values.get(address)
            same = mine == value or (isinstance(mine, float) and isinstance(value, (int, float)) and abs(mine - value) <= 1e-5 * max(1, abs(value)))
            if not same:
                wrong.append(f"{address} is {mine!r} instead of {value!r}")
        return wrong


class DatagramClient(Addresses):
    kind = "osc/udp"

    def connect(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.connect(("127.0.0.1", self.session.osc_port))
        self.write(message("/subscribe", "ii", self.socket.getsockname()[1], 3600 * 4))

    def write(self, data):
        self.socket.send(data)

    def take(self, seconds):
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0 and select.select([self.socket], [], [], rest)[0]:
            self.packet(self.socket.recv(1 << 16))


class QueryClient(Addresses):
    kind = "oscquery"

    def connect(self):
        self.frames = Frames(self.session.osc_port, "/")
        for address in leaves(self.session.tree()):
            if not address.startswith(("/level", "/readout")):
                self.listen(address)

    def listen(self, address):
        self.frames.send(1, json.dumps({"COMMAND": "LISTEN", "DATA": address}).encode())

    def write(self, data):
        self.frames.send(2, data)

    def take(self, seconds):
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0 and (found := self.frames.read(rest)):
            if found[0] == 2:
                self.packet(found[1])
                continue
            change = json.loads(found[1])
            if change["COMMAND"] == "PATH_ADDED":
                for address in leaves(self.session.tree(change["DATA"])):
                    if address == change["DATA"] or address.startswith(change["DATA"].rstrip("/") + "/"):
                        self.listen(address)
            elif change["COMMAND"] == "PATH_REMOVED":
                gone = change["DATA"].rstrip("/")
                self.values = {one: value for one, value in self.values.items() if one != gone and not one.startswith(gone + "/")}


# Clients that are programs

class ShellClient(Client):
    """`outboard shell` with `watch on`; announcements must be of others alone."""

    kind = "shell"

    def prepare(self):
        self.process = subprocess.Popen(
            [self.session.program, "shell"], env=self.session.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd=self.session.directory)
        self.rest, self.mine, self.lines, self.announced, self.open = b"", set(), [], {}, 0
        self.write("watch on")

    def write(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def edit(self):
        node, symbol, value = self.value()
        kind = self.random.choices(["set", "wrong", "undo"], [10, 1, 0.5])[0]
        if kind == "set":
            self.mine.add((node, symbol, f"{value:.4g}"))
            self.write(f"set {node} {symbol}={value:g}")
        else:
            self.write("sett nothing" if kind == "wrong" else "undo")
        self.open += 1
        # Pipes are small: a shell that waits for its output to be read reads no lines.
        if self.open == 16:
            self.settle()

    def take(self, seconds):
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0 and select.select([self.process.stdout], [], [], rest)[0]:
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            assert data, "the shell has ended"
            self.rest += data
            *lines, self.rest = self.rest.split(b"\n")
            for line in lines:
                self.line(line.decode())

    def line(self, text):
        self.lines = [*self.lines[-400:], text]
        if found := re.search(r"^ *[0-9.]+  \d+  client (\d+)  ", text):
            self.received += 1
            self.announced.setdefault(int(found[1]), text)

    def check_authors(self, authors):
        """Nothing may be announced of the client that is the author of most of its values."""
        found = [authors[one] for one in self.mine if one in authors]
        if not found:
            return self.fault("no other client has seen its changes") if self.mine else None
        client = max(set(found), key=found.count)
        if client in self.announced:
            self.fault(f"its own change was announced: {self.announced[client]}")
        return None

    def settle(self):
        """Waits until all lines are carried out."""
        self.lines, self.open = [], 0
        self.write("nodes")
        end = time.monotonic() + TIMEOUT_S
        while not any(line.startswith("hall (") for line in self.lines):
            assert time.monotonic() < end, "the shell does not answer"
            self.take(0.05)

    def differences(self, state):
        """`show` must print the values of the session."""
        wrong = []
        for node in NODES:
            self.lines = []
            self.write(f"show {node}")
            symbols = {}
            end = time.monotonic() + TIMEOUT_S
            while len(symbols) < len(NODES[node]) and time.monotonic() < end:
                self.take(0.05)
                for line in self.lines:
                    if (found := re.match(r"^ +(\w+) +(-?[0-9.]+)( k)?", line)) and found[1] in NODES[node]:
                        symbols[found[1]] = float(found[2]) * (1000 if found[3] else 1)
            values = {one["symbol"]: one["value"] for one in next(one for one in state["nodes"] if one["name"] == node)["parameters"]}
            for symbol, (low, high) in NODES[node].items():
                if symbol not in symbols or abs(symbols[symbol] - values[symbol]) > max(0.011, 0.006 * abs(values[symbol])):
                    wrong.append(f"show {node} prints {symbol} {symbols.get(symbol)} instead of {values[symbol]}")
        return wrong

    def close(self):
        self.process.stdin.close()
        self.process.wait(TIMEOUT_S)


class DisplayClient(Client):
    """`outboard ui` in a terminal; its screen must show the value of the session."""

    kind = "ui"

    def prepare(self):
        from terminal_session import Terminal
        self.terminal = Terminal([self.session.program, "ui"], {**self.session.environment, "TERM": "xterm-256color"}, 40, 120)
        self.terminal.wait(lambda: re.search("[●○] hall", self.terminal.text), "the chain")
        # From the output upwards, until the reverb is selected: others insert and remove nodes meanwhile.
        self.terminal.press("end")
        end = time.monotonic() + TIMEOUT_S
        while "hall: Reverb" not in self.terminal.text:
            assert time.monotonic() < end, f"the reverb cannot be selected. The screen:\n{self.terminal.text}"
            self.terminal.press("up")
            self.terminal.read(0.5)
            if re.search("▸ *In ", self.terminal.text):
                self.terminal.press("end")
        self.terminal.press("tab", "down")

    def edit(self):
        self.terminal.press(self.random.choice(["left", "right", "page-up", "page-down", *"0123456789"]))

    def take(self, seconds):
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            self.terminal.read(min(rest, 0.05))

    def settle(self):
        pass

    def differences(self, state):
        hall = next(one for one in state["nodes"] if one["name"] == "hall")
        value = next(one["value"] for one in hall["parameters"] if one["symbol"] == "mix")

        def shown():
            found = re.search(r"Mix +[━─●]+ +(-?[0-9.]+) %", self.terminal.text)
            return found and abs(float(found[1]) - value) <= max(0.01, 0.06 if value >= 10 else 0.006)
        try:
            self.terminal.wait(shown, f"mix = {value}")
        except AssertionError as error:
            return [str(error)]
        return []

    def close(self):
        self.terminal.close()


KINDS = [(UnixClient, 6), (WebClient, 5), (DatagramClient, 3), (QueryClient, 3), (ShellClient, 2), (DisplayClient, 1)]
