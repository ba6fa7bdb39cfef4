/** A folder that is edited while requests go on, over real sockets. */
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '@gatehouse/crds';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from '../mock-provider/index.ts';
import { ADMIN_KEY, startTestProcess, type TempFolder, type TestProcess, tempFolder } from '../testing/index.ts';

const KEY = 'gwk_app_of_tests';
const sha256 = createHash('sha256').update(KEY).digest('hex');

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const workspace = `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a, defaults: { configRef: { name: main } } }\n`;
const key = `${API}\nkind: ApiKey\nmetadata: { name: app, namespace: team-a }\nspec: { type: workspace-service, sha256: ${sha256}, scopes: [completions.write] }\n`;
const provider = () =>
  `${API}\nkind: VirtualKey\nmetadata: { name: local, namespace: team-a }\nspec: { provider: openai, customHost: "${mock.url}/v1" }\n`;
/** Answers name the model that was asked for, so they tell which version of the config served them. */
const config = (model: string): string =>
  `${API}\nkind: GatewayConfig\nmetadata:\n  name: main\n  namespace: team-a\nspec:\n  config:\n    provider: "@local"\n    overrideParams: { model: ${model} }\n`;

const folderOf = (files: Readonly<Record<string, string>> = {}): TempFolder =>
  tempFolder({
    'workspace.yaml': workspace,
    'key.yaml': key,
    'provider.yaml': provider(),
    'config.yaml': config('one'),
    ...files,
  });

async function ask({ url }: TestProcess, gatewayKey = KEY): Promise<{ status: number; model: unknown }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gatewayKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'hi' }] }),
  });
  const body: unknown = await response.json();
  return { status: response.status, model: isObject(body) ? body['model'] : undefined };
}

async function problemsOf({ adminUrl }: TestProcess): Promise<readonly Record<string, unknown>[]> {
  const status = (await (await fetch(`${adminUrl}/internal/status`)).json()) as { source: { problems: [] } };
  return status.source.problems;
}

const servesModel = (running: TestProcess, model: string): Promise<boolean> =>
  waitFor(async () => (await ask(running)).model === model, { what: `the model ${model}` });

