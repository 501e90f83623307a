# trick: read the process through /proc: its memory map, memory, command line, limits, other processes
# want: nothing
# native: finds


def run(ctx):
    found = []
    for path in ("/proc/self/mem", "/proc/self/maps", "/proc/self/cmdline", "/proc/self/limits", "/proc/self/status", "/proc/1/cmdline",
                 "/proc/self/task", "/proc/net/tcp", "/proc/meminfo", "/proc/uptime", "/sys/class/net", "/sys/kernel", "/dev/mem", "/dev/kmem",
                 "/var/run/docker.sock", "/run/secrets", "/var/run/secrets/kubernetes.io/serviceaccount/token"):
        try:
            with open(path, "rb") as f:
                f.read(1)
        except OSError:
            continue
        found.append(path)
    return found
