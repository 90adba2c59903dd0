# Read by the scripts of this folder: where things are, and Debian packages on demand.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

# packages KIND...: installs what is missing; nothing is asked of the network when all is there.
packages() {
    wanted=
    for kind in "$@"; do
        wanted="$wanted $(sed -n "s/^$kind //p" packaging/packages | tr '\n' ' ')"
    done
    # shellcheck disable=SC2086 # a list of words; asked at once, since this stands before every start
    installed=" $(dpkg-query -W -f='${Package}=${db:Status-Status} ' $wanted 2>/dev/null || true)"
    missing=
    for package in $wanted; do
        case $installed in
        *" $package=installed "*) continue ;;
        esac
        # Node.js from elsewhere serves as well, and Debian's packages would not install beside it.
        case $package in
        nodejs) command -v node >/dev/null && continue ;;
        npm) command -v npm >/dev/null && continue ;;
        esac
        missing="$missing $package"
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
        # A third of the time of the default linker, for a hundred programs of tests.
        if command -v ld.gold >/dev/null; then
            launcher="$launcher -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold"
        fi
        cmake --preset "$preset" $launcher "$@" >/dev/null
    fi
}
