import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Networks that are not part of the public Internet (IANA special-purpose registry), and multicast. */
const notPublicIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Public unicast. Loopback, mapped, NAT64, local and multicast addresses are outside of it. */
const publicIpv6 = '2000::/3';

/** Exceptions inside of it: Teredo and other protocols, documentation, 6to4, AS112. */
const notPublicIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const refusedIpv4 = blockList('ipv4', notPublicIpv4);
const acceptedIpv6 = blockList('ipv6', [publicIpv6]);
const refusedIpv6 = blockList('ipv6', notPublicIpv6);

/** Whether a text is an IP address of a host on the public Internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !refusedIpv4.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return false;
  return acceptedIpv6.check(address, 'ipv6') && !refusedIpv6.check(address, 'ipv6');
}

export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * For the `lookup` option of a connection. It checks the addresses that the connection uses: the name is not resolved a
 * second time. If one of them is not allowed, the lookup fails with the error code EFORBIDDEN.
 */
export function guardedLookup(
  isAllowed: (address: string) => boolean,
  resolve: Resolve = lookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) callback(error, '');
      else if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
        callback(Object.assign(new Error('the address is not allowed'), { code: 'EFORBIDDEN' }), '');
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
