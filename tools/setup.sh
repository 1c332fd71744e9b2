#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Make the virtual environment $1 with everything `make demo` and `make test` need.
# Installs Debian packages only as root or with a sudo that asks nothing; else names the command and fails.
set -eu
venv=$1
here=$(cd "$(dirname "$0")/.." && pwd)

# need COMMAND PACKAGE...: install the packages unless the command works
need() {
    check=$1
    shift
    sh -c "$check" >/dev/null 2>&1 && return 0
    if [ "$(id -u)" = 0 ]; then sudo=; else sudo="sudo -n"; fi
    if command -v apt-get >/dev/null && $sudo true 2>/dev/null; then
        echo "setup: installing $*"
        log=$({ $sudo apt-get update -qq; $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@"; } 2>&1) ||
            echo "$log" >&2
    fi
    sh -c "$check" >/dev/null 2>&1 && return 0
    echo "setup: '$check' fails and I may not install it. FIX: sudo apt-get install $*" >&2
    exit 1
}

need 'iverilog -V' iverilog
need 'g++ --version' g++
# Verilator's driver is a Perl script; minimal images have perl-base only
need 'perl -MFindBin -MGetopt::Long -MPod::Usage -e 1' perl
python=${PYTHON:-python3}
need "$python --version" python3
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "setup: $python is $("$python" --version 2>&1), npuscope needs 3.11. FIX: make PYTHON=python3.11 ..." >&2
    exit 1
}
need "$python -c 'import ensurepip, venv'" python3-venv

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
echo "setup: installing Python packages into $venv (about a minute)"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    -c "$here/tools/constraints.txt" -e "$here[gen,dv,formal,synth,wave,export,test]"

# cocotb loads libpython into the simulator; Debian's python3 comes without it
need "$venv/bin/find_libpython" libpython3-dev
