import { describe, expect, test } from 'vitest';
import { maskedHeaders, maskedJson } from './index.ts';

/** Gateway keys are named as in all that the management API keeps. */
const HIDDEN = /\*{8}|\[redacted\]/;

const quoted = (text: string, times: number): string => (times === 0 ? text : quoted(JSON.stringify(text), times - 1));

describe('a body', () => {
  test.for([
    { what: 'credential of a provider', body: { name: 'K', key: 'canary' } },
    { what: 'settings of a cloud', body: { configurations: { aws_secret_access_key: 'canary', region: ['canary'] } } },
    { what: 'settings of a manager of secrets', body: { auth_config: { anything: { deep: 'canary' } } } },
    { what: 'header', body: { headers: { 'x-any': 'canary' } } },
    { what: 'account as text', body: { config: { vertex_service_account_json: '{"a":"canary"}' } } },
    { what: 'variable', body: { env: [{ name: 'API_TOKEN', value: 'canary' }] } },
    { what: 'patch of a directory', body: { Operations: [{ op: 'replace', path: 'password', value: 'canary' }] } },
    {
      what: 'name of a patch without a path',
      body: { Operations: [{ op: 'replace', value: { passWord: 'canary' } }] },
    },
    { what: 'session', body: { session_id: 'canary' } },
    { what: 'code of a sign-in', body: { code: 'canary', state: 'canary' } },
    { what: 'key of the gateway in a text', body: { description: 'use gwk_canary_0123' } },
    { what: 'key of the gateway as a name', body: { defaults: { gwk_canary_0123: 1 } } },
    { what: 'bearer in a text', body: { note: 'Authorization: Bearer canary' } },
    { what: 'token of three parts', body: { note: 'eyJhbGciOi.canary.canary' } },
    { what: 'query of an address', body: { url: 'https://tools.example.com/mcp?t=canary' } },
    { what: 'user of an address', body: { url: 'https://me:canary@tools.example.com/mcp' } },
    { what: 'credential in JSON as text', body: { config: '{"provider":"openai","api_key":"canary"}' } },
    { what: 'credential in a list as text', body: { config: ' [{"api_key":"canary"}]' } },
    { what: 'credential beside an address', body: { config: '{"u":"https://x","o":{"p":"y@z"},"api_key":"canary"}' } },
    { what: 'credential in JSON in JSON', body: { config: JSON.stringify({ a: '{"api_key":"canary"}' }) } },
    { what: 'credential in a quoted text', body: { config: JSON.stringify('{"api_key":"canary"}') } },
    { what: 'credential in JSON many times over', body: { config: quoted('{"api_key":"canary"}', 6) } },
    { what: 'credential far down', body: { config: `${'['.repeat(2_000)}"canary"${']'.repeat(2_000)}` } },
    { what: 'private key', body: { note: 'It is\n-----BEGIN RSA PRIVATE KEY-----\ncanary' } },
    { what: 'bearer in small letters', body: { note: 'authorization: bearer canary' } },
    { what: 'basic credential', body: { note: 'BASIC canary' } },
    ...['xai-', 'gsk_', 'r8_', 'nvapi-'].map((key) => ({ what: `key with ${key}`, body: { note: `${key}canary` } })),
    { what: 'key with an escape of JSON', body: { note: '\\u0067wk_canary_0123' } },
    { what: 'key with an escape of addresses', body: { note: 'at gwk%5fcanary_0123' } },
    { what: 'key that is encoded twice', body: { note: 'at gwk%255Fcanary_0123' } },
    { what: 'token after a name', body: { note: 'host.id-eyJhbGciOi.canary.canary' } },
    { what: 'query of an address in JSON as text', body: { note: 'https:\\/\\/tools.example.com\\/mcp?t=canary' } },
  ])('is kept without the $what', ({ body }) => {
    const json = maskedJson(body);
    expect(json).toMatch(HIDDEN);
    expect(json).not.toContain('canary');
  });

  test('keeps what is no credential', () => {
    const body = { name: 'Slow', unit: 'rpm', value: 10, workspace_id: 'team-a', conditions: [{ value: '@openai/*' }] };
    expect(JSON.parse(maskedJson(body) ?? '')).toEqual(body);
  });

  test('keeps JSON as text, and texts that are nearly so', () => {
    const body = {
      config: '{"retry":{"attempts":3}}',
      note: '[draft] 100% of {x',
      path: 'a%20b\\n',
      host: 'eyJ.example',
    };
    expect(JSON.parse(maskedJson(body) ?? '')).toEqual(body);
  });

  test('that is too long is left out, and one without members is none', () => {
    expect(maskedJson({ name: 'x'.repeat(20_000) })).toBe('{"omitted":true}');
    expect([maskedJson({}), maskedJson(undefined), maskedJson('text')]).toEqual([null, null, null]);
  });

  test.for(['eyJ-', '-eyJ', 'eyJ.', 'a.-', 'a://', 'sk-a ', 'bearer  ', '%25', '\\/', '[', '{"a":'])(
    'of %s over and over is masked within a step',
    (text) => {
      expect(maskedJson({ name: text.repeat(16_000 / JSON.stringify(text).length) })).toEqual(expect.any(String));
    },
  );
});

test('of headers some are kept, cut and without keys', () => {
  const headers = {
    ...{ authorization: 'Bearer canary', cookie: 'canary', 'x-gw-api-key': 'canary', 'x-any': 'canary' },
    ...{ 'user-agent': `gwk_canary_0123 ${'x'.repeat(1_000)}`, 'content-type': 'application/json' },
  };
  const json = maskedHeaders(headers);
  expect(json).not.toContain('canary');
  expect(json.length).toBeLessThan(400);
  expect(JSON.parse(json)).toMatchObject({ 'content-type': 'application/json', 'user-agent': expect.any(String) });
});
