/** IP addresses and networks in CIDR notation (RFC 4632), as settings contain them. */
import { BlockList, isIP, isIPv4 } from 'node:net';

/** Returns whether a value is an IP address, or a CIDR block such as 10.0.0.0/8. */
export function isAddressOrNetwork(value: string): boolean {
  const [address = '', bits, ...others] = value.split('/');
  const family = isIP(address);
  if (family === 0 || others.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** @param values as `isAddressOrNetwork` accepts them. */
export function createNetworks(values: readonly string[]): BlockList {
  const list = new BlockList();
  for (const value of values) {
    const [base = '', bits] = value.split('/');
    const family = isIPv4(base) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(bits), family);
  }
  return list;
}

/** Returns whether an address is in one of the networks. False for text that is no address. */
export function contains(networks: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && networks.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
