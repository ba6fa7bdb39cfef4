import { isIP } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { isLoopback, isMetadata, isReserved, parseAddress } from './address.ts';
import { METADATA_RANGES } from './lists.ts';

const judge = (text: string, is: typeof isReserved): boolean | undefined => {
  const address = parseAddress(text);
  return address === undefined ? undefined : is(address);
};

const PRIVATE = [
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.1.1',
  '100.64.0.1',
  '100.127.255.255',
  '0.0.0.0',
  '0.1.2.3',
  '224.0.0.1',
  '239.1.2.3',
  '240.0.0.1',
  '255.255.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
];

const hex = (ip: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
};

const EMBED: readonly ((ip: string) => string)[] = [
  (ip) => `::ffff:${ip}`,
  (ip) => `::ffff:${hex(ip)}`,
  (ip) => `::${ip}`,
  (ip) => `::ffff:0:${ip}`,
  (ip) => `64:ff9b::${ip}`,
  (ip) => `64:ff9b::${hex(ip)}`,
  (ip) => `64:ff9b:1::${ip}`,
  (ip) => `2002:${hex(ip)}::1`,
];

describe('an address', () => {
  test.for(PRIVATE.flatMap((ip) => [ip, ...EMBED.map((embed) => embed(ip))]))('%s is reserved', (ip) => {
    expect(judge(ip, isReserved)).toBe(true);
  });

  test.for([
    ...['::1', '::', 'fc00::1', 'fdff::1', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1', '2001::1'],
    ...[
      '100:0:0:1::1',
      '100::1',
      '2001:db8::1',
      '2001:20::1',
      '3fff::1',
      '5f00::1',
      '::808:808',
      '4000::1',
      'fe80::1%eth0',
    ],
  ])('%s is reserved', (ip) => {
    expect(judge(ip, isReserved)).toBe(true);
  });

  test.for(['8.8.8.8', '2001:4860:4860::8888', '::ffff:8.8.8.8', '64:ff9b::808:808'])('%s is public', (ip) => {
    expect(judge(ip, isReserved)).toBe(false);
  });

  test.for(['127.0.0.1', '127.9.9.9', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1'])('%s is the machine itself', (ip) => {
    expect(judge(ip, isLoopback)).toBe(true);
  });

  const bases = METADATA_RANGES.map((range) => range.replace(/\/.*/, '').replace(/\.0$/, '.254'));
  const spelled = bases.flatMap((ip) => (isIP(ip) === 4 ? [ip, ...EMBED.map((embed) => embed(ip))] : [ip]));
  test.for([...spelled, 'fd00:ec2::254', '2001:0:1:2:3:4:5601:5601'])('%s is a metadata address', (ip) => {
    expect(judge(ip, isMetadata)).toBe(true);
  });

  test.for(['', 'a.example', '127.1', '0x7f.0.0.1', '1.2.3.4.5', '[::1]'])('%j is none', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  test('that is not reserved is public in the eyes of another reader, too', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        if (judge(text, isReserved) === false) expect(isPublic(text)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

/** A second opinion: the ranges of ipaddr.js, and the addresses inside the two forms it names. */
function isPublic(host: string): boolean {
  const ip = ipaddr.process(host);
  const range = ip.range();
  if (range === 'unicast') return true;
  const bytes = ip.toByteArray();
  const inner = range === 'rfc6052' ? bytes.slice(12) : range === '6to4' ? bytes.slice(2, 6) : undefined;
  return inner !== undefined && ipaddr.fromByteArray(inner).range() === 'unicast';
}
