import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GATEWAY_ADMIN_PORT } from '../kinds/index.ts';
import { checkBaseUrl } from './check-host.ts';
import { BLOCKED_PORTS, FORBIDDEN_DOMAINS, FORBIDDEN_HOSTS, METADATA_RANGES } from './lists.ts';

const accepts = (text: string, ownNamespaces: readonly string[] = []): boolean => checkBaseUrl(text, ownNamespaces).ok;

describe('a base URL', () => {
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
    'http://vllm.models.svc.cluster.local:8000/v1',
    'http://10.0.0.1:8000',
    'http://127.0.0.1:11434',
    'http://host.docker.internal:11434',
    'http://[fd00::1]:8000',
  ])('is accepted: %s', (text) => {
    expect(accepts(text)).toBe(true);
  });

  test('is returned as a URL', () => {
    expect(checkBaseUrl(' https://API.example.com:8443/v1 ', [])).toMatchObject({
      ok: true,
      value: { href: 'https://api.example.com:8443/v1' },
    });
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
  });

  test.for([...BLOCKED_PORTS, GATEWAY_ADMIN_PORT])('is refused on port %d', (port) => {
    expect(accepts(`http://api.example.com:${port}`)).toBe(false);
    expect(accepts(`http://10.0.0.7:${port}`)).toBe(false);
    expect(accepts(`http://[fd00::7]:${port}`)).toBe(false);
  });

  test('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string({ unit: 'binary' })), (text) => {
        checkBaseUrl(text, ['gatehouse-system']);
      }),
    );
  });
});

describe('hosts that are never allowed', () => {
  const never = [...FORBIDDEN_HOSTS, ...FORBIDDEN_DOMAINS, ...FORBIDDEN_DOMAINS.map((name) => `x.${name}`)];
  test.for([...never, 'METADATA.google.internal', 'kubernetes.default.svc.corp.example'])('%s', (name) => {
    expect(accepts(`http://${name}`)).toBe(false);
  });

  test.for(METADATA_RANGES)('an address of %s', (range) => {
    const base = range.replace(/\/.*/, '');
    expect(accepts(base.includes(':') ? `http://[${base}]` : `http://${base}`)).toBe(false);
    if (!base.includes(':')) expect(accepts(`http://[::ffff:${base}]`)).toBe(false);
  });

  test.for([
    'gatehouse-operator.gatehouse-system',
    'GATEHOUSE-operator.Gatehouse-System',
    'gatehouse-redis.gatehouse-system.svc',
    'gatehouse-operator.gatehouse-system.svc.cluster.local',
    'default-gateway.fleets.svc.corp.example',
    '10-0-0-7.fleets.pod.cluster.local',
    'pod-0.headless.fleets.svc',
  ])('%s, in a namespace of the installation', (name) => {
    expect(accepts(`http://${name}:8081`, ['gatehouse-system', 'fleets'])).toBe(false);
    expect(accepts(`http://${name}:8081`)).toBe(true);
  });

  test.for([
    { text: 'https://mistral.ai/v1', accepted: true },
    { text: 'https://mistral.ai:443', accepted: true },
    { text: 'http://mistral.ai', accepted: false },
    { text: 'https://mistral.ai:8443', accepted: false },
    { text: 'https://mistral.ai.svc', accepted: false },
    { text: 'https://redis.ai.svc.cluster.local', accepted: false },
  ])('$text where `ai` is a namespace of the installation: $accepted', ({ text, accepted }) => {
    expect(accepts(text, ['ai'])).toBe(accepted);
  });

  test.for([
    'fleets',
    'fleets.models.svc', // a Service with the name of a namespace
    'vllm.models',
    'vllm.not-fleets.svc',
    'fleets.example.com',
    'api.fleets.com',
    'a.b.fleets', // nothing of a cluster without `svc`
  ])('but not %s, which is outside the installation', (name) => {
    expect(accepts(`http://${name}:8000`, ['gatehouse-system', 'fleets'])).toBe(true);
  });
});
