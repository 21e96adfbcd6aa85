"""Runs our levels and the peers in turn over a folder of PNGs, and reports ratios to libpng.

Every encoder turns pixels in memory into a PNG in memory on one thread. What it costs is the CPU
time of its process around that call. In every round every encoder has its turn, and the least of
its times counts; the fast ones run more than once a round. Each PNG is decoded and compared once.
The yardstick is libpng at its defaults (zlib level 6, adaptive filters) on the same picture.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

import peers
import plot
import report
from picture import Picture

OURS = "MultipartEncoder"


class Bench:
    """encode-bench as a process that takes orders; it times its own work."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [path, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def order(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("encode-bench has ended")
        return answer.strip()

    def sample(self, *words):
        named = dict(word.split("=") for word in self.order(*words).split()[1:])
        return float(named["cpu"]), int(named["out"])


def timed(encode, picture):
    start = time.process_time()
    png = encode(picture)
    return time.process_time() - start, len(png)


def measure(bench, path, candidates, rounds):
    """CPU seconds and bytes by name; names that can't do the picture are missing."""
    picture = Picture(path)
    bench.order("load", path)
    turns = {"libpng": lambda: bench.sample("usual")}
    with tempfile.TemporaryDirectory() as scratch:
        for level in ("fastest", "fast", "balanced", "small"):
            name = f"{OURS} .{level}"
            if candidates is not None and name not in candidates:
                continue
            saved = os.path.join(scratch, "picture.png")
            bench.order("save", level, saved)
            picture.check(pathlib.Path(saved).read_bytes())
            turns[name] = lambda level=level: bench.sample("encode", level, 1)
    problems, best = [], {}
    for peer in peers.all_of_them():
        if candidates is not None and peer.name not in candidates:
            continue
        try:
            start = time.process_time()
            png = peer.encode(picture)
            cpu = time.process_time() - start
            if png is None:
                continue
            picture.check(bytes(png))
        except Exception as error:
            problems.append(f"{peer.name}: {picture.name}: {error}")
            continue
        best[peer.name] = (cpu, len(png))
        turns[peer.name] = lambda peer=peer: timed(peer.encode, picture)
    for name, turn in turns.items():
        if name not in best:
            best[name] = turn()
    for _ in range(rounds - 1):  # the check was the first
        for name, turn in turns.items():
            spent = 0.0
            while spent < 0.04:
                runs, cpu = 0, 0.0
                while cpu < 1e-3 and runs < 400:  # a clock's step may be longer than one run
                    once, size = turn()
                    runs, cpu = runs + 1, cpu + once
                spent += max(cpu, 1e-3)
                best[name] = (min(cpu / runs, best[name][0] or math.inf), size)
    return best, problems, picture.samples.nbytes


def machine(bench):
    answer = bench.order("machine").removeprefix("machine ")
    return dict(item.split("=", 1) for item in answer.split("|"))


def summary(results):
    """Geometric means of speed and size by encoder, over the pictures that it can do."""
    totals = collections.defaultdict(lambda: [0, 0.0, 0.0, 0.0])
    for figures in results.values():
        base_time, base_size = figures["libpng"]
        for name, (cpu, size) in figures.items():
            total = totals[name]
            total[0] += 1
            total[1] += math.log(base_time / cpu)
            total[2] += math.log(size / base_size)
            total[3] = max(total[3], size / base_size)
    return {
        name: {
            "pictures": count,
            "speed": math.exp(speed / count),
            "size": math.exp(size / count),
            "largest": largest,
        }
        for name, (count, speed, size, largest) in totals.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", default="Fixtures/pictures", help="folder of PNGs")
    parser.add_argument("--output", default="Benchmarks/results/peers", metavar="PREFIX")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="encoders by their full names, with commas between")
    parser.add_argument("--title", default="", help="what the pictures are, for the caption")
    arguments = parser.parse_args()
    candidates = arguments.only and [name.strip() for name in arguments.only.split(",")]
    bench = Bench(os.environ.get("BENCH", ".build/release/encode-bench"))
    results, problems, sizes = {}, [], {}
    paths = sorted(pathlib.Path(arguments.corpus).resolve().glob("*.png"))
    for path in paths:
        if Picture(path).is_bits:
            print(f"{path.stem}: left out, few encoders write one bit a pixel", flush=True)
            continue
        start = time.monotonic()
        figures, failed, sizes[path.stem] = measure(bench, path, candidates, arguments.rounds)
        results[path.stem] = figures
        problems += failed
        print(f"{path.stem}: {len(figures)} encoders, {time.monotonic() - start:.0f} s", flush=True)
    known = {peer.name: peer for peer in peers.all_of_them()}
    data = {
        "machine": machine(bench),
        "title": arguments.title,
        "rounds": arguments.rounds,
        "date": time.strftime("%Y-%m-%d"),
        "versions": sorted({peer.library for peer in known.values()}),
        "families": {name: peer.family for name, peer in known.items()},
        "bytes": sizes,
        "means": summary(results),
        "pictures": results,
        "skipped": sorted(set(peers.MISSING)),
        "problems": problems,
    }
    prefix = pathlib.Path(arguments.output)
    prefix.parent.mkdir(parents=True, exist_ok=True)
    prefix.with_suffix(".json").write_text(json.dumps(data, indent=1) + "\n")
    report.write(data, prefix)
    plot.draw(data, prefix)
    for problem in problems + data["skipped"]:
        print("skipped:", problem)
    print(prefix.with_suffix(".md").read_text())


if __name__ == "__main__":
    main()
