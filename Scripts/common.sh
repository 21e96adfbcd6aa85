# What the scripts share: where the repository is, and how to get what is missing.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '\n== %s\n' "$*"; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# install [COMMAND=]PACKAGE…: Debian packages that are not there yet; where a command is named, it
# may have come from elsewhere.
install() {
    local missing=() package
    if ! command -v dpkg-query >/dev/null; then
        command -v pkg-config >/dev/null && pkg-config --exists libpng zlib && return
        fail "install libpng, zlib, libcurl and pkg-config first (macOS: brew install libpng pkgconf)"
    fi
    for package in "$@"; do
        if [ "$package" != "${package#*=}" ]; then
            command -v "${package%%=*}" >/dev/null && continue
            package=${package#*=}
        fi
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    local privileged=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "as root: apt-get install ${missing[*]}"
        privileged=(sudo)
    fi
    say "installing ${missing[*]}"
    "${privileged[@]}" apt-get -qq update
    DEBIAN_FRONTEND=noninteractive "${privileged[@]}" \
        apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# try_install PACKAGE…: the same, where it is no failure if it can't be done.
try_install() { (install "$@") || echo "note: without $*, some checks are skipped"; }

# The interpreters and parsers that read our bodies.
interop_packages=(
    node=nodejs node-busboy node-formidable node-multiparty
    php-cgi=php-cgi ruby=ruby ruby-rack ruby-multipart-parser
    libcgi-pm-perl libhttp-body-perl libhttp-entity-parser-perl libmojolicious-perl
)

# python_environment FILE: the interpreter of a virtual environment with a file's requirements.
python_environment() {
    local python=python3 requirements=$1
    if [ ! -x .venv/bin/python ]; then
        "$python" -m venv .venv >&2 || return 1
    fi
    if ! cmp -s "$requirements" ".venv/$(basename "$(dirname "$requirements")").txt"; then
        .venv/bin/python -m pip install -q --disable-pip-version-check -r "$requirements" >&2 ||
            return 1
        cp "$requirements" ".venv/$(basename "$(dirname "$requirements")").txt"
    fi
    echo "$root/.venv/bin/python"
}

command -v swift >/dev/null || fail "install Swift 6.2 or later from https://www.swift.org/install"
