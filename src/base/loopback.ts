const LOOPBACK_IPV4 = /^127\.\d+\.\d+\.\d+$/;

/** Whether a host is this machine by its name: `localhost`, `*.localhost`, 127.0.0.0/8 and `[::1]`, as `URL.hostname` writes them. */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    LOOPBACK_IPV4.test(hostname)
  );
}

/** Whether an IP address is of this machine, also where an IPv6 socket shows an IPv4 address (`::ffff:127.0.0.1`). */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || LOOPBACK_IPV4.test(address.replace(/^::ffff:/, ''));
}
