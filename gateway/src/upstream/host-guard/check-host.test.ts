import { isIP } from 'node:net';
import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { addressProblem, checkCustomHost } from './check-host.ts';
import {
  BLOCKED_PORTS,
  METADATA_RANGES,
  NETWORK_DOMAINS,
  NEVER_DOMAINS,
  NEVER_HOSTS,
  PRIVATE_TLDS,
  REBINDING_DOMAINS,
} from './lists.ts';
import { createHostPolicy, type HostOrigin, type HostPolicy } from './policy.ts';

const trusting = (trustedCustomHosts: string | undefined, production = true): HostPolicy =>
  createHostPolicy({ trustedCustomHosts, production });

const STRICT = trusting('');

const accepts = (text: string, policy = STRICT, origin: HostOrigin = 'request'): boolean =>
  checkCustomHost(text, policy, origin).ok;

describe('a custom host', () => {
  test.for([
    'https://api.example.com/v1',
    'http://api.example.com',
    'HTTPS://API.Example.COM:8443/a?b=c',
    '  https://api.example.com  ',
    'https://8.8.8.8/v1',
    'https://[2001:4860:4860::8888]/v1',
    'https://[::ffff:8.8.8.8]:8443',
    'https://[64:ff9b::808:808]',
    'https://xn--bcher-kva.example',
    'https://a.b.c.d.e.f.g.h.example.com',
    'https://inference', // a bare name is judged by what it resolves to
  ])('is accepted: %s', (text) => {
    expect(accepts(text)).toBe(true);
  });

  test('is returned as a URL', () => {
    expect(unwrap(checkCustomHost(' https://API.example.com:8443/v1 ', STRICT, 'request')).href).toBe(
      'https://api.example.com:8443/v1',
    );
  });

  test.for([
    { rule: 'empty', text: '' },
    { rule: 'only spaces', text: '   ' },
    { rule: 'a tab inside', text: 'https://api.exa\tmple.com' },
    { rule: 'a newline inside', text: 'https://api.example.com\n/v1' },
    { rule: 'a NUL', text: 'https://api.example.com/\0' },
    { rule: 'too long', text: `https://api.example.com/${'a'.repeat(2048)}` },
    { rule: 'no scheme', text: 'api.example.com' },
    { rule: 'scheme-relative', text: '//api.example.com' },
    { rule: 'one slash', text: 'https:/api.example.com' },
    { rule: 'three slashes', text: 'https:///api.example.com' },
    { rule: 'no slashes', text: 'https:api.example.com' },
    { rule: 'file', text: 'file:///etc/passwd' },
    { rule: 'data', text: 'data:text/plain,x' },
    { rule: 'gopher', text: 'gopher://api.example.com' },
    { rule: 'ftp', text: 'ftp://api.example.com' },
    { rule: 'ftps', text: 'ftps://api.example.com' },
    { rule: 'user info', text: 'https://user:pass@api.example.com' },
    { rule: 'empty user info', text: 'https://@api.example.com' },
    { rule: 'an @ in the path', text: 'https://api.example.com/@x' },
    { rule: 'a host hidden behind a fragment', text: 'https://api.example.com#@127.0.0.1' },
    { rule: 'a backslash', text: 'https://api.example.com\\127.0.0.1' },
    { rule: 'no host', text: 'https://' },
    { rule: 'only a port', text: 'https://:443' },
    { rule: 'percent-encoding', text: 'https://%31%32%37.0.0.1' },
    { rule: 'a percent-encoded dot', text: 'https://127%2e0.0.1' },
    { rule: 'a space', text: 'https://api example.com' },
    { rule: 'an underscore', text: 'https://api_x.example.com' },
    { rule: 'braces', text: 'https://{api}.example.com' },
    { rule: 'a pipe', text: 'https://a|b.example.com' },
    { rule: 'a caret', text: 'https://a^b.example.com' },
    { rule: 'raw Unicode', text: 'https://bücher.example' },
    { rule: 'full-width digits', text: 'http://１２７.０.０.１' },
    { rule: 'circled digits', text: 'http://①②⑦.⓪.⓪.①' },
    { rule: 'an ideographic full stop', text: 'http://127。0。0。1' },
    { rule: 'a trailing dot', text: 'https://api.example.com.' },
    { rule: 'a trailing dot after an address', text: 'https://8.8.8.8.' },
    { rule: 'an empty label', text: 'https://api..example.com' },
    { rule: 'a leading dot', text: 'https://.example.com' },
    { rule: 'eleven labels', text: 'https://a.b.c.d.e.f.g.h.i.example.com' },
    { rule: 'a zone', text: 'https://[fe80::1%25eth0]' },
    { rule: 'port 0', text: 'https://api.example.com:0' },
    { rule: 'port 65536', text: 'https://api.example.com:65536' },
    { rule: 'a port that is no number', text: 'https://api.example.com:4a' },
  ])('is refused: $rule', ({ text }) => {
    expect(accepts(text)).toBe(false);
    expect(accepts(text, STRICT, 'resource')).toBe(false);
  });

  test.for([
    'http://127.1',
    'http://127.0.1',
    'http://2130706433',
    'http://0x7f000001',
    'http://0x7f.0.0.1',
    'http://0X7F.1',
    'http://0177.0.0.1',
    'http://017700000001',
    'http://127.0.0.01',
    'http://127.0.0.1.',
    'http://0',
    'http://134744072', // 8.8.8.8
    'http://8.8.2056',
    'http://0x8.8.8.8',
    'http://010.8.8.8',
    'http://4294967295',
    'http://4294967296',
  ])('is refused in any other notation of IPv4, public or not: %s', (text) => {
    expect(accepts(text)).toBe(false);
    expect(accepts(text, trusting('127.0.0.1,8.8.8.8'))).toBe(false);
    expect(accepts(text, STRICT, 'resource')).toBe(false);
  });

  test.for([...BLOCKED_PORTS])('is refused on port %d, trusted or in a resource too', (port) => {
    expect(accepts(`http://api.example.com:${port}`)).toBe(false);
    expect(accepts(`http://api.example.com:${port}`, trusting('api.example.com'))).toBe(false);
    expect(accepts(`http://vllm.models.svc:${port}`, STRICT, 'resource')).toBe(false);
  });
});

