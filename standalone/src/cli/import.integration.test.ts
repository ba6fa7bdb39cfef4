/** Configs of other gateways, from a file to resources that are valid. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { tempFolder } from '../testing/index.ts';
import { runInTest } from './testing.ts';

const EXAMPLES = new URL('../../../docs/guide/import/', import.meta.url).pathname;

async function imported(text: string, name = 'given.yaml') {
  using folder = tempFolder({ [name]: text });
  const out = join(folder.path, 'out');
  const ran = await runInTest(['import', join(folder.path, name), '-o', out], {});
  const variables = Object.fromEntries(
    [...ran.out.join('\n').matchAll(/GATEHOUSE_SECRET_\w+/g)].map(([one]) => [one, 'x']),
  );
  const validated = ran.status === 0 ? await runInTest(['validate', out], variables) : undefined;
  const read = (file: string) => (ran.status === 0 ? readFileSync(join(out, file), 'utf8') : '');
  const documents = parseAllDocuments(read('resources.yaml')).map((one) => one.toJS());
  const hasSecrets = ran.out.some((line) => line.startsWith('credentials'));
  const secrets = hasSecrets
    ? { text: read('secrets.yaml'), mode: statSync(join(out, 'secrets.yaml')).mode & 0o777 }
    : undefined;
  const again = ran.status === 0 ? await runInTest(['import', join(folder.path, name), '-o', out], {}) : undefined;
  return { ran, validated, documents, text: read('resources.yaml'), secrets, again };
}

const notMapped = (lines: readonly string[]) => lines.flatMap((line) => /^not mapped: ([^:]+)/.exec(line)?.[1] ?? []);

describe.for(['litellm.yaml', 'portkey.json'])('the example %s', (name) => {
  test('becomes resources that validate accepts, with its credential in a file of its own', async () => {
    const text = readFileSync(join(EXAMPLES, name), 'utf8');
    const { ran, validated, secrets, text: written, again } = await imported(text, name);
    expect([ran.status, ran.err]).toEqual([0, '']);
    expect([validated?.status, validated?.err]).toEqual([0, '']);
    expect(written).not.toContain('not-a-real-key');
    expect(secrets).toMatchObject({ text: expect.stringContaining('not-a-real-key'), mode: 0o600 });
    expect(ran.out.join('\n')).not.toContain('not-a-real-key');
    expect([again?.status, again?.err]).toEqual([1, expect.stringContaining('exists already')]);
  });
});

describe('a config of LiteLLM', () => {
  test('reports each member that it cannot map', async () => {
    const { ran, validated, documents } = await imported(`
model_list:
  - model_name: a
    litellm_params: { model: gpt-4o, api_key: canary, tpm: 1000, mock_response: hi, rpm: many }
    model_info: { mode: chat }
  - model_name: b
    litellm_params: { model: nobody/model, api_key: canary }
router_settings: { num_retries: 9, fallbacks: [{ a: [b] }], redis_host: here }
litellm_settings: { num_retries: 1, callbacks: [x], cache: true }
environment_variables: { A: canary }
`);
    expect([ran.status, validated?.status]).toEqual([0, 0]);
    expect(notMapped(ran.out)).toEqual([
      'model_list[0].model_info',
      'model_list[0].litellm_params.mock_response',
      'model_list[0].litellm_params.rpm',
      'model_list[1].litellm_params.model',
      'router_settings.redis_host',
      'litellm_settings.callbacks',
      'environment_variables.A',
      'litellm_settings.num_retries',
      'num_retries',
      'fallbacks',
    ]);
    expect(documents).toMatchObject([
      { kind: 'VirtualKey', spec: { provider: 'openai', rateLimits: [{ type: 'tokens', unit: 'rpm', value: 1000 }] } },
      { kind: 'GatewayConfig', spec: { config: { retry: { attempts: 5 }, cache: { mode: 'simple' } } } },
    ]);
    expect(ran.out.join('\n')).not.toContain('canary');
  });
});

describe('a config of Portkey', () => {
  test('keeps what is valid of it, and reports the rest', async () => {
    const { ran, validated, documents, secrets } = await imported(
      JSON.stringify({
        strategy: { mode: 'loadbalance' },
        retry: { attempts: 'often' },
        targets: [
          { virtual_key: 'Nobody Knows', weight: 0.5, prompt_id: 'pp-1' },
          { virtual_key: 'Nobody Knows', weight: 0.5 },
          { provider: 'openai', api_key: 'canary-a' },
          { provider: 'groq', api_key: 'canary-b', no_such_field: 'x' },
        ],
      }),
      'Balanced Config.json',
    );
    expect([ran.status, validated?.status]).toEqual([0, 0]);
    expect(notMapped(ran.out).toSorted()).toEqual([
      'retry.attempts',
      'targets[0].prompt_id',
      'targets[0].virtual_key',
      'targets[3].settings.no_such_field',
    ]);
    expect(documents.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      'VirtualKey/nobody-knows',
      'GatewayConfig/balanced-config',
    ]);
    expect(parseAllDocuments(secrets?.text ?? '').map((one) => one.toJS().stringData)).toEqual([
      { 'targets.2.api-key': 'canary-a', 'targets.3.api-key': 'canary-b' },
    ]);
  });
});

test.for([
  { rule: 'another document', text: 'apiVersion: v1', says: /neither a Portkey config nor/ },
  { rule: 'what is no YAML', text: 'a: [', says: /given\.yaml:\d+:\d+/ },
  {
    rule: 'models of unknown providers alone',
    text: 'model_list: [{ model_name: a, litellm_params: { model: x/y } }]',
    says: /nothing of the file/,
  },
])('refuses $rule', async ({ text, says }) => {
  const { ran } = await imported(text);
  expect([ran.status, ran.err]).toEqual([1, expect.stringMatching(says)]);
});