/** Sends requests without a pause until it is stopped; returns every status. */
function askAllTheTime(running: TestProcess): { stop(): Promise<ReadonlyMap<number, number>> } {
  const statuses = new Map<number, number>();
  let stopped = false;
  const loop = async (): Promise<void> => {
    while (!stopped) {
      const { status } = await ask(running).catch(() => ({ status: 0 }));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const loops = Promise.all([loop(), loop(), loop(), loop()]);
  return {
    stop: async () => {
      stopped = true;
      await loops;
      return statuses;
    },
  };
}

describe('an edit', () => {
  test.for([
    { rule: 'in place', edit: (file: string, text: string) => writeFileSync(file, text) },
    {
      rule: 'by a file that takes its place',
      edit: (file: string, text: string) => {
        writeFileSync(`${file}.tmp`, text);
        renameSync(`${file}.tmp`, file);
      },
    },
    {
      rule: 'by a file removed and written anew',
      edit: (file: string, text: string) => {
        unlinkSync(file);
        writeFileSync(file, text);
      },
    },
  ])('$rule is live without a failed request', async ({ edit }) => {
    using folder = folderOf();
    await using running = await startTestProcess(folder.path);
    await servesModel(running, 'one');
    const asking = askAllTheTime(running);
    for (const model of ['two', 'three', 'four']) {
      edit(join(folder.path, 'config.yaml'), config(model));
      await servesModel(running, model);
    }
    const statuses = await asking.stop();
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(20);
  });

  test('of a mounted ConfigMap is live', async () => {
    using folder = folderOf({ 'mount/..1/config.yaml': config('one'), 'mount/..2/config.yaml': config('two') });
    unlinkSync(join(folder.path, 'config.yaml'));
    const mount = join(folder.path, 'mount');
    symlinkSync('..1', join(mount, '..data'));
    symlinkSync('..data/config.yaml', join(mount, 'config.yaml'));
    await using running = await startTestProcess(folder.path);
    await servesModel(running, 'one');
    symlinkSync('..2', join(mount, '..data_tmp'));
    renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
    await servesModel(running, 'two');
  });

  test('in a folder that has just been made is live', async () => {
    using folder = folderOf();
    unlinkSync(join(folder.path, 'config.yaml'));
    await using running = await startTestProcess(folder.path);
    expect((await ask(running)).status).toBe(400);
    mkdirSync(join(folder.path, 'deep', 'down'), { recursive: true });
    folder.write('deep/down/config.yaml', config('new'));
    await servesModel(running, 'new');
    folder.write('deep/down/config.yaml', config('newer'));
    await servesModel(running, 'newer');
  });

  test('that removes a key revokes it', async () => {
    using folder = folderOf();
    await using running = await startTestProcess(folder.path);
    expect((await ask(running)).status).toBe(200);
    unlinkSync(join(folder.path, 'key.yaml'));
    await waitFor(async () => (await ask(running)).status === 401, { what: 'the key to be refused' });
    folder.write('key.yaml', key);
    await waitFor(async () => (await ask(running)).status === 200, { what: 'the key to be back' });
  });
});

describe('a broken file', () => {
  test.for([
    { rule: 'that cannot be parsed', broken: () => config('two').replace('  name: main', '\tname: main'), line: 4 },
    { rule: 'that breaks the schema', broken: () => config('two').replace('overrideParams', 'overideParams'), line: 9 },
  ])('$rule keeps serving, is reported once, and heals', async ({ broken, line }) => {
    using folder = folderOf();
    await using running = await startTestProcess(folder.path);
    const asking = askAllTheTime(running);
    const file = folder.write('config.yaml', broken());
    const problem = await waitFor(async () => (await problemsOf(running))[0], { what: 'the problem' });
    expect(problem).toMatchObject({ file, line });
    expect(await ask(running)).toEqual({ status: 200, model: 'one' });
    const other = folder.write('other.yaml', 'a: 1\n');
    await waitFor(async () => (await problemsOf(running))[1], { what: 'the second problem' });
    unlinkSync(other);
    folder.write('config.yaml', config('three'));
    await servesModel(running, 'three');
    await waitFor(async () => (await problemsOf(running)).length === 0, { what: 'all to be well' });
    expect([...(await asking.stop()).keys()]).toEqual([200]);
    const warnings = running.log.filter(({ level }) => level === 'warn');
    expect(warnings).toMatchObject([
      { file, line, column: expect.any(Number), problem: expect.any(String) },
      { file: other },
    ]);
  });

  test('at the start leaves out its own objects only', async () => {
    using folder = folderOf({ 'broken.yaml': 'kind: [' });
    await using running = await startTestProcess(folder.path);
    expect((await ask(running)).status).toBe(200);
    expect(await problemsOf(running)).toHaveLength(1);
  });
});

describe('a standalone process', () => {
  test('lets the admin make requests in the default workspace', async () => {
    using folder = folderOf();
    await using running = await startTestProcess(folder.path);
    expect(await ask(running, ADMIN_KEY)).toEqual({ status: 200, model: 'one' });
    expect((await ask(running, 'gwk_nobody')).status).toBe(401);
  });

  test('serves an empty folder and is healthy', async () => {
    using folder = tempFolder();
    await using running = await startTestProcess(folder.path);
    expect((await fetch(`${running.url}/v1/health`)).status).toBe(200);
    expect((await ask(running)).status).toBe(401);
  });

  test('rejects and leaves nothing behind when its port is taken', async () => {
    using folder = folderOf();
    await using first = await startTestProcess(folder.path);
    const taken = new URL(first.url).port;
    await expect(startTestProcess(folder.path, { PORT: taken })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('keeps serving when the whole folder is removed', async () => {
    using folder = tempFolder();
    const name = join(folder.path, 'resources');
    for (const [file, text] of Object.entries({
      'w.yaml': workspace,
      'k.yaml': key,
      'p.yaml': provider(),
      'c.yaml': config('one'),
    })) {
      folder.write(`resources/${file}`, text);
    }
    await using running = await startTestProcess(name);
    renameSync(name, join(folder.path, 'elsewhere'));
    await waitFor(async () => (await problemsOf(running))[0], { what: 'the problem' });
    expect(await ask(running)).toEqual({ status: 200, model: 'one' });
    renameSync(join(folder.path, 'elsewhere'), name);
    await waitFor(async () => (await problemsOf(running)).length === 0, { what: 'it to be over' });
  });
});
