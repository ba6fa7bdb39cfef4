/** IP addresses and the IPv4 addresses embedded in IPv6 ones. */
import { BlockList, isIP } from 'node:net'; // these two do no I/O
import ipaddr from 'ipaddr.js';
import { LOOPBACK_RANGES, METADATA_RANGES, RESERVED_RANGES } from './lists.ts';

const { IPv4, IPv6, parseCIDR } = ipaddr; // CommonJS: named imports do not exist at run time

/** An address and the IPv4 addresses inside it, all in canonical spelling. */
export interface Address {
  readonly text: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly embedded: readonly string[];
  /** The IPv6 form only carries a public IPv4 address (mapped, NAT64): the embedded address decides. */
  readonly carrier: boolean;
}

interface Embedding {
  readonly prefix: readonly [ipaddr.IPv6, number];
  /** Positions of the four octets. */
  readonly octets: readonly number[];
  readonly carrier?: true;
  /** Teredo hides the address by inverting its bits (RFC 4380 section 4). */
  readonly inverted?: true;
}

const LAST_FOUR = [12, 13, 14, 15];
const EMBEDDINGS: readonly Embedding[] = [
  { prefix: [IPv6.parse('::ffff:0:0'), 96], octets: LAST_FOUR, carrier: true }, // mapped, RFC 4291
  { prefix: [IPv6.parse('64:ff9b::'), 96], octets: LAST_FOUR, carrier: true }, // NAT64, RFC 6052
  { prefix: [IPv6.parse('64:ff9b:1::'), 48], octets: LAST_FOUR }, // local NAT64, RFC 8215
  { prefix: [IPv6.parse('64:ff9b:1::'), 48], octets: [6, 7, 9, 10] }, // the same with a /48, RFC 6052 section 2.2
  { prefix: [IPv6.parse('::'), 96], octets: LAST_FOUR }, // compatible, RFC 4291
  { prefix: [IPv6.parse('::ffff:0:0:0'), 96], octets: LAST_FOUR }, // translated, RFC 2765
  { prefix: [IPv6.parse('2002::'), 16], octets: [2, 3, 4, 5] }, // 6to4, RFC 3056
  { prefix: [IPv6.parse('2001::'), 32], octets: LAST_FOUR, inverted: true }, // Teredo, RFC 4380
];

/** Reads an address in its ordinary spelling (IPv4 in four decimal parts); a zone is ignored. */
export function parseAddress(text: string): Address | undefined {
  const family = isIP(text);
  if (family === 0) return undefined;
  if (family === 4) return { text, family: 'ipv4', embedded: [], carrier: false };
  const ip = IPv6.parse(text.replace(/%.*$/, ''));
  const bytes = ip.toByteArray();
  const found = EMBEDDINGS.filter(({ prefix: [base, bits] }) => ip.match(base, bits));
  return {
    text: ip.toRFC5952String(),
    family: 'ipv6',
    embedded: found.map(({ octets, inverted }) =>
      new IPv4(octets.map((at) => (bytes[at] ?? 0) ^ (inverted ? 0xff : 0))).toString(),
    ),
    carrier: found.some(({ carrier }) => carrier),
  };
}

/** Every address a connection to this one may end at. */
export const equivalentAddresses = (address: Address): readonly string[] => [address.text, ...address.embedded];

/** Per family: a `BlockList` with IPv6 ranges also catches IPv4 addresses, in their mapped form. */
type Ranges = Readonly<Record<Address['family'], BlockList>>;

const METADATA = toRanges(METADATA_RANGES);
const LOOPBACK = toRanges(LOOPBACK_RANGES);
const RESERVED = toRanges(RESERVED_RANGES);

export const isMetadata = (address: Address): boolean => isWithin(address, METADATA);

export const isLoopback = (address: Address): boolean => isWithin(address, LOOPBACK);

/** Whether the address is anything but public unicast. */
export function isReserved(address: Address): boolean {
  if (address.embedded.some((text) => RESERVED.ipv4.check(text))) return true;
  return !address.carrier && RESERVED[address.family].check(address.text, address.family);
}

const isWithin = ({ text, family, embedded }: Address, ranges: Ranges): boolean =>
  ranges[family].check(text, family) || embedded.some((inner) => ranges.ipv4.check(inner));

function toRanges(cidrs: readonly string[]): Ranges {
  const ranges = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of cidrs) {
    const [base, bits] = parseCIDR(cidr);
    ranges[base.kind()].addSubnet(base.toString(), bits, base.kind());
  }
  return ranges;
}
