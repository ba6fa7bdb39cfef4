/** Refusals say what to do next: the field, what was meant, where the call went; and never a secret. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { config, key, provider } from '../kit/snapshot.ts';

const DEAD = 'http://127.0.0.1:1';
const SCOPELESS = 'gwk_scopeless_0123456789abcdef';
const EXPIRED = 'gwk_expired_0123456789abcdef';
const LOCKED = 'gwk_locked_0123456789abcdef';
const TYPO = 'sk-someone-elses-secret';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    entries: () => [
      config('fallback', { provider: '@openai' }),
      key({ name: 'scopeless', secret: SCOPELESS, scopes: ['logs.write'] }),
      key({ name: 'expired', secret: EXPIRED, expiresAt: '2020-01-01T00:00:00Z' }),
      key({ name: 'locked', secret: LOCKED, config: 'fallback', allowConfigOverride: false }),
      ...provider('dead', { customHost: `${DEAD}/v1`, secret: 'sk-dead' }),
      ...provider('narrow', { customHost: `${DEAD}/v1`, models: ['gpt-4o-mini'] }),
    ],
  });
});

afterAll(() => world[Symbol.asyncDispose]());

interface Refusal {
  readonly rule: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
  readonly path?: string;
  readonly method?: string;
  readonly status: number;
  readonly code: string | null;
  /** What the message names. */
  readonly names: readonly string[];
}

const inline = (text: string) => ({ 'x-gw-config': text });

