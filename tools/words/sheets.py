"""sheets.py CATALOGS OUT [--font-folder FOLDER]: what a gate's screen says, drawn ahead: a sheet of each language for the gate to copy from.

CATALOGS has words.pot and a gettext catalog of each language (LANG.po); OUT gets LANG.sheet. Text is shaped by HarfBuzz and FriBidi and drawn by
FreeType, through Pillow; the fonts are Noto's. The gate itself shapes nothing and reads no font: decision 0017.

A sheet, little-endian:

    0   8   "GHWORDS2"
    8   8   the language, padded with zeros
    16  1   1 where the language is written from right to left
    17  1   S, the number of sizes
    18  2   M, the number of messages
    20  2   G, the number of single characters, for codes and numbers
    22  2   0
    24      S sizes: height of a line in pixels (2), ascent (2)
            M names: length (1), ASCII
            M texts: length (2), UTF-8, lines divided by LF
            G characters: ASCII, in ascending order
            S times M pictures, then S times G: width (2), height (2), offset in the file (4), length (4)
            pictures: zlib streams of width times height octets, row by row: how much of each pixel is covered
            CRC-32 of all before it (4)

A message's picture has its lines one below the other, each `height of a line` high, centred. A character's has the width of its advance; all
of one size have the same height.
"""

import argparse
import os
import re
import struct
import sys
import zlib
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont, features

SIZES = (10, 12, 15, 18, 22, 27, 33, 40, 49, 60, 74, 90)
CHARACTERS = " %-./0123456789:abcdefghijklmnopqrstuvwxyz"
FONTS = {"ar": "NotoSansArabic-Bold.ttf", "hi": "NotoSansDevanagari-Bold.ttf"}
LATIN = "NotoSans-Bold.ttf"
RIGHT_TO_LEFT = {"ar", "fa", "he", "ur"}
LONGEST_NAME, LONGEST_TEXT, MOST_LINES = 32, 256, 3
DEBIAN = Path("/usr/share/fonts/truetype/noto")


class CatalogError(Exception):
    """A catalog cannot be used; the text says which and why."""


def unquoted(text: str, where: str) -> str:
    match = re.fullmatch(r'"((?:[^"\\]|\\.)*)"', text.strip())
    if not match:
        raise CatalogError(f"{where}: not a string: {text.strip()}")
    escapes = {"n": "\n", '"': '"', "\\": "\\"}
    return re.sub(r"\\(.)", lambda found: escapes.get(found[1], found[0]), match[1])


def catalog(path: Path) -> dict[str, tuple[str, str]]:
    """Of each message's name (msgctxt) its English text (msgid) and its translation (msgstr)."""
    found: dict[str, tuple[str, str]] = {}
    entry: dict[str, str] = {}
    keyword = ""

    def close() -> None:
        if "msgctxt" in entry:
            if entry["msgctxt"] in found:
                raise CatalogError(f"{path}: {entry['msgctxt']} is there twice")
            found[entry["msgctxt"]] = (entry.get("msgid", ""), entry.get("msgstr", ""))
        entry.clear()

    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path}:{number}"
        if not line.strip() or line.startswith("#"):
            if not line.strip():
                close()
            continue
        if match := re.match(r"(msgctxt|msgid|msgstr)\s+(.*)", line):
            keyword = match[1]
            if keyword == "msgctxt" and "msgstr" in entry:
                close()
            entry[keyword] = unquoted(match[2], where)
        elif line.startswith('"') and keyword:
            entry[keyword] += unquoted(line, where)
        else:
            raise CatalogError(f"{where}: {line}")
    close()
    return found


def texts(folder: Path) -> dict[str, dict[str, str]]:
    """Of each language the text of each message, in the template's order."""
    template = catalog(folder / "words.pot")
    languages = {"en": {name: english for name, (english, _) in template.items()}}
    for path in sorted(folder.glob("*.po")):
        entries = catalog(path)
        for name in template.keys() | entries.keys():
            if name not in entries or name not in template:
                raise CatalogError(f"{path}: {name} is {'missing' if name not in entries else 'not in words.pot'}")
            if entries[name][0] != template[name][0]:
                raise CatalogError(f"{path}: {name}: the English text is not that of words.pot")
            if not entries[name][1]:
                raise CatalogError(f"{path}: {name} is not translated")
        languages[path.stem] = {name: entries[name][1] for name in template}
    for language, words in languages.items():
        if not re.fullmatch(r"[a-z]{2,3}(-[A-Za-z]{2,4})?", language):
            raise CatalogError(f"{language}: not a language's tag")
        for name, text in words.items():
            if not re.fullmatch(r"[a-z-]{1,%d}" % LONGEST_NAME, name) or len(text.encode()) > LONGEST_TEXT or text.count("\n") >= MOST_LINES:
                raise CatalogError(f"{language}: {name}: at most {MOST_LINES} lines and {LONGEST_TEXT} octets")
    return languages


