"""Draws curves over the size of a tree: one small picture for each figure, a line for each roster, both axes logarithmic."""

import math

WIDTH, HEIGHT, LEFT, TOP, BELOW = 300, 170, 46, 34, 34
COLORS = ["#2f81f7", "#d29922"]
STYLE = """text{font:11px system-ui,sans-serif;fill:#6e7781}.name{font-weight:600;font-size:12px}.axis{stroke:#8c959f;stroke-width:.6}
.line{fill:none;stroke-width:2}"""


def short(number):
    """A number in few letters: 0.3, 12, 4k, 1M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.2g}" if number < 1 else f"{number:.3g}"


def decades(figures):
    return math.floor(math.log10(min(figures))), math.ceil(math.log10(max(figures)) + 1e-9)


def picture(what, found, x0, y0):
    """One figure, at its place."""
    figures = [max(figure, 0.01) for _, _, figure in found]
    counts = sorted({files for _, files, _ in found})
    low, high = decades(figures)
    high = max(high, low + 1)
    wide, tall = WIDTH - LEFT - 14, HEIGHT - TOP - BELOW
    spread = math.log10(counts[-1] / counts[0]) or 1
    x = lambda files: x0 + LEFT + wide * math.log10(files / counts[0]) / spread
    y = lambda figure: y0 + TOP + tall * (high - math.log10(max(figure, 0.01))) / (high - low)
    parts = [f'<text class="name" x="{x0 + LEFT}" y="{y0 + 18}">{what}</text>']
    for power in range(low, high + 1):
        at = y(10.0**power)
        parts.append(f'<line class="axis" x1="{x0 + LEFT}" x2="{x0 + LEFT + wide}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text x="{x0 + LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{short(10.0**power)}</text>')
    for files in counts:
        parts.append(f'<text x="{x(files):.1f}" y="{y0 + HEIGHT - 14}" text-anchor="middle">{short(files)}</text>')
    for number, roster in enumerate(dict.fromkeys(roster for roster, _, _ in found)):
        points = [(x(files), y(figure), figure) for whose, files, figure in found if whose == roster]
        line = " ".join(f"{at:.1f},{up:.1f}" for at, up, _ in points)
        color = COLORS[number % len(COLORS)]
        parts.append(f'<polyline class="line" stroke="{color}" points="{line}"/>')
        for at, up, figure in points:
            parts.append(f'<circle cx="{at:.1f}" cy="{up:.1f}" r="3" fill="{color}"><title>{roster}: {short(figure)}</title></circle>')
    return "\n".join(parts)


def drawn(found):
    """The page of all figures: (what, roster, files, figure) each."""
    names = list(dict.fromkeys(what for what, *_ in found))
    rosters = list(dict.fromkeys(roster for _, roster, *_ in found))
    rows = (len(names) + 1) // 2
    width, height = 2 * WIDTH, rows * HEIGHT + 26
    words = ", ".join(rosters)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="What grows with the files of a repository: {words}">',
             f"<style>{STYLE}</style>"]
    for number, what in enumerate(names):
        parts.append(picture(what, [rest for name, *rest in found if name == what], WIDTH * (number % 2), HEIGHT * (number // 2)))
    for number, roster in enumerate(rosters):
        at = LEFT + 130 * number
        parts.append(f'<circle cx="{at}" cy="{height - 12}" r="4" fill="{COLORS[number % len(COLORS)]}"/>'
                     f'<text x="{at + 9}" y="{height - 8}">{roster}</text>')
    parts.append(f'<text x="{width - 14}" y="{height - 8}" text-anchor="end">over the files of a repository</text>')
    return "\n".join(parts) + "\n</svg>\n"
