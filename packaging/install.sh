#!/bin/sh
# Installs the command `iam`, which is also the server, for this user: no Node is needed.
#
#   IAM_PREFIX       where to: default ~/.local (bin, share/man, completions of the shells)
#   IAM_RELEASE_URL  where from: default the release that this script belongs to
#
# The checksums of the archives are in this script: what it downloads is what was released with it.
set -eu

version='@VERSION@'
sums='@SUMS@'

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 1
}

has() {
  command -v "$1" > /dev/null 2>&1
}

platform() {
  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no executable for $(uname -s); on Windows, download the zip file of the release" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail "there is no executable for the processor $(uname -m); install Node and the package instead" ;;
  esac
  # The loader of musl exists only where programs are linked with it.
  libc=
  for loader in /lib/ld-musl-*; do
    if [ "$system" = linux ] && [ -e "$loader" ]; then libc=-musl; fi
  done
  printf '%s-%s%s' "$system" "$machine" "$libc"
}

download() {
  if has curl; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif has wget; then
    wget -q -O "$2" "$1"
  else
    fail 'curl or wget is required'
  fi
}

sha256() {
  if has sha256sum; then
    sha256sum "$1"
  elif has shasum; then
    shasum -a 256 "$1"
  elif has openssl; then
    openssl dgst -sha256 -r "$1"
  else
    fail 'sha256sum, shasum or openssl is required'
  fi
}

install_iam() {
  url=${IAM_RELEASE_URL:-'@URL@'}
  prefix=${IAM_PREFIX:-${HOME:?set HOME or IAM_PREFIX}/.local}
  platform=$(platform)
  archive="iam-$version-$platform.tar.gz"
  expected=$(printf '%s\n' "$sums" | sed -n "s/  $archive\$//p")
  [ -n "$expected" ] || fail "there is no executable for $platform; install Node and the package instead"

  mkdir -p "$prefix/bin" || fail "cannot write $prefix; set IAM_PREFIX to another folder"
  # Beside the target, so that the executable is replaced at once, also while it runs.
  work=$(mktemp -d "$prefix/.iam-install-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  printf 'Downloading %s\n' "$url/$archive"
  download "$url/$archive" "$work/$archive"
  actual=$(sha256 "$work/$archive" | cut -d ' ' -f 1)
  [ "$actual" = "$expected" ] || fail "$archive has the checksum $actual, expected $expected; nothing was installed"

  mkdir "$work/tree"
  tar -xzf "$work/$archive" -C "$work/tree"
  "$work/tree/bin/iam" --version > /dev/null || fail "$archive does not run on this machine; nothing was installed"
  mkdir -p "$prefix/share"
  cp -R "$work/tree/share/." "$prefix/share/"
  mv -f "$work/tree/bin/iam" "$prefix/bin/iam"

  printf 'Installed iam %s in %s\n' "$version" "$prefix/bin"
  case ":$PATH:" in
    *":$prefix/bin:"*) printf 'Start a server with: iam server start\n' ;;
    *) printf 'Put it on the PATH, then start a server:\n  export PATH="%s:$PATH"\n  iam server start\n' "$prefix/bin" ;;
  esac
}

# A function, so that a part of this script does nothing.
install_iam
