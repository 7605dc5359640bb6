# shellcheck shell=bash
# Sourced: a container engine of Debian's packages (podman, buildah, runc) that needs no daemon, keeps everything under
# $1 and works where the limits of processes may not be raised. After it: `base_image`, `engine_absent`.
engine_home=$(mkdir -p "$1" && cd "$1" && pwd)
cat >"$engine_home/storage.conf" <<CONF
[storage]
driver = "overlay"
runroot = "$engine_home/run"
graphroot = "$engine_home/graph"
CONF
cat >"$engine_home/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=4096:4096","nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
export CONTAINERS_STORAGE_CONF=$engine_home/storage.conf CONTAINERS_CONF=$engine_home/containers.conf

# Why containers cannot be run here, or nothing.
engine_absent() {
  local tool
  for tool in podman buildah runc debootstrap; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed"; return; }
  done
  [[ $(id -u) == 0 ]] || echo "not root"
}

# Debian's own minimal system as localhost/debian:bookworm-slim, less what the slim image on the registries leaves out.
base_image() {
  podman image exists localhost/debian:bookworm-slim && return
  local root=$engine_home/rootfs
  rm -rf "$root"
  debootstrap --variant=minbase bookworm "$root" >"$engine_home/debootstrap.log" || return
  tar -C "$root" -c --exclude='./var/cache/apt/*' --exclude='./var/lib/apt/lists/*' --exclude='./usr/share/man/*' \
    --exclude='./usr/share/locale/*' --exclude='./usr/share/info/*' --exclude='./usr/share/doc/*/*changelog*' . |
    podman import - localhost/debian:bookworm-slim >/dev/null
  rm -rf "$root"
}

# Leaves no container and no mount behind; the images stay for the next time.
close_engine() {
  buildah rm --all >/dev/null 2>&1 || true
  podman rm -f -a -t 0 >/dev/null 2>&1 || true
  awk -v home="$engine_home/" 'index($2, home) == 1 {print $2}' /proc/mounts | sort -r | xargs -r umount -l
}
