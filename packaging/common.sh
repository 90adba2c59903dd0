# Read by the scripts of this folder: where things are, and Debian packages on demand.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

# packages KIND...: installs what is missing; nothing is asked of the network when all is there.
packages() {
    missing=
    for kind in "$@"; do
        for package in $(sed -n "s/^$kind //p" packaging/packages); do
            case " $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true) " in
            " installed ") ;;
            *) missing="$missing $package" ;;
            esac
        done
    done
    [ -n "$missing" ] || return 0
    echo "installing:$missing" >&2
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
        command -v sudo >/dev/null || { echo "packaging: run as root or install sudo to get:$missing" >&2; exit 77; }
    fi
    $as_root apt-get -o DPkg::Lock::Timeout=300 update -qq
    # shellcheck disable=SC2086 # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $missing >/dev/null
}

# configure PRESET [OPTION...]: only when the build folder is new; Ninja reconfigures by itself later.
configure() {
    preset=$1
    shift
    if [ ! -f "build/$preset/build.ninja" ]; then
        launcher=
        if command -v ccache >/dev/null; then
            launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache
        fi
        cmake --preset "$preset" $launcher "$@" >/dev/null
    fi
}
