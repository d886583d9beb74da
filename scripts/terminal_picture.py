"""terminal_picture.py: runs programs on a pseudo terminal and draws their screens as SVG."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from html import escape

COLUMNS, ROWS = 96, 24
CELL_WIDTH, LINE_HEIGHT, FONT_SIZE, MARGIN = 8.0, 19, 13, 14
BLOCKS = "▏▎▍▌▋▊▉█"
SEQUENCE = re.compile(rb"\x1b\[([0-9;]*)([A-Za-z])")


class Terminal:
    """A program on a terminal. It interprets what `outboard` writes: text, CR, LF, cursor up, and clearing."""

    def __init__(self, command, folder, environment):
        self.end, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=other, stdout=other, stderr=other, cwd=folder, env=environment,
            start_new_session=True)
        os.close(other)
        self.update_count = 0
        self.rows, self.row, self.column, self.rest = [[]], 0, 0, b""

    def read(self, until=lambda: False):
        """Reads until the condition holds, or to the end of the program."""
        while not until():
            try:
                data = os.read(self.end, 65536)
            except OSError:  # The program has closed the terminal.
                break
            self.interpret(self.rest + data)
        if self.process.poll() not in (None, 0):
            raise RuntimeError("\n".join(self.lines()))

    def interpret(self, data):
        # The data may end inside a sequence or a character.
        cut = re.search(rb"(\x1b(\[[0-9;]*)?|[\xc0-\xff][\x80-\xbf]{0,2})$", data)
        whole = cut and cut.group(1)[0] >= 0xc0 and self.is_whole(cut.group(1))
        data, self.rest = (data, b"") if not cut or whole else (data[: cut.start()], cut.group(1))
        position = 0
        for match in SEQUENCE.finditer(data):
            self.write(data[position:match.start()].decode())
            self.control(match.group(1), match.group(2))
            position = match.end()
        self.write(data[position:].decode())

    @staticmethod
    def is_whole(character):
        return len(character) == (2 if character[0] < 0xe0 else 3 if character[0] < 0xf0 else 4)

    def write(self, text):
        for character in text:
            if character == "\r":
                self.column = 0
            elif character == "\n":
                self.row += 1
                while len(self.rows) <= self.row:
                    self.rows.append([])
            else:
                row = self.rows[self.row]
                row.extend(" " * (self.column + 1 - len(row)))
                row[self.column] = character
                self.column += 1

    def control(self, number, letter):
        if letter == b"A":
            self.row -= int(number or 1)
            self.update_count += 1
        elif letter == b"K":
            del self.rows[self.row][self.column:]
        elif letter == b"J":
            del self.rows[self.row + 1:]
            del self.rows[self.row][self.column:]
        elif letter not in b"mhl":
            raise RuntimeError(f"unknown sequence: {number} {letter}")

    def lines(self):
        return "\n".join("".join(row).rstrip() for row in self.rows).rstrip().split("\n")


def picture(panes):
    """Returns the SVG of several terminals, one below the other. Each is a pair of a command and its lines."""
    width = 2 * MARGIN + COLUMNS * CELL_WIDTH
    parts, top = [], MARGIN
    for command, lines in panes:
        height = (len(lines) + 1) * LINE_HEIGHT + MARGIN
        parts.append(
            f'<rect x="{MARGIN / 2}" y="{top}" width="{width - MARGIN}" height="{height}" rx="6" fill="#1f2933"/>')
        for index, line in enumerate([f"$ {command}", *lines]):
            parts.append(line_picture(line, top + (index + 1) * LINE_HEIGHT, "#8fd1ff" if index == 0 else "#e8edf2"))
        top += height + MARGIN
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{top:g}" viewBox="0 0 {width:g} {top:g}"'
        f' font-family="DejaVu Sans Mono, Consolas, monospace" font-size="{FONT_SIZE}">\n'
        '<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")


def line_picture(line, baseline, colour):
    """Words at the columns of the terminal; bars are drawn as rectangles, so that they have no gaps in any font."""
    parts = []
    for match in re.finditer(f"[{BLOCKS}]+|[^{BLOCKS} ]+(?: [^{BLOCKS} ]+)*", line):
        text, x = match.group(), MARGIN + match.start() * CELL_WIDTH
        if text[0] in BLOCKS:
            length = sum(BLOCKS.index(character) + 1 for character in text) / 8 * CELL_WIDTH
            parts.append(
                f'<rect x="{x:g}" y="{baseline - 11}" width="{length:g}" height="13" fill="#5fb878"/>')
        else:
            parts.append(
                f'<text x="{x:g}" y="{baseline}" fill="{colour}" textLength="{len(text) * CELL_WIDTH:g}"'
                f' lengthAdjust="spacingAndGlyphs">{escape(text)}</text>')
    return "".join(parts)