describe('the answer to', () => {
  test.for<Refusal>([
    {
      rule: 'no key names the header that takes it',
      headers: { 'x-gw-api-key': '' },
      status: 401,
      code: '03',
      names: ['x-gw-api-key', 'authorization', 'gwk_'],
    },
    {
      rule: 'a provider without the operation names one that has it',
      headers: { 'x-gw-config': 'fallback' },
      path: '/v1/messages/count_tokens',
      status: 400,
      code: 'operation_unsupported',
      names: ['openai', '@anthropic', 'x-gw-config'],
    },
    {
      rule: 'a body of another encoding than its header says names the header',
      headers: { 'content-encoding': 'gzip' },
      status: 415,
      code: 'content_encoding_invalid',
      names: ['content-encoding'],
    },
    {
      rule: 'a wrong key names the header it came in',
      headers: { 'x-gw-api-key': '', authorization: `Bearer ${TYPO}` },
      status: 401,
      code: '03',
      names: ['authorization', 'x-gw-api-key', 'gwk_'],
    },
    {
      rule: 'an expired key is named as expired',
      headers: { 'x-gw-api-key': EXPIRED },
      status: 401,
      code: '01',
      names: ['new key'],
    },
    {
      rule: 'a key without scope names the scope',
      headers: { 'x-gw-api-key': SCOPELESS },
      status: 403,
      code: '033',
      names: ['completions.write'],
    },
    {
      rule: 'a locked config names the setting',
      headers: { 'x-gw-api-key': LOCKED, 'x-gw-config': 'fallback' },
      status: 400,
      code: 'config_locked',
      names: ['x-gw-config', 'allowConfigOverride'],
    },
    {
      rule: 'a config of half a JSON names the header and that slugs go there, too',
      headers: inline(`{"provider":"openai","api_key":"${TYPO}"`),
      status: 400,
      code: 'config_not_json',
      names: ['x-gw-config', 'slug'],
    },
    {
      rule: 'a config of bad JSON names the place',
      headers: inline('{oops'),
      status: 400,
      code: 'config_not_json',
      names: ['position 1'],
    },
    {
      rule: 'a mistyped config slug names the nearest',
      headers: inline('fallbak'),
      status: 400,
      code: 'config_unknown',
      names: ['fallbak', 'fallback'],
    },
    {
      rule: 'an unknown config slug names what there is',
      headers: inline('production'),
      status: 400,
      code: 'config_unknown',
      names: ['fallback'],
    },
    {
      rule: 'a wrong field of a config names the field and what it takes',
      headers: inline('{"strategy":{"mode":"fallbak"},"targets":[{"provider":"@openai"}]}'),
      status: 400,
      code: 'config_invalid',
      names: ['strategy.mode', 'fallback', 'loadbalance'],
    },
    {
      rule: 'several wrong fields count the others',
      headers: inline('{"provider":"@openai","weight":-1,"retry":{"attempts":-1}}'),
      status: 400,
      code: 'config_invalid',
      names: ['1 more'],
    },
    {
      rule: 'a semantic cache without a model names the field',
      headers: inline('{"provider":"@openai","cache":{"mode":"semantic"}}'),
      status: 400,
      code: 'config_invalid',
      names: ['cache.embedding_model', '@provider/model'],
    },
    {
      rule: 'a config that names an unknown provider names the nearest',
      headers: inline('{"provider":"@opnai"}'),
      status: 400,
      code: 'provider_slug_unknown',
      names: ['opnai', '@openai'],
    },
    {
      rule: 'a config that names an unknown virtual key names the nearest as the field has it',
      headers: inline('{"virtual_key":"opnai"}'),
      status: 400,
      code: 'provider_slug_unknown',
      names: ['opnai; did you mean openai?'],
    },
    {
      rule: 'a config without provider names where one goes',
      headers: inline('{"retry":{"attempts":1}}'),
      status: 400,
      code: 'config_no_provider',
      names: ['x-gw-provider', 'targets'],
    },
    {
      rule: 'no match of conditions names the default',
      headers: inline(
        '{"strategy":{"mode":"conditional","conditions":[{"query":{"metadata.a":"b"},"then":"x"}]},"targets":[{"name":"x","provider":"@openai"}]}',
      ),
      status: 400,
      code: 'condition_unmatched',
      names: ['config.strategy.default'],
    },
    {
      rule: 'no provider shows a request',
      status: 400,
      code: 'provider_required',
      names: ['x-gw-provider: @', 'MODEL'],
    },
    {
      rule: 'a mistyped provider names the nearest',
      headers: { 'x-gw-provider': 'opnai' },
      status: 400,
      code: 'provider_unknown',
      names: ['did you mean openai', '@slug'],
    },
    {
      rule: 'a slug without its sign names it with the sign',
      headers: { 'x-gw-provider': 'narrow' },
      status: 400,
      code: 'provider_unknown',
      names: ['@narrow'],
    },
    {
      rule: 'a mistyped slug names the nearest',
      headers: { 'x-gw-provider': '@opnai' },
      status: 400,
      code: 'provider_slug_unknown',
      names: ['@opnai', '@openai'],
    },
    {
      rule: 'a mistyped slug in the model names the nearest',
      body: { model: '@opnai/gpt-4o', messages: [] },
      status: 400,
      code: 'provider_slug_unknown',
      names: ['@opnai', '@openai'],
    },
    {
      rule: 'a provider without credential names the header',
      headers: { 'x-gw-provider': 'openai' },
      status: 400,
      code: 'provider_field_missing',
      names: ['api_key', 'authorization'],
    },
    {
      rule: 'a model that is not allowed names the nearest',
      headers: { 'x-gw-provider': '@narrow' },
      body: { model: 'gpt-4o-min', messages: [] },
      status: 412,
      code: null,
      names: ['gpt-4o-min', 'gpt-4o-mini'],
    },
    {
      rule: 'an unreachable upstream is named by its address',
      headers: { 'x-gw-provider': '@dead' },
      status: 502,
      code: null,
      names: [DEAD, 'nothing accepts connections'],
    },
    {
      rule: 'a private custom host names the header and the reason',
      headers: { 'x-gw-provider': 'openai', authorization: 'Bearer sk-x', 'x-gw-custom-host': 'http://10.0.0.1' },
      status: 400,
      code: 'custom_host_refused',
      names: ['custom host', 'private'],
    },
    {
      rule: 'a timeout names what sets it',
      headers: { 'x-gw-provider': '@openai', 'x-gw-request-timeout': '30' },
      body: { model: 'mock-delay-5000', messages: [] },
      status: 408,
      code: null,
      names: ['30 ms', 'x-gw-request-timeout'],
    },
    {
      rule: 'a path without its version names the version',
      path: '/chat/completions',
      status: 404,
      code: 'route_unknown',
      names: ['/v1'],
    },
    {
      rule: 'a method that is not served names it',
      method: 'PATCH',
      status: 404,
      code: 'route_unknown',
      names: ['PATCH'],
    },
  ])('$rule', async ({ headers = {}, body = { model: 'mock-small', messages: [] }, path, method, ...want }) => {
    const answer = await world.send(path ?? '/v1/chat/completions', { method: method ?? 'POST', headers, body });
    expect(answer.status, answer.text).toBe(want.status);
    const { message, code } = answer.json().error;
    expect(code).toBe(want.code);
    for (const name of want.names) expect(message).toContain(name);
    expect(answer.text).not.toMatch(/sk-/);
  });
});
