import { isIP } from 'node:net';
import {
  checkBaseUrl,
  isReserved,
  METADATA_RANGES,
  NETWORK_DOMAINS,
  PRIVATE_TLDS,
  parseAddress,
  REBINDING_DOMAINS,
} from '@gatehouse/crds/hosts';
import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressProblem, checkCustomHost } from './check-host.ts';
import { createHostPolicy, type HostOrigin, type HostPolicy } from './policy.ts';

const trusting = (trustedCustomHosts: string | undefined, production = true): HostPolicy =>
  createHostPolicy({ trustedCustomHosts, production });

const STRICT = trusting('');

const accepts = (text: string, policy = STRICT, origin: HostOrigin = 'request'): boolean =>
  checkCustomHost(text, policy, origin).ok;

describe('a custom host', () => {
  test.for([
    'https://api.example.com/v1',
    '  https://8.8.8.8:8443/v1 ',
    'https://inference',
    'https://xn--bcher-kva.example/v1',
    'https://llm.xn--p1ai',
  ])('is accepted: %s', (text) => {
    expect(accepts(text)).toBe(true);
  });

  test('is returned as a URL', () => {
    expect(unwrap(checkCustomHost(' https://API.example.com:8443/v1 ', STRICT, 'request')).href).toBe(
      'https://api.example.com:8443/v1',
    );
  });

  test.for([
    { rule: 'no URL', host: 'api.example.com' },
    { rule: 'user info', host: 'https://x@api.example.com' },
    { rule: 'another notation of IPv4', host: 'http://127.1' },
    { rule: 'a port of other services', host: 'http://vllm.models.svc:6379' },
    { rule: 'the admin port of gateways', host: 'http://vllm.models.svc:8789' },
    { rule: 'a metadata name', host: 'http://metadata.google.internal' },
    { rule: 'the Kubernetes API', host: 'http://kubernetes.default.svc' },
    { rule: 'a metadata address', host: 'http://169.254.169.254' },
    { rule: 'a name of the installation', host: 'http://gatehouse-operator.gatehouse-system.svc:8081' },
  ])('that is never allowed stays refused, also when it is trusted: $rule', ({ host }) => {
    const everything =
      '127.0.0.1,169.254.169.254,api.example.com,com,internal,google.internal,svc,default.svc,gatehouse-system.svc';
    for (const trusted of ['', everything]) {
      const options = { trustedCustomHosts: trusted, production: true, ownNamespaces: ['gatehouse-system'] };
      const policy = createHostPolicy(options);
      expect(accepts(host, policy)).toBe(false);
      expect(accepts(host, policy, 'resource')).toBe(false);
    }
  });
});

describe('names', () => {
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

const PRIVATE = ['10.0.0.1', '127.0.0.1', '169.254.1.1', '100.64.0.1', '0.0.0.0', '224.0.0.1', '198.51.100.1'];
/** The same address inside one of IPv6; how else it can hide is judged by `isReserved` of the contract. */
const EMBED: readonly ((ip: string) => string)[] = [(ip) => `::ffff:${ip}`, (ip) => `64:ff9b::${ip}`];

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

describe('the gateway and the API server', () => {
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
        const [request, resource] = [
          checkCustomHost(text, STRICT, 'request'),
          checkCustomHost(text, STRICT, 'resource'),
        ];
        if (request.ok) expect(isPublicOrName(request.value.hostname)).toBe(true);
        expect(resource.ok).toBe(checkBaseUrl(text, []).ok); // what is refused where it is written, and nothing else
      }),
      { numRuns: 5_000 },
    );
  });
});

function isPublicOrName(hostname: string): boolean {
  const address = parseAddress(hostname.replace(/^\[(.*)\]$/, '$1'));
  return address === undefined || !isReserved(address);
}