describe('names', () => {
  const never = [...NEVER_HOSTS, ...NEVER_DOMAINS, ...NEVER_DOMAINS.map((name) => `x.${name}`)];
  test.for([...never, 'METADATA.google.internal', 'kubernetes.default.svc.corp.example'])(
    '%s is refused for everybody and cannot be trusted',
    (name) => {
      expect(accepts(`http://${name}`)).toBe(false);
      expect(accepts(`http://${name}`, trusting(name))).toBe(false);
      expect(accepts(`http://${name}`, trusting('internal,svc,local,com,goog,example'))).toBe(false);
      expect(accepts(`http://${name}`, STRICT, 'resource')).toBe(false);
    },
  );

  test.for(REBINDING_DOMAINS.flatMap((name) => [name, `10.0.0.1.${name}`]))(
    '%s is refused in requests and cannot be trusted',
    (name) => {
      expect(accepts(`http://${name}`)).toBe(false);
      expect(accepts(`http://${name}`, trusting(name))).toBe(false);
    },
  );

  test.for(NETWORK_DOMAINS)(
    'below %s: refused in requests unless that very name is trusted, open to resources',
    (name) => {
      expect(accepts(`http://${name}`)).toBe(false);
      expect(accepts(`http://x.${name}`)).toBe(false);
      expect(accepts(`http://x.${name}`, trusting(name))).toBe(false);
      expect(accepts(`http://x.${name}`, trusting(`x.${name}`))).toBe(true);
      expect(accepts(`http://x.${name}`, STRICT, 'resource')).toBe(true);
    },
  );

  test.for(PRIVATE_TLDS)('.%s is refused in requests unless trusted, open to resources', (tld) => {
    expect(accepts(`http://llm.${tld}`)).toBe(false);
    expect(accepts(`http://${tld}`)).toBe(false);
    expect(accepts(`http://llm.${tld}`, trusting(`llm.${tld}`))).toBe(true);
    expect(accepts(`http://llm.${tld}`, STRICT, 'resource')).toBe(true);
  });

  test('a private ending counts as a label only', () => {
    expect(accepts('https://mylocal')).toBe(true);
    expect(accepts('https://local.example.com')).toBe(true);
    expect(accepts('https://notnip.io')).toBe(true);
  });
});

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