class Pen:
    """Draws in one language and size."""

    def __init__(self, fonts: Path, language: str, size: int):
        self.language = language
        self.direction = "rtl" if language in RIGHT_TO_LEFT else "ltr"
        self.font = ImageFont.truetype(str(fonts / FONTS.get(language, LATIN)), size, layout_engine=ImageFont.Layout.RAQM)
        self.latin = ImageFont.truetype(str(fonts / LATIN), size, layout_engine=ImageFont.Layout.RAQM)

    def fit(self, words: dict[str, str]) -> None:
        """Sets a line's height: that of the highest and the lowest mark of any message, and a tenth between lines. A font's own is made for all
        that it can write, and takes half as much again."""
        boxes = [self.font.getbbox(line, anchor="ls", direction=self.direction, language=self.language) for text in words.values() for line in text.split("\n")]
        top, bottom = -min(box[1] for box in boxes), max(box[3] for box in boxes)
        space = max(1, (top + bottom) // 10)
        self.ascent = top + space // 2
        self.height = top + bottom + space
        _, above, _, below = self.latin.getbbox(CHARACTERS, anchor="ls")
        self.characters = (-above, below - above)

    def check(self, text: str) -> None:
        """A character the font has no picture of would be a box."""
        missing = self.font.getmask("\uffff", mode="L")
        for character in set(text) - {"\n", " ", "\u200c", "\u200d"}:
            drawn = self.font.getmask(character, mode="L")
            if drawn.size == missing.size and bytes(drawn) == bytes(missing):
                raise CatalogError(f"{self.language}: the font has no {character!r}")

    def draw(self, text: str) -> Image.Image:
        lines = text.split("\n")
        options = {"direction": self.direction, "language": self.language}
        boxes = [self.font.getbbox(line, anchor="ls", **options) for line in lines]
        advances = [max(self.font.getlength(line, **options), box[2]) - min(0, box[0]) for line, box in zip(lines, boxes)]
        width = max(1, max(-(-int(advance * 64) // 64) + 1 for advance in advances))
        picture = Image.new("L", (width, self.height * len(lines)), 0)
        pen = ImageDraw.Draw(picture)
        for number, (line, box, advance) in enumerate(zip(lines, boxes, advances)):
            left = (width - advance) / 2 - min(0, box[0])
            pen.text((left, number * self.height + self.ascent), line, fill=255, font=self.font, anchor="ls", **options)
        return picture

    def character(self, text: str) -> Image.Image:
        ascent, height = self.characters
        picture = Image.new("L", (max(1, round(self.latin.getlength(text))), height), 0)
        ImageDraw.Draw(picture).text((0, ascent), text, fill=255, font=self.latin, anchor="ls")
        return picture


def sheet(fonts: Path, language: str, words: dict[str, str]) -> bytes:
    pens = [Pen(fonts, language, size) for size in SIZES]
    for pen in pens:
        pen.fit(words)
    pens[0].check("".join(words.values()))
    pictures = [pen.draw(text) for pen in pens for text in words.values()]
    pictures += [pen.character(character) for pen in pens for character in CHARACTERS]
    head = b"GHWORDS2" + language.encode().ljust(8, b"\0")
    head += struct.pack("<BBHHH", language in RIGHT_TO_LEFT, len(SIZES), len(words), len(CHARACTERS), 0)
    head += b"".join(struct.pack("<HH", pen.height, pen.ascent) for pen in pens)
    head += b"".join(struct.pack("<B", len(name)) + name.encode() for name in words)
    head += b"".join(struct.pack("<H", len(text.encode())) + text.encode() for text in words.values())
    head += CHARACTERS.encode()
    offset = len(head) + 12 * len(pictures)
    index, data = b"", b""
    for picture in pictures:
        packed = zlib.compress(picture.tobytes(), 9)
        index += struct.pack("<HHII", picture.width, picture.height, offset + len(data), len(packed))
        data += packed
    whole = head + index + data
    return whole + struct.pack("<I", zlib.crc32(whole))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("catalogs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--font-folder", type=Path, default=DEBIAN, help="where Noto's fonts are (Debian's fonts-noto-core)")
    options = parser.parse_args()
    if not features.check("raqm"):
        sys.exit("Pillow was made without Raqm: text in Arabic and Devanagari cannot be shaped")
    if not features.check("fribidi"):
        sys.exit("libfribidi is missing (Debian's libfribidi0)")
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        for language, words in texts(options.catalogs).items():
            octets = sheet(options.font_folder, language, words)
            partial = options.out / f".{language}.partial"
            partial.write_bytes(octets)
            os.replace(partial, options.out / f"{language}.sheet")
            print(f"{language}.sheet {len(octets)}")
    except (CatalogError, OSError) as error:
        sys.exit(f"sheets.py: {error}")


if __name__ == "__main__":
    main()
