"""The table, for people (Markdown) and for programs (CSV)."""

import csv
import re


def write(data, prefix):
    rows = sorted(data["means"].items(), key=lambda item: -item[1]["speed"])
    count = len(data["pictures"])
    with open(prefix.with_suffix(".csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["encoder", "picture", "cpu_s", "bytes", "speed", "size"])
        for picture, figures in data["pictures"].items():
            base_time, base_size = figures["libpng"]
            for name, (cpu, size) in figures.items():
                ratios = [f"{base_time / cpu:.3f}", f"{size / base_size:.4f}"]
                writer.writerow([name, picture, f"{cpu:.6f}", size, *ratios])
    lines = [
        "| encoder, one thread | speed | size | largest | pictures |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, mean in rows:
        shown = f"**{name}**" if name.startswith("MultipartEncoder") else name
        lines.append(
            f"| {shown} | {mean['speed']:.2f} | {mean['size']:.3f} | {mean['largest']:.2f} "
            f"| {mean['pictures']} of {count} |"
        )
    lines += ["", caption(data)]
    prefix.with_suffix(".md").write_text("\n".join(lines) + "\n")


def caption(data):
    machine = data["machine"]
    skipped = f" Not measured: {'; '.join(data['skipped'])}." if data["skipped"] else ""
    system = re.sub(r"-\S+", "", machine["system"], count=1)  # the kernel's version without its build
    total = sum(data["bytes"].values()) / 1e6
    return (
        f"Geometric means over {len(data['pictures'])} pictures"
        f"{' (' + data['title'] + ')' if data['title'] else ''}, {total:.0f} MB of pixels; CPU "
        f"time and size against libpng {machine['libpng']} with zlib {machine['zlib']} at their "
        f"defaults in the same run (speed above 1 is faster, size below 1 is smaller); the least "
        f"of {data['rounds']} rounds or more. {machine['processor']}, {system}, kernel "
        f"{machine['kernel']}, {data['date']}. {', '.join(data['versions'])}.{skipped}"
    )
