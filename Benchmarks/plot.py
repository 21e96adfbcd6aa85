"""Speed against size, on logarithmic axes: who is up and to the left is in front."""

import textwrap

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

import report

OURS = "MultipartEncoder"
MARKERS = "osD^v<>Phd*X"


def draw(data, prefix):
    plt.rcParams["svg.hashsalt"] = "multipart"
    figure, axes = plt.subplots(figsize=(10, 6.6), layout="constrained")
    means = data["means"]
    families = list(dict.fromkeys(data["families"][n] for n in means if n in data["families"]))
    colors = plt.get_cmap("tab20")
    for index, family in enumerate(families):
        points = sorted(
            (means[name]["size"], means[name]["speed"], name)
            for name in means
            if data["families"].get(name) == family
        )
        does_all = all(means[name]["pictures"] == len(data["pictures"]) for _, _, name in points)
        axes.plot(
            [size for size, _, _ in points],
            [speed for _, speed, _ in points],
            MARKERS[index % len(MARKERS)] + ":",
            color=colors(index % 20),
            linewidth=0.8,
            markersize=6,
            fillstyle="full" if does_all else "none",
            label=family if does_all else f"{family} (not all pictures)",
        )
        for size, speed, name in points:
            note(axes, name.removeprefix(family).strip(), size, speed, colors(index % 20))
    axes.plot(1, 1, "k+", markersize=12, label="libpng default")
    ours = sorted((m["size"], m["speed"], n) for n, m in means.items() if n.startswith(OURS))
    axes.plot(
        [size for size, _, _ in ours],
        [speed for _, speed, _ in ours],
        "o-",
        color="crimson",
        linewidth=2.4,
        markersize=9,
        label=OURS,
        zorder=5,
    )
    for size, speed, name in ours:
        axes.annotate(
            name.removeprefix(OURS).strip(),
            (size, speed),
            textcoords="offset points",
            xytext=(9, 4) if name.endswith("fastest") else (-9, 1),
            ha="left" if name.endswith("fastest") else "right",
            fontsize=9.5,
            fontweight="bold",
            color="crimson",
        )
    axes.margins(x=0.12, y=0.1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    steps = [0.8, 0.85, 0.9, 0.95, 1, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2, 2.5, 3]
    axes.xaxis.set_major_locator(FixedLocator(steps))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(FixedLocator([0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}×"))
    axes.set_xlabel("size of the PNG, libpng default = 1 (left is smaller)")
    axes.set_ylabel("pixels per CPU second, libpng default = 1 (up is faster)")
    axes.grid(True, color="0.9")
    axes.legend(fontsize=8, loc="lower right", ncols=2)
    words = textwrap.fill(report.caption(data), 150)
    figure.supxlabel(words, fontsize=6.5, color="0.35")
    for suffix in (".png", ".svg"):
        metadata = {"Date": None} if suffix == ".svg" else None
        figure.savefig(prefix.with_suffix(suffix), dpi=150, metadata=metadata)
    plt.close(figure)


def note(axes, text, size, speed, color):
    axes.annotate(
        text,
        (size, speed),
        textcoords="offset points",
        xytext=(6, 4),
        fontsize=6.5,
        color=color,
    )
