/** `validate` and `render`: what they say of a folder, and what they never say. */

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { tempFolder } from '../testing/index.ts';
import { runCommandLine } from './index.ts';

const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const API = 'apiVersion: gatehouse.dev/v1alpha1';
const FILES = {
  'workspace.yaml': `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`,
  'key.yaml': `${API}\nkind: ApiKey\nmetadata: { name: app, namespace: team-a }\nspec:\n  type: workspace-service\n  sha256: ${SHA256}\n  scopes: [completions.write]\n`,
  'provider.yaml': `${API}\nkind: VirtualKey\nmetadata: { name: openai, namespace: team-a }\nspec: { provider: openai, secretRef: { name: openai, key: api-key } }\n`,
  'secret.yaml':
    'apiVersion: v1\nkind: Secret\nmetadata: { name: openai, namespace: team-a }\nstringData: { api-key: sk-very-secret }\n',
};

async function run(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const status = await runCommandLine(args, {
    variables: {},
    interactive: false,
    out: (line) => {
      written.out += `${line}\n`;
    },
    err: (line) => {
      written.err += `${line}\n`;
    },
    onStop: () => () => {},
    onFault: () => {},
    exit: () => {
      throw new Error('the process would have ended');
    },
  });
  return { status, ...written };
}

describe('validate', () => {
  test('reports the number of valid objects', async () => {
    using folder = tempFolder(FILES);
    const { status, out, err } = await run('validate', folder.path);
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/^4 objects in 4 files/);
  });

  test('reports every problem in a line with its position', async () => {
    using folder = tempFolder({
      ...FILES,
      'key.yaml': `${FILES['key.yaml']}  colour: blue\n  expiresAt: 5\n`,
      'provider.yaml': FILES['provider.yaml'].replace('name: openai, key', 'name: other, key'),
      'broken.yaml': 'a: 1\na: 2\n',
    });
    const { status, out } = await run('validate', folder.path);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(`${folder.path}/`, ''));
    expect(status).toBe(1);
    expect(lines.map((line) => line.split(': ').slice(0, 3))).toEqual([
      ['broken.yaml:2:1', expect.any(String)],
      ['key.yaml:8:3', 'ApiKey/app', 'spec.colour'],
      ['key.yaml:9:3', 'ApiKey/app', 'spec.expiresAt'],
      ['provider.yaml:4:27', 'VirtualKey/openai', 'spec.secretRef'],
    ]);
  });

  test('names a cause once, and what follows from it below', async () => {
    using folder = tempFolder({
      ...FILES,
      'provider.yaml': FILES['provider.yaml'].replace('provider: openai', 'provider: opnai'),
      'config.yaml': `${API}\nkind: GatewayConfig\nmetadata: { name: main, namespace: team-a }\nspec: { config: { provider: '@openai' } }\n`,
    });
    const { status, out, err } = await run('validate', folder.path);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(`${folder.path}/`, ''));
    expect(lines).toEqual([
      'provider.yaml:4:9: VirtualKey/openai: spec.provider: unknown value opnai; did you mean openai?',
      expect.stringMatching(/^ {2}follows: config\.yaml:4:19: GatewayConfig\/main: spec\.config\.provider: /),
    ]);
    expect([status, err.trimEnd()]).toEqual([1, '5 objects in 5 files, 1 problem, and 1 that follows from it']);
  });

  test('refuses targets with the same name', async () => {
    const targets = '[{ name: a, provider: "@openai" }, { name: a, provider: "@openai" }]';
    using folder = tempFolder({
      ...FILES,
      'config.yaml': `${API}\nkind: GatewayConfig\nmetadata: { name: main, namespace: team-a }\nspec: { config: { strategy: { mode: fallback }, targets: ${targets} } }\n`,
    });
    const { status, out } = await run('validate', folder.path);
    expect(status).toBe(1);
    expect(out.trimEnd().split('\n')).toEqual([expect.stringContaining('spec.config.targets[1].name: ')]);
  });

  test('says what it ignored', async () => {
    using folder = tempFolder({
      ...FILES,
      'other.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: a }\n',
    });
    const { status, err } = await run('validate', folder.path);
    expect([status, err.trimEnd()]).toEqual([0, 'ignored, not of Gatehouse: apps/v1/Deployment']);
  });

  test('checks single files, whose references must be in the other named files', async () => {
    using folder = tempFolder(FILES);
    const file = (name: keyof typeof FILES): string => `${folder.path}/${name}`;
    expect((await run('validate', file('key.yaml'))).status).toBe(1);
    expect((await run('validate', file('key.yaml'), file('workspace.yaml'))).status).toBe(0);
  });
});

describe('render', () => {
  test.for([{ format: 'yaml' }, { format: 'json' }])(
    'prints the Snapshot as $format, without secrets',
    async ({ format }) => {
      using folder = tempFolder(FILES);
      const { status, out, err } = await run('render', folder.path, '--format', format);
      expect([status, err]).toEqual([0, '']);
      expect(out).not.toContain('sk-very-secret');
      expect(out).not.toContain(SHA256);
      const { entries } = parse(out) as { entries: { id: string; digest: string; body: object }[] };
      expect(entries.map(({ id }) => id)).toEqual([
        'credential/team-a/VirtualKey:openai',
        'key/team-a/app',
        'organisation//default',
        'provider/team-a/openai',
        'workspace/team-a/team-a',
      ]);
      const [credential, key, organisation] = entries;
      expect(credential?.body).toEqual({ fields: { api_key: '[redacted]' } });
      expect(key).toMatchObject({ digest: '[redacted]', body: { sha256: ['[redacted]'], name: 'app' } });
      expect(organisation?.digest).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  test('prints the names of custom headers, and no value, whether it is in the account or in a Secret', async () => {
    const headers = 'headers: { x-team: value-in-the-account }';
    const from = 'headersFrom: [{ name: x-token, secretRef: { name: openai, key: header } }]';
    using folder = tempFolder({
      ...FILES,
      'provider.yaml': FILES['provider.yaml'].replace('spec: { ', `spec: { ${headers}, ${from}, `),
      'secret.yaml': FILES['secret.yaml'].replace('{ api-key', '{ header: value-in-a-secret, api-key'),
    });
    const { status, out, err } = await run('render', folder.path);
    expect([status, err]).toEqual([0, '']);
    expect(out).not.toMatch(/value-in|sk-very-secret/);
    const { entries } = parse(out) as { entries: { id: string; body: object }[] };
    expect(entries.find(({ id }) => id.startsWith('credential/'))?.body).toEqual({
      fields: { api_key: '[redacted]' },
      headers: { 'x-team': '[redacted]', 'x-token': '[redacted]' },
    });
    expect(entries.find(({ id }) => id.startsWith('provider/'))?.body).toMatchObject({ headers: {} });
  });

  test('prints the valid part of a folder with problems', async () => {
    using folder = tempFolder({ ...FILES, 'broken.yaml': 'a: [' });
    const { status, out, err } = await run('render', folder.path);
    expect(status).toBe(0);
    expect(out).toContain('provider/team-a/openai');
    expect(err).toContain('broken.yaml:1:');
  });
});
