#!/usr/bin/env python3
"""What share/demo/fewer_colours keeps of a picture: its size, and its most frequent colours. The
picture is written here, with each predictor of PNG in turn, and read again from its palette.

    check_colours.py FEWER_COLOURS WORK_FOLDER
"""

import collections
import pathlib
import shutil
import struct
import subprocess
import sys
import zlib

WIDTH, HEIGHT = 400, 120
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name, content):
    check = struct.pack(">I", zlib.crc32(name + content))
    return struct.pack(">I", len(content)) + name + content + check


def planted_rows():
    """Seven colours in stripes, and 1000 others that occur once each."""
    rows = [bytes(part for x in range(WIDTH) for part in (x // 60 * 40, 10, y // 60 * 200))
            for y in range(HEIGHT)]
    rows = [bytearray(row) for row in rows]
    for number in range(1000):
        y, x = divmod(number * 37, WIDTH)
        rows[y][3 * x:3 * x + 3] = number % 256, 100 + number // 256, 77
    return rows


def predicted(kind, left, above, corner):
    """PNG specification, 9.2."""
    guess = left + above - corner
    paeth = min((left, above, corner), key=lambda value: abs(guess - value))
    return (0, left, above, (left + above) // 2, paeth)[kind]


def filtered(rows):
    above, lines = bytes(3 * WIDTH), b""
    for y, row in enumerate(rows):
        kind = y % 5
        lines += bytes([kind]) + bytes(
            (byte - predicted(kind, row[i - 3] if i >= 3 else 0, above[i],
                              above[i - 3] if i >= 3 else 0)) & 255
            for i, byte in enumerate(row))
        above = row
    return lines


def colours_of(data):
    """The pixels of a picture with a palette and without predictors."""
    parts, at = {}, len(SIGNATURE)
    while at < len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        parts[name] = data[at + 8:at + 8 + length]
        at += 12 + length
    width, height, bits, kind = struct.unpack_from(">IIBB", parts[b"IHDR"])
    assert (width, height, bits, kind) == (WIDTH, HEIGHT, 8, 3), (width, height, bits, kind)
    palette, lines = parts[b"PLTE"], zlib.decompress(parts[b"IDAT"])
    for y in range(height):
        line = lines[y * (width + 1):(y + 1) * (width + 1)]
        assert line[0] == 0, line[0]
        for number in line[1:]:
            yield palette[3 * number:3 * number + 3]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    work, rows = pathlib.Path(sys.argv[2]), planted_rows()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    picture = work / "picture.png"
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    before = (SIGNATURE + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(filtered(rows)))
              + chunk(b"IEND", b""))
    picture.write_bytes(before)
    subprocess.run([sys.executable, "-B", sys.argv[1], picture], check=True)
    wanted = [bytes(row[i:i + 3]) for row in rows for i in range(0, 3 * WIDTH, 3)]
    found = list(colours_of(picture.read_bytes()))
    frequent = {colour for colour, count in collections.Counter(wanted).items() if count > 1}
    wrong = [(one, other) for one, other in zip(wanted, found)
             if one != other and (one in frequent or max(abs(a - b) for a, b in zip(one, other))
                                  > 100)]
    assert len(found) == len(wanted) and not wrong, wrong[:5]
    assert len(set(found)) <= 256, len(set(found))
    assert picture.stat().st_size < len(before), picture.stat().st_size
    print(f"{len(set(wanted))} colours became {len(set(found))}, {len(before)} bytes "
          f"{picture.stat().st_size}")


if __name__ == "__main__":
    main()
