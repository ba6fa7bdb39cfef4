/** The command that writes objects, against a process that serves the management API. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runInTest } from '../testing.ts';
import { API, CANARY, type Installation, NAMES, openInstallation } from './testing.ts';

let own: Installation;
beforeEach(async () => {
  own = await openInstallation();
});
afterEach(() => own[Symbol.asyncDispose]());

const all = (outcome: string): string[] => NAMES.map((name) => `${name} ${outcome}`);

describe('gatehouse apply', () => {
  test('makes objects, and then leaves them as they are', async () => {
    expect(await own.apply('--dry-run', '--new-keys', own.pathOf('keys.yaml'))).toEqual({
      status: 0,
      out: all('created (dry run)'),
      err: '',
    });
    expect(await own.applyAll()).toEqual({ status: 0, out: all('created'), err: '' });
    expect(await own.apply()).toEqual({ status: 0, out: all('unchanged'), err: '' });
    expect((await own.run('diff', '-f', own.pathOf('objects.yaml'))).status).toBe(0);
    expect(readFileSync(join(own.served.path, 'team-a/secret/main.yaml'), 'utf8')).toContain(CANARY);
    const stored = ['virtual-key/main', 'gateway-config/routes', 'guardrail/checks'].map((name) =>
      readFileSync(join(own.served.path, 'team-a', `${name}.yaml`), 'utf8'),
    );
    expect(stored.join('')).not.toContain(CANARY);
  });

  test('writes the key of an ApiKey once, into a file of its own', async () => {
    const without = await own.apply();
    expect([without.status, without.out]).toEqual([1, []]);
    expect(without.err).toMatch(/objects\.yaml:\d+:\d+: ApiKey\/app: .*--new-keys/);
    expect((await own.run('get', 'virtualkey')).err).toBe('No VirtualKey found');
    await own.applyAll();
    const text = readFileSync(own.pathOf('keys.yaml'), 'utf8');
    expect(statSync(own.pathOf('keys.yaml')).mode & 0o777).toBe(0o600);
    const key = /key: (gwk_[a-z0-9]+)/.exec(text)?.[1] ?? '';
    const status = async () => (await fetch(`${own.url}/v1/models`, { headers: { 'x-gw-api-key': key } })).status;
    await waitFor(async () => (await status()) !== 401, { what: 'the key' });
    await own.run('delete', 'apikey', 'app');
    expect((await own.applyAll()).err).toContain('exists already');
  });

  test('changes what differs, and takes away what is left out', async () => {
    await own.applyAll();
    own.edit('attempts: 2', 'attempts: 3');
    own.edit('max_tokens: 5', 'max_tokens: 6');
    own.edit('value: 100', 'value: 200');
    own.edit('displayName: Main account', 'description: Theirs');
    own.edit(/ {2}rateLimits:\n.*\n/, '');
    own.edit('metadata: { app: ours }, ', '');
    own.edit('deny: true, ', '');
    const diff = await own.run('diff', '-f', own.pathOf('objects.yaml'));
    expect(diff.status).toBe(1);
    expect(diff.out.map((line) => line.replace(/\(.*\)/, ''))).toEqual([
      'VirtualKey/main ',
      '  - spec.displayName: "Main account"',
      '  + spec.displayName: "main"',
      '  + spec.description: "Theirs"',
      '  - spec.rateLimits: [{"type":"requests","unit":"rpm","value":10}]',
      'Guardrail/checks ',
      '  - spec.actions.deny: true',
      '  + spec.actions.deny: false',
      'GatewayConfig/routes ',
      '  - spec.config.targets[0].overrideParams.max_tokens: 5',
      '  + spec.config.targets[0].overrideParams.max_tokens: 6',
      '  - spec.config.targets[1].retry.attempts: 2',
      '  + spec.config.targets[1].retry.attempts: 3',
      'RateLimitPolicy/rate ',
      '  - spec.value: 100',
      '  + spec.value: 200',
      'ApiKey/app ',
      '  - spec.defaults.metadata: {"app":"ours"}',
    ]);
    const changed = await own.apply();
    expect([changed.status, changed.err]).toEqual([0, '']);
    expect(changed.out.filter((line) => line.endsWith('configured'))).toHaveLength(5);
    expect((await own.apply()).out).toEqual(all('unchanged'));
  });

  test('writes credentials again where that is asked for', async () => {
    await own.applyAll();
    own.edit(`openai: ${CANARY},`, 'openai: another,');
    expect((await own.apply()).out).toEqual(all('unchanged'));
    expect((await own.apply('--credentials')).out.slice(0, 3)).toEqual([
      'VirtualKey/main configured',
      'Guardrail/checks configured',
      'GatewayConfig/routes configured',
    ]);
    expect(readFileSync(join(own.served.path, 'team-a/secret/main.yaml'), 'utf8')).toContain('another');
  });

  test.for<{ rule: string; from: string | RegExp; to: string; says: RegExp }>([
    {
      rule: 'a field that REST does not have',
      from: 'models: [gpt-4o]',
      to: 'headers: { x-a: b }',
      says: /:\d+:3: VirtualKey\/main: spec\.headers: .*no such field/,
    },
    {
      rule: 'a field of no Kind',
      from: 'models: [gpt-4o]',
      to: 'modles: [gpt-4o]',
      says: /VirtualKey\/main: spec\.modles/,
    },
    {
      rule: 'labels',
      from: '{ name: rate, namespace: team-a }',
      to: '{ name: rate, namespace: team-a, labels: { a: b } }',
      says: /RateLimitPolicy\/rate: metadata\.labels: /,
    },
    {
      rule: 'an amount with too many digits',
      from: '"100.50"',
      to: '"100.1234567891234"',
      says: /VirtualKey\/main: spec\.usageLimits\[0\]\.creditLimit/,
    },
    {
      rule: 'a key of its own',
      from: 'scopes: [completions.write]',
      to: `scopes: [completions.write]\n  sha256: ${'a'.repeat(64)}`,
      says: /ApiKey\/app: spec\.sha256: /,
    },
    {
      rule: 'a credential that is not known',
      from: 'key: openai }',
      to: 'key: other }',
      says: /VirtualKey\/main: spec\.secretRef: .*GATEHOUSE_SECRET_ACCOUNTS_OTHER/,
    },
    {
      rule: 'a Secret of another namespace',
      from: 'key: target }',
      to: 'key: target, namespace: other }',
      says: /GatewayConfig\/routes: spec\.config\.targets\[1\]\.secretRef\.namespace/,
    },
    {
      rule: 'an object twice',
      from: 'name: budget',
      to:
        'name: budget, namespace: team-a }\nspec: { conditions: [{ key: model, values: ["*"] }], groupBy: [{ key: api_key }], creditLimit: "5" }\n---\n' +
        `${API}\nkind: UsageLimitPolicy\nmetadata: { name: budget`,
      says: /UsageLimitPolicy\/budget: metadata\.name: .*twice/,
    },
    {
      rule: 'a Kind that REST does not have',
      from: 'kind: RateLimitPolicy',
      to: 'kind: GatewayFleet',
      says: /GatewayFleet\/rate: kind: .*--skip-others/,
    },
    { rule: 'what is no YAML', from: 'kind: VirtualKey', to: 'kind: [', says: /objects\.yaml:\d+:\d+: / },
  ])('writes nothing with $rule', async ({ from, to, says }) => {
    own.edit(from, to);
    const { status, out, err } = await own.applyAll();
    expect([status, out]).toEqual([1, []]);
    expect(err).toMatch(says);
    expect(err).not.toContain(CANARY);
    for (const kind of ['virtualkeys', 'gatewayconfigs', 'gwg'])
      expect((await own.run('get', kind)).err).toContain('No ');
  });

  test('names the place in the file for what the server refuses, and goes on', async () => {
    own.edit('provider: "@main"', 'provider: "@missing"');
    own.edit('scopes: [completions.write]', 'scopes: [completions.write, nonsense.read]');
    await own.apply('--new-keys', own.pathOf('keys.yaml'));
    own.edit(', nonsense.read', '');
    own.edit('configRef: { name: routes }', 'configRef: { name: absent }');
    const { status, out, err } = await own.applyAll();
    expect(status).toBe(1);
    expect(out).toContain('UsageLimitPolicy/budget created');
    expect(err).toMatch(/objects\.yaml:\d+:\d+: ApiKey\/app: spec\.defaults\.configId: /);
    expect(err).toContain('of 6 objects were refused');
  });

  test('refuses a change that REST cannot make', async () => {
    await own.applyAll();
    own.edit('type: requests\n  unit', 'type: tokens\n  unit');
    const { status, err } = await own.apply();
    expect([status, err]).toEqual([1, expect.stringMatching(/RateLimitPolicy\/rate: spec\.type: .*delete the object/)]);
  });

  test('takes the workspace of the caller, and refuses another', async () => {
    expect((await own.apply('-w', 'team-b')).err).toMatch(
      /metadata\.namespace: the object belongs to the workspace team-a/,
    );
    expect((await own.run('get', 'virtualkey', '-w', 'team-b')).err).toMatch(/workspace does not exist/);
  });

  test('stops without an answer, and with a key that is not known', async () => {
    const unknown = await runInTest(['apply', '-f', own.files.path, '--url', own.url], { GATEHOUSE_API_KEY: 'gwk_x' });
    expect([unknown.status, unknown.out]).toEqual([1, []]);
    const nobody = await runInTest(['apply', '-f', own.files.path, '--url', 'http://127.0.0.1:1'], {
      GATEHOUSE_API_KEY: 'gwk_x',
    });
    expect([nobody.status, nobody.err]).toEqual([1, expect.stringContaining('nothing answers at http://127.0.0.1:1')]);
  });
});
