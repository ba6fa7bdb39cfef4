/** The commands that read, export and delete objects, against a process that serves the management API. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ADMIN_KEY } from '../../testing/index.ts';
import { runInTest } from '../testing.ts';
import { API, CANARY, type Installation, NAMES, openInstallation } from './testing.ts';

let own: Installation;
beforeEach(async () => {
  own = await openInstallation();
});
afterEach(() => own[Symbol.asyncDispose]());

describe('gatehouse get', () => {
  test('shows a table with the columns of kubectl that REST knows', async () => {
    await own.applyAll();
    const cells = async (...args: string[]) => (await own.run('get', ...args)).out.map((line) => line.split(/ {3,}/));
    expect(await cells('virtualkeys')).toEqual([
      ['NAME', 'STATUS', 'PROVIDER', 'EXPIRES', 'AGE'],
      ['main', 'active', 'azure-openai', '2040-01-01T00:00:00Z', expect.stringMatching(/^\d+s$/)],
    ]);
    expect(await cells('gwcfg', 'routes')).toEqual([
      ['NAME', 'STATUS', 'MODE', 'PROVIDER', 'AGE'],
      ['routes', 'active', 'fallback', '-', expect.any(String)],
    ]);
    expect((await own.run('get', 'VirtualKey', '-o', 'name')).out).toEqual(['main']);
  });

  test('shows resources that apply takes as they are', async () => {
    await own.applyAll();
    for (const kind of ['virtualkey', 'guardrail', 'gatewayconfig', 'ratelimitpolicy', 'usagelimitpolicy', 'apikey']) {
      const { out } = await own.run('get', kind, '-o', 'yaml');
      expect(out.join('\n')).not.toContain(CANARY);
      const file = own.files.write(`again/${kind}.yaml`, out.join('\n'));
      expect((await own.run('apply', '-f', file)).out, kind).toEqual([expect.stringMatching(/ unchanged$/)]);
    }
    const { out } = await own.run('get', 'gatewayconfig', 'routes', '-o', 'json');
    expect(JSON.parse(out.join('\n'))).toMatchObject({ kind: 'GatewayConfig', metadata: { name: 'routes' } });
  });

  test.for([
    { args: ['get', 'virtualkey', 'absent'], status: 1, says: /VirtualKey\/absent does not exist/ },
    { args: ['get', 'gatewayfleet'], status: 2, says: /gatewayfleet is none of/ },
    { args: ['get'], status: 2, says: /KIND/ },
    { args: ['get', 'virtualkey', 'a', 'b'], status: 2, says: /one name/ },
    { args: ['get', 'virtualkey', '-o', 'wide'], status: 2, says: /--output takes/ },
  ])('answers $args with $status', async ({ args, status, says }) => {
    const ran = await own.run(...args);
    expect([ran.status, ran.err]).toEqual([status, expect.stringMatching(says)]);
  });

  test('has no option for a key, and says where it looks', async () => {
    const ran = await runInTest(['get', 'virtualkey', '--url', own.url], {});
    expect([ran.status, ran.err]).toEqual([1, expect.stringContaining('GATEHOUSE_API_KEY')]);
    const file = own.files.write('key.txt', `${ADMIN_KEY}\n`);
    const args = ['get', 'virtualkey', '-w', 'team-a', '--url', own.url];
    expect((await runInTest([...args, '--key-file', file], {})).status).toBe(0);
    const organisation = await runInTest(args.slice(0, 2).concat(args.slice(4)), { GATEHOUSE_API_KEY: ADMIN_KEY });
    expect(organisation.err).toContain('needs --workspace');
    expect((await runInTest(['get', 'virtualkey', '--key', 'x'], {})).status).toBe(2);
  });
});

describe('gatehouse delete', () => {
  test('deletes one object, and those of files', async () => {
    await own.applyAll();
    expect(await own.run('delete', 'ratelimitpolicy', 'rate')).toMatchObject({
      status: 0,
      out: ['RateLimitPolicy/rate deleted'],
    });
    expect(await own.run('delete', 'ratelimitpolicy', 'rate')).toMatchObject({ status: 1, out: [] });
    const inUse = await own.run('delete', 'gatewayconfig', 'routes');
    expect([inUse.status, inUse.err]).toEqual([1, expect.stringMatching(/is used by ApiKey/)]);
    const gone = await own.run('delete', '-f', own.pathOf('objects.yaml'), '--ignore-not-found');
    expect([gone.status, gone.out]).toEqual([
      0,
      ['ApiKey/app', 'UsageLimitPolicy/budget', 'GatewayConfig/routes', 'Guardrail/checks', 'VirtualKey/main'].map(
        (name) => `${name} deleted`,
      ),
    ]);
  });
});

describe('gatehouse export', () => {
  test('writes clean resources, and lists what has to be supplied', async () => {
    await own.applyAll();
    const { status, out, err } = await own.run('export', '-n', 'team-a');
    expect(status).toBe(0);
    const documents = parseAllDocuments(out.join('\n')).map((document) => document.toJS());
    expect(documents.map(({ kind, metadata: { name } }) => `${kind}/${name}`)).toEqual(NAMES);
    for (const { metadata } of documents) expect(Object.keys(metadata)).toEqual(['name', 'namespace']);
    expect(out.join('\n')).not.toMatch(/\*\*\*|canary|uid|status:|created/);
    expect(err).toContain('GATEHOUSE_SECRET_ROUTES_TARGETS_1_API_KEY');
    expect(err).toContain('supply ApiKey/app: spec.sha256');
    expect(err).toContain('VirtualKey spec.headers');
  });

  test('writes files that validate accepts once their Secrets are there, and replaces none', async () => {
    await own.applyAll();
    const folder = own.pathOf('exported');
    const families = ['virtualkey', 'guardrail', 'gatewayconfig', 'ratelimitpolicy', 'usagelimitpolicy'];
    expect((await own.run('export', ...families, '-o', folder, '-n', 'team-a')).out).toContain(
      join(folder, 'gatewayconfig/routes.yaml'),
    );
    const secret = (name: string, key: string) =>
      `apiVersion: v1\nkind: Secret\nmetadata: { name: ${name}, namespace: team-a }\nstringData: { "${key}": x }\n`;
    own.files.write(
      'exported/secrets.yaml',
      [secret('main', 'api_key'), secret('routes', 'targets.1.api_key'), secret('checks', 'apiKey')].join('---\n'),
    );
    own.files.write(
      'exported/workspace.yaml',
      `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`,
    );
    const validated = await runInTest(['validate', folder], {});
    expect([validated.status, validated.out]).toEqual([0, [expect.stringContaining('no problems')]]);
    expect((await own.run('export', 'virtualkey', '-o', folder)).err).toContain('exists already');
  });
});
