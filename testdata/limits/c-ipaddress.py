# hostile: walk through all addresses of version six
# want: cpu-limit
# line: 8-9
import ipaddress


def run(ctx):
    for address in ipaddress.ip_network('::/0'):
        pass
