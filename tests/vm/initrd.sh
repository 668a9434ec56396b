#!/usr/bin/env bash
# Makes what a machine of these tests boots from, in the folder CACHE:
#
#   initrd.sh CACHE PROGRAM      CACHE/vmlinuz and CACHE/initrd
#
# The kernel is Debian's newest linux-image for this architecture, downloaded by apt once and never
# installed. The system is busybox, the modules and programs below with their libraries, and
# PROGRAM as /bin/ptse. Exits with 75 and one sentence when something cannot be had here.
set -euo pipefail
cache=$1 program=$2
cannot() { echo "$*"; exit 75; }

# The emulated drives, the shared folder, and what is built on drives in the tests.
modules=(nvme 9p 9pnet_virtio virtio_pci ext4 crc32c_generic dm-mod dm-delay dm-linear loop md-mod
  raid1 sd_mod scsi_debug sg)
# What prepares drives and asks them, beside the program under test; what the host lacks is left
# out, and the tests that need it say so.
tools=(mkfs.ext4 dmsetup mdadm nvme fio hdparm smartctl)

[ "$(uname -m)" = x86_64 ] || cannot "the machine is only known for x86_64"
for need in qemu-system-x86_64 busybox cpio depmod dpkg-deb; do
  command -v "$need" >/dev/null || cannot "$need is not installed"
done
mkdir -p "$cache"
work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT

fetch_kernel() {
  local package
  package=$(apt-cache depends linux-image-amd64 2>/dev/null |
    awk '/Depends: linux-image-[0-9]/ { print $2; exit }')
  [ -n "$package" ] || cannot "apt knows no kernel package (run apt-get update)"
  (cd "$work" && timeout 240 apt-get download -qq "$package") >/dev/null 2>&1 ||
    cannot "the kernel package $package could not be downloaded"
  rm -rf "$cache/kernel"
  dpkg-deb -x "$work"/linux-image-*.deb "$work/kernel"
  [ ! -d "$work/kernel/usr/lib/modules" ] || mv "$work/kernel/usr/lib" "$work/kernel/lib"
  mv "$work/kernel" "$cache/kernel"
  mv "$cache"/kernel/boot/vmlinuz-* "$cache/vmlinuz"
  touch "$cache/vmlinuz"
}

# Copies a program and the libraries it is linked with to the same places below a root.
add_program() {
  local root=$1 from=$2 to=$3 library
  install -D "$from" "$root$to"
  { ldd "$from" 2>/dev/null || true; } | grep -o '/[^ ]*' | while read -r library; do
    [ -e "$root$library" ] || install -D "$library" "$root$library"
  done
}

# A module and, by the list that depmod made, all that it needs.
add_module() {
  local root=$1 name=$2 line file
  line=$(grep -E "/$name\.ko(\.xz)?:" "$cache/modules.dep" || true)
  for file in ${line/:/ }; do
    [ -e "$root/lib/modules/$version/$file" ] ||
      install -D "$cache/kernel/lib/modules/$version/$file" "$root/lib/modules/$version/$file"
  done
}

make_base() {
  local root=$work/base module tool place
  mkdir -p "$root"/{bin,proc,sys,dev,tmp,host,mnt,run,etc}
  cp "$(command -v busybox)" "$root/bin/busybox"
  version=$(basename "$cache"/kernel/lib/modules/*)
  depmod -b "$cache/kernel" "$version"
  cp "$cache/kernel/lib/modules/$version/modules.dep" "$cache/modules.dep"
  for module in "${modules[@]}"; do add_module "$root" "$module"; done
  cp "$cache/kernel/lib/modules/$version"/modules.{order,builtin,builtin.modinfo} \
    "$root/lib/modules/$version/"
  depmod -b "$root" "$version"
  for tool in "${tools[@]}"; do
    place=$(command -v "$tool" || true)
    [ -z "$place" ] || add_program "$root" "$(realpath "$place")" "$place"
  done
  install -m 755 "$here/init" "$root/init"
  pack "$root" > "$cache/base.new"
  mv "$cache/base.new" "$cache/base"
  found_tools > "$cache/tools"
}

found_tools() { for tool in "${tools[@]}"; do command -v "$tool" || true; done; }

is_base_current() {
  [ "$cache/base" -nt "$0" ] && [ "$cache/base" -nt "$here/init" ] &&
    [ "$cache/base" -nt "$cache/vmlinuz" ] && [ "$(found_tools)" = "$(cat "$cache/tools")" ]
}

pack() { (cd "$1" && find . | cpio --quiet -o -H newc); }

here=$(cd "$(dirname "$0")" && pwd)
[ -e "$cache/vmlinuz" ] && [ -d "$cache/kernel/lib/modules" ] || fetch_kernel
is_base_current 2>/dev/null || make_base

# The kernel unpacks archives that follow one another, so only the program is packed each time.
mkdir -p "$work/top"
strip -o "$work/ptse" "$program" 2>/dev/null || cp "$program" "$work/ptse"
add_program "$work/top" "$work/ptse" /bin/ptse
pack "$work/top" | cat "$cache/base" - > "$cache/initrd.new"
mv "$cache/initrd.new" "$cache/initrd"