describe('addresses', () => {
  test.for(PRIVATE.flatMap((ip) => [ip, ...EMBED.map((embed) => `[${embed(ip)}]`)]))(
    '%s is refused in requests',
    (host) => {
      expect(accepts(`http://${host}`)).toBe(false);
    },
  );

  test.for(['::1', '::', 'fc00::1', 'fdff::1', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1', '2001::1'])(
    '%s is refused in requests and open to resources',
    (ip) => {
      expect(accepts(`http://[${ip}]`)).toBe(false);
      expect(accepts(`http://[${ip}]`, STRICT, 'resource')).toBe(true);
    },
  );

  test.for(['100:0:0:1::1', '100::1', '2001:db8::1', '2001:20::1', '3fff::1', '5f00::1', '::8.8.8.8', '4000::1'])(
    '%s is reserved',
    (ip) => {
      expect(accepts(`http://[${ip}]`)).toBe(false);
    },
  );

  test('private ones are open to resources and to exact trust entries', () => {
    expect(accepts('http://10.0.0.1:8000', STRICT, 'resource')).toBe(true);
    expect(accepts('http://10.0.0.1:8000', trusting('10.0.0.1'))).toBe(true);
    expect(accepts('http://10.0.0.2:8000', trusting('10.0.0.1'))).toBe(false);
    expect(accepts('http://[::ffff:10.0.0.1]:8000', trusting('10.0.0.1'))).toBe(false);
    expect(accepts('http://[fd00:0:0::1]', trusting('fd00::1'))).toBe(true);
  });

  const bases = METADATA_RANGES.map((range) => range.replace(/\/.*/, '').replace(/\.0$/, '.254'));
  const spelled = bases.flatMap((ip) => (isIP(ip) === 4 ? [ip, ...EMBED.map((embed) => embed(ip))] : [ip]));
  test.for([...spelled, 'fd00:ec2::254', '2001:0:1:2:3:4:5601:5601'])(
    '%s is a metadata address: only machine identity may reach it',
    (ip) => {
      const host = isIP(ip) === 4 ? ip : `[${ip}]`;
      expect(accepts(`http://${host}`)).toBe(false);
      expect(accepts(`http://${host}`, trusting(ip))).toBe(false);
      expect(accepts(`http://${host}`, STRICT, 'resource')).toBe(false);
      expect(addressProblem(ip, { host: ip, port: 80 }, STRICT, 'metadata')).toBeUndefined();
    },
  );

  test('a name is judged by each address it resolves to', () => {
    const problem = (ip: string, host: string, policy = STRICT, origin: HostOrigin = 'request') =>
      addressProblem(ip, { host, port: 443 }, policy, origin) !== undefined;
    expect(problem('8.8.8.8', 'a.example')).toBe(false);
    expect(problem('10.0.0.1', 'a.example')).toBe(true);
    expect(problem('10.0.0.1', 'a.example', trusting('example'))).toBe(false);
    expect(problem('10.0.0.1', 'a.example', trusting('10.0.0.1'))).toBe(true);
    expect(problem('169.254.169.254', 'a.example', trusting('example'))).toBe(true);
    expect(problem('169.254.169.254', 'a.example', STRICT, 'resource')).toBe(true);
    expect(problem('fe80::1%eth0', 'a.example')).toBe(true);
    expect(problem('not an address', 'a.example')).toBe(true);
  });
});

describe('our own places', () => {
  const policy = createHostPolicy({
    trustedCustomHosts: '127.0.0.1,localhost,::1,0.0.0.0,10.1.2.3,api.cluster.example,10.96.0.1',
    production: true,
    ownAddresses: [
      { address: '0.0.0.0', port: 8787 },
      { address: '10.1.2.3', port: 8787 },
      { address: 'gateway.example.com', port: 443 },
    ],
    apiServer: 'https://10.96.0.1:443, api.cluster.example:6443, [fd00:10::1]:443',
  });

  test.for([
    'http://127.0.0.1:8787',
    'http://127.9.9.9:8787',
    'http://0.0.0.0:8787',
    'http://localhost:8787',
    'http://x.localhost:8787',
    'http://[::1]:8787',
    'http://[::ffff:127.0.0.1]:8787',
    'http://10.1.2.3:8787',
    'https://gateway.example.com',
    'http://10.96.0.1',
    'http://10.96.0.1:8080',
    'http://[::ffff:10.96.0.1]',
    'http://[fd00:10::1]',
    'https://api.cluster.example',
  ])('%s is refused for everybody', (text) => {
    expect(accepts(text, policy)).toBe(false);
    expect(accepts(text, policy, 'resource')).toBe(false);
  });

  test('another port of the machine is not ours', () => {
    expect(accepts('http://127.0.0.1:8000', policy)).toBe(true);
    expect(accepts('http://10.1.2.3:8000', policy)).toBe(true);
    expect(accepts('http://10.1.2.4:8787', policy, 'resource')).toBe(true);
  });

  test('a name that resolves to us is refused', () => {
    const to = { host: 'a.example', port: 8787 };
    expect(addressProblem('10.1.2.3', to, policy, 'resource')).toBeDefined();
    expect(addressProblem('10.1.2.3', to, policy, 'metadata')).toBeDefined();
  });
});

describe('the trusted list', () => {
  test.for([
    { rule: 'unset outside production: localhost', list: undefined, dev: true, host: 'localhost', want: true },
    { rule: 'unset outside production: below localhost', list: undefined, dev: true, host: 'a.localhost', want: true },
    { rule: 'unset outside production: 127.0.0.1', list: undefined, dev: true, host: '127.0.0.1', want: true },
    { rule: 'unset outside production: not 127.0.0.2', list: undefined, dev: true, host: '127.0.0.2', want: false },
    { rule: 'unset outside production: ::1', list: undefined, dev: true, host: '[::1]', want: true },
    { rule: 'unset outside production: docker', list: undefined, dev: true, host: 'host.docker.internal', want: true },
    { rule: 'unset in production: nothing', list: undefined, host: 'localhost', want: false },
    { rule: 'set: replaces the defaults', list: 'llm.corp', dev: true, host: 'localhost', want: false },
    { rule: 'set to nothing: nothing', list: '', dev: true, host: 'localhost', want: false },
    { rule: 'a name', list: 'llm.corp', host: 'llm.corp', want: true },
    { rule: 'below a name', list: 'llm.corp', host: 'a.b.llm.corp', want: true },
    { rule: 'not beside a name', list: 'llm.corp', host: 'xllm.corp', want: false },
    { rule: 'not above a name', list: 'a.llm.corp', host: 'llm.corp', want: false },
    { rule: 'a wildcard has its apex', list: '*.llm.corp', host: 'llm.corp', want: true },
    { rule: 'a wildcard has what is below', list: '*.llm.corp', host: 'a.llm.corp', want: true },
    { rule: 'no wildcard of an address', list: '*.10.0.0.1', host: '10.0.0.1', want: false },
    { rule: 'a lone star is nothing', list: '*', host: 'llm.corp', want: false },
    { rule: 'upper case and spaces', list: ' , LLM.Corp ,', host: 'llm.corp', want: true },
    { rule: 'scheme, port and path', list: 'https://llm.corp:8443/v1', host: 'llm.corp', want: true },
    { rule: 'an address with port', list: '10.0.0.1:8000', host: '10.0.0.1', want: true },
    { rule: 'a bracketed address', list: 'http://[fd00::1]:8000/v1', host: '[fd00::1]', want: true },
    { rule: 'a bare IPv6 address', list: 'fd00::1', host: '[fd00::1]', want: true },
    { rule: 'what is no host is dropped', list: 'a_b.corp, llm.corp', host: 'llm.corp', want: true },
    {
      rule: 'a service in the cluster',
      list: 'vllm.models.svc.cluster.local',
      host: 'vllm.models.svc.cluster.local',
      want: true,
    },
    { rule: 'a metadata address is dropped', list: '169.254.169.254', host: '169.254.169.254', want: false },
    {
      rule: 'a mapped metadata address is dropped',
      list: '::ffff:169.254.169.254',
      host: '[::ffff:a9fe:a9fe]',
      want: false,
    },
  ])('$rule', ({ list, dev, host, want }) => {
    expect(accepts(`http://${host}:8000`, trusting(list, dev !== true))).toBe(want);
  });
});

describe('whatever the text', () => {
  const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
  const spellings = octets.chain(([a, b, c, d]) => {
    const n = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
    const dotted = `${a}.${b}.${c}.${d}`;
    return fc.constantFrom(
      dotted,
      `${n}`,
      `0x${n.toString(16)}`,
      `0${n.toString(8)}`,
      `${a}.${n & 0xffffff}`,
      `${a}.${b}.${(c << 8) | d}`,
      `0x${a.toString(16)}.${b}.0${c.toString(8)}.${d}`,
      `00${dotted}`,
      `${dotted}.`,
      dotted.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
      dotted.replace(/\d/g, (digit) => `%3${digit}`),
      dotted.replaceAll('.', '%2e'),
      `x@${dotted}`,
      `${dotted}\\@example.com`,
      ...EMBED.map((embed) => `[${embed(dotted).toUpperCase()}]`),
    );
  });
  const hosts = fc.oneof(
    spellings,
    fc.domain(),
    fc.ipV6().map((ip) => `[${ip}]`),
    fc.string({ unit: 'binary' }),
  );
  const urls = fc
    .tuple(
      fc.constantFrom('http://', 'https://', 'HTTP://', 'http:/', 'http:\\\\', ''),
      hosts,
      fc.constantFrom('', ':80', ':8443', '/v1', ':0x50', '?#'),
    )
    .map((parts) => parts.join(''));

  test('nothing throws, and what a request may name is never a private address', () => {
    fc.assert(
      fc.property(fc.oneof(urls, fc.webUrl(), fc.string({ unit: 'binary' })), (text) => {
        for (const origin of ['request', 'resource'] as const) {
          const checked = checkCustomHost(text, STRICT, origin);
          if (origin === 'request' && checked.ok) expect(isPublic(checked.value.hostname)).toBe(true);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  test('an address is judged without throwing, the same for requests as the public registry says', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (ip) => {
        const problem = addressProblem(ip, { host: 'a.example', port: 443 }, STRICT, 'request');
        if (problem === undefined) expect(isPublic(ip)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

/** A second opinion: the ranges of ipaddr.js, and the addresses inside the two forms it names. */
function isPublic(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) === 0) return !ipaddr.isValid(host);
  const ip = ipaddr.process(host);
  const range = ip.range();
  if (range === 'unicast') return true;
  const bytes = ip.toByteArray();
  const inner = range === 'rfc6052' ? bytes.slice(12) : range === '6to4' ? bytes.slice(2, 6) : undefined;
  return inner !== undefined && ipaddr.fromByteArray(inner).range() === 'unicast';
}
