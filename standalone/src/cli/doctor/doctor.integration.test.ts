/** `gatehouse doctor` against ports, a folder and a mock provider: what it says is true. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createTokenIssuer, freePort, LOOPBACK_PEM } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from '../../mock-provider/index.ts';
import { startTestProcess, tempFolder } from '../../testing/index.ts';
import { runCommandLine } from '../index.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const workspace = (name: string, more = ''): string =>
  `${API}\nkind: Workspace\nmetadata: { name: ${name} }\nspec: { namespace: ${name}${more} }\n`;
const account = (name: string, host: string, namespace = 'team-a'): string =>
  `${API}\nkind: VirtualKey\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: { provider: openai, customHost: "${host}", secretRef: { name: s, key: k } }\n`;
const organisation = (...issuers: readonly string[]): string =>
  `${API}\nkind: Organisation\nmetadata: { name: default }\nspec:\n  jwtIssuers:\n${issuers.map((one) => `    - ${one}\n`).join('')}`;
const SECRET = (namespace: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: { name: s, namespace: ${namespace} }\nstringData: { k: sk-of-tests }\n`;

const FREE = ['--port', '0', '--admin-port', '0'];

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

interface Outcome {
  readonly status: number;
  /** Status, subject and text of each check. */
  readonly checks: readonly string[];
  readonly out: string;
  readonly err: string;
}

async function doctor(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const written = { out: '', err: '' };
  const status = await runCommandLine(['doctor', ...args], {
    variables,
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
  const checks = written.out.split('\n').map((line) => line.replace(/ +/g, ' '));
  return { status, checks, ...written };
}

const files = () => ({
  'a.yaml': [workspace('team-a'), SECRET('team-a'), account('main', `${mock.url}/v1`)].join('---\n'),
});

describe('a doctor', () => {
  test('finds nothing wrong where nothing is, and calls nobody for tokens', async () => {
    using folder = tempFolder(files());
    const before = mock.requests.length;
    const { status, checks, err } = await doctor(['--resources', folder.path, ...FREE]);
    expect(checks).toEqual(
      expect.arrayContaining([
        'ok settings the environment is valid',
        'ok port any free one',
        'ok redis not configured: state and cache are in memory',
        `ok resources ${folder.path}: 3 objects in 1 files`,
        expect.stringMatching(/^ok provider team-a\/@main \(openai\) answers with \d+ models$/),
      ]),
    );
    expect([status, err]).toEqual([0, '']);
    expect(mock.requests.slice(before).map(({ path }) => path)).toEqual(['/v1/models']);
    expect(mock.requests.at(-1)?.headers.authorization).toBe('Bearer sk-of-tests');
  });

  test('looks at the admin key, and stores none', async () => {
    using data = tempFolder();
    const { checks } = await doctor(['--data', data.path, '--offline', ...FREE]);
    expect(checks).toContain(
      `ok admin key the first start generates it, and keeps it in ${data.path}, which can be written`,
    );
    expect(readdirSync(data.path)).toEqual([]);
    const deep = await doctor(['--data', `${data.path}/not/yet`, '--offline', ...FREE]);
    expect(deep.checks).toContainEqual(expect.stringMatching(/^ok admin key .*\/not\/yet, which can be written$/));
    expect(readdirSync(data.path)).toEqual([]);
    const given = await doctor(['--offline', ...FREE], { GATEHOUSE_ADMIN_KEY: 'k'.repeat(32) });
    expect(given.checks).toContain('ok admin key it is in GATEHOUSE_ADMIN_KEY');
  });

  test('asks for one token when it is told to', async () => {
    using folder = tempFolder(files());
    const { status, checks } = await doctor(['--resources', folder.path, '--call', '@main/gpt-4o-mini', ...FREE]);
    expect(checks).toContain('ok call @main/gpt-4o-mini answers');
    expect(status).toBe(0);
    expect(mock.requests.at(-1)?.json()).toMatchObject({ model: 'gpt-4o-mini', max_completion_tokens: 1 });
  });

  test('names the algorithms and audiences of issuers, and asks none of them offline', async () => {
    const { jwk } = await createTokenIssuer({ alg: 'ES256' });
    using folder = tempFolder({
      'a.yaml': organisation(
        `{ issuer: "https://in", audiences: [gateway], algorithms: [RS256, ES256], jwks: '${JSON.stringify({ keys: [jwk] })}' }`,
        '{ issuer: "https://out", audiences: [gateway], jwksUri: "https://127.0.0.1:1/keys" }',
      ),
    });
    const { status, checks } = await doctor(['--resources', folder.path, '--offline', ...FREE]);
    expect(checks).toContain('ok issuer https://in (keys in jwks): 1 keys, usable with ES256; audience gateway');
    expect(checks).toContain('unknown issuer 1 with a jwksUri not asked: --offline');
    expect(status).toBe(0);
  });

  test('fetches the keys of issuers', async () => {
    const { jwk } = await createTokenIssuer();
    const answer = JSON.stringify({ keys: [jwk] });
    const server = createTlsServer({ key: LOOPBACK_PEM, cert: LOOPBACK_PEM }, (_, response) => response.end(answer));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo; // it listens
    const uri = `https://127.0.0.1:${port}/keys`;
    using folder = tempFolder({
      'a.yaml': organisation(`{ issuer: "https://out", audiences: [gateway], jwksUri: "${uri}" }`),
    });
    const run = (variables: Record<string, string>) => doctor(['--resources', folder.path, ...FREE], variables);
    const { checks } = await run({ TLS_CA: LOOPBACK_PEM });
    const guarded = await run({ TLS_CA: LOOPBACK_PEM, PORT: String(port) }); // a gateway does not call itself
    server.close();
    expect(checks).toContain(`ok issuer https://out (${uri}): 1 keys, usable with RS256; audience gateway`);
    expect(guarded.checks).toContainEqual(expect.stringMatching(/^failed issuer https:\/\/out .*/));
  });

  test('asks nobody offline', async () => {
    using folder = tempFolder(files());
    const before = mock.requests.length;
    const { status, checks } = await doctor(['--resources', folder.path, '--offline', ...FREE]);
    expect([status, mock.requests.length]).toEqual([0, before]);
    expect(checks).toContain('unknown provider none was asked: --offline');
  });

  test('names a variable whose value no header can carry', async () => {
    const { status, checks, out } = await doctor([...FREE, '--offline'], { OPENAI_API_KEY: '\u201csk-of-tests\u201d' });
    expect(checks).toContainEqual(expect.stringMatching(/^failed variables OPENAI_API_KEY is not used/));
    expect(out).not.toContain('sk-of-tests');
    expect(status).toBe(1);
  });

  test('without a folder looks at the providers whose keys are in variables', async () => {
    const { status, checks } = await doctor([...FREE, '--offline'], { OPENAI_API_KEY: 'sk-of-tests' });
    expect(checks).toContainEqual(expect.stringMatching(/^ok resources \d objects from variables/));
    expect(checks.join()).not.toContain('sk-of-tests');
    expect(status).toBe(0);
    expect((await doctor(FREE)).checks).toContainEqual(expect.stringMatching(/^unknown resources no folder was given/));
  });

  test('asks the provider that is named, whatever the defaults of its workspace are', async () => {
    const config = `${API}\nkind: GatewayConfig\nmetadata: { name: other, namespace: team-b }\nspec: { config: { provider: "@dead" } }\n`;
    using folder = tempFolder({
      ...files(),
      'b.yaml': [
        workspace('team-b', ', savedConfigsOnly: true, defaults: { configRef: { name: other } }'),
        SECRET('team-b'),
        account('second', `${mock.url}/v1`, 'team-b'),
        account('dead', 'http://127.0.0.1:1/v1', 'team-b'),
        config,
      ].join('---\n'),
    });
    const { checks } = await doctor(['--resources', folder.path, ...FREE]);
    expect(checks).toContainEqual(expect.stringMatching(/^ok provider team-b\/@second /));
    expect(checks).toContainEqual(expect.stringMatching(/^failed provider team-b\/@dead /));
  });
});

describe('a doctor tells', () => {
  let refusing: Server;
  beforeAll(async () => {
    refusing = createServer((request, response) => {
      response.statusCode = request.url === '/v1/models' ? 401 : 500;
      response.setHeader('content-type', 'application/json');
      response.end('{"error":{"message":"no such key\\u001b[2J"}}');
    });
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => refusing.close(resolve)));
  const portOf = (): number => (refusing.address() as AddressInfo).port; // it listens

  test.for([
    { rule: 'a port that is in use', args: () => ['--port', String(portOf()), '--admin-port', '0'], want: 'in use' },
    { rule: 'an address of another machine', args: () => ['--host', '192.0.2.1', '--port', '1'], want: '192.0.2.1' },
    { rule: 'a folder that is missing', args: () => ['--resources', '/nowhere', ...FREE], want: '/nowhere' },
  ])('$rule', async ({ args, want }) => {
    const { status, checks, err } = await doctor(args());
    expect(checks).toContainEqual(expect.stringMatching(new RegExp(`^failed .*${want}`)));
    expect([status, err]).toEqual([1, expect.stringMatching(/^\d of \d+ checks failed\n$/)]);
  });

  test('an address of the admin listener that is of another machine', async () => {
    const args = ['--port', '0', '--admin-port', '1', '--offline'];
    const { status, checks } = await doctor(args, { GATEHOUSE_ADMIN_HOST: '192.0.2.1' });
    expect(checks).toContain('failed admin 192.0.2.1:1: the address is not of this machine');
    expect(checks).toContain('ok port any free one');
    expect(status).toBe(1);
  });

  test('that both listeners have one port', async () => {
    const port = String(await freePort());
    const { status, checks } = await doctor(['--port', port, '--admin-port', port, '--offline']);
    expect(checks).toContain(`ok port 127.0.0.1:${port} is free`);
    expect(checks).toContain(`failed admin 127.0.0.1:${port}: the port is in use: it is that of port, too`);
    expect(status).toBe(1);
  });

  test.for([
    { rule: 'too short', variables: { GATEHOUSE_ADMIN_KEY: 'short-of-tests' }, file: undefined, want: '32 characters' },
    { rule: 'damaged where it is stored', variables: {}, file: 'not json', want: 'is damaged' },
  ])('an admin key that is $rule, without quoting it', async ({ variables, file, want }) => {
    using data = tempFolder(file === undefined ? {} : { 'admin-key.json': file });
    const { status, checks, out } = await doctor(['--data', data.path, ...FREE], variables as Record<string, string>);
    expect(checks).toContainEqual(expect.stringMatching(new RegExp(`^failed admin key .*${want}`)));
    expect(out).not.toMatch(/short-of-tests|not json/);
    expect(status).toBe(1);
  });

  test.for([
    { rule: 'is a file', path: (folder: string) => `${folder}/file`, code: 'ENOTDIR' },
    { rule: 'would be below a file', path: (folder: string) => `${folder}/file/deep/down`, code: 'ENOTDIR' },
    { rule: 'nobody can write, root included', path: () => '/proc/gatehouse', code: 'E' },
  ])('that the admin key cannot be kept in a data folder that $rule', async ({ path, code }) => {
    using folder = tempFolder({ file: 'text' });
    const data = path(folder.path);
    const { status, checks } = await doctor(['--data', data, '--offline', ...FREE]);
    const want = `^failed admin key ${data}.* cannot be (read|written) \\(${code}.*`;
    expect(checks).toContainEqual(expect.stringMatching(new RegExp(want)));
    expect(status).toBe(1);
    const given = await doctor(['--data', data, '--offline', ...FREE], { GATEHOUSE_ADMIN_KEY: 'k'.repeat(32) });
    expect(given.status).toBe(0);
  });

  test.for([
    { rule: 'no folder and no variable', files: undefined },
    { rule: 'a folder without accounts', files: { 'a.yaml': workspace('team-a') } },
  ])('that a call cannot be made, with $rule', async ({ files }) => {
    using folder = tempFolder(files);
    const where = files === undefined ? [] : ['--resources', folder.path];
    const { status, checks } = await doctor([...where, '--call', '@openai/gpt-4o-mini', ...FREE]);
    expect(checks).toContainEqual(expect.stringMatching(/^failed call @openai\/gpt-4o-mini: .*no provider is served$/));
    expect(status).toBe(1);
  });

  test('that a gateway runs at a port already', async () => {
    using folder = tempFolder(files());
    await using running = await startTestProcess(folder.path);
    const [main, admin] = [running.url, running.adminUrl].map((url) => new URL(url).port);
    const { checks } = await doctor(['--port', main ?? '', '--admin-port', admin ?? '']);
    expect(checks).toEqual(
      expect.arrayContaining([
        `failed port 127.0.0.1:${main}: the port is in use: a gateway runs there`,
        `failed admin 127.0.0.1:${admin}: the port is in use: a gateway runs there`,
      ]),
    );
  });

  test('settings that are invalid, and checks nothing that needs them', async () => {
    const { status, checks } = await doctor(FREE, { PORT: 'many' });
    expect(checks.filter((line) => line.startsWith('failed'))).toEqual([expect.stringContaining('PORT')]);
    expect(status).toBe(1);
  });

  test('a Redis that does not answer', async () => {
    const { status, checks } = await doctor(FREE, { REDIS_URL: 'redis://:secret-of-tests@127.0.0.1:1' });
    expect(checks).toContainEqual(expect.stringMatching(/^failed redis 127\.0\.0\.1:1: .*ECONNREFUSED/));
    expect(checks.join()).not.toContain('secret-of-tests');
    expect(status).toBe(1);
  });

  test('the problems of resources, and checks the rest', async () => {
    using folder = tempFolder({ ...files(), 'broken.yaml': workspace('team-b', ', colour: blue') });
    const { status, out, checks } = await doctor(['--resources', folder.path, ...FREE]);
    expect(out).toContain(`${folder.path}/broken.yaml:4:28: Workspace/team-b: spec.colour: unknown field`);
    expect(checks).toContainEqual(expect.stringMatching(/^failed resources .*1 problem$/));
    expect(checks).toContainEqual(expect.stringMatching(/^ok provider /));
    expect(status).toBe(1);
  });

  test('a provider that refuses the credential, in its words, and without its control characters', async () => {
    const resources = [workspace('team-a'), SECRET('team-a'), account('main', `http://127.0.0.1:${portOf()}/v1`)];
    using folder = tempFolder({ 'a.yaml': resources.join('---\n') });
    const { status, checks, out } = await doctor(['--resources', folder.path, ...FREE]);
    expect(checks).toContainEqual(
      expect.stringMatching(/^failed provider team-a\/@main \(openai\): .*no such key.* it refuses the credential$/),
    );
    for (const text of ['\u001b', 'sk-of-tests']) expect(out).not.toContain(text);
    expect(status).toBe(1);
  });

  test('an issuer that does not answer, and one whose keys are for nothing that is accepted', async () => {
    const { jwk } = await createTokenIssuer({ alg: 'ES256' });
    using folder = tempFolder({
      'a.yaml': organisation(
        '{ issuer: "https://gone", audiences: [gateway], jwksUri: "https://127.0.0.1:1/keys" }',
        `{ issuer: "https://in", audiences: [gateway], jwks: '${JSON.stringify({ keys: [jwk] })}' }`,
      ),
    });
    const { status, checks } = await doctor(['--resources', folder.path, ...FREE]);
    expect(checks).toContainEqual(
      expect.stringMatching(/^failed issuer https:\/\/gone \(https:\/\/127\.0\.0\.1:1\/keys\): .+/),
    );
    expect(checks).toContainEqual(
      expect.stringMatching(/^failed issuer https:\/\/in \(keys in jwks\): none of its 1 keys is for RS256/),
    );
    expect(status).toBe(1);
  });

  test('a call to a provider that is not there, with the one that was meant', async () => {
    using folder = tempFolder(files());
    const { status, checks } = await doctor(['--resources', folder.path, '--call', '@mian/gpt-4o-mini', ...FREE]);
    expect(checks).toContain('failed call no provider @mian is served; did you mean @main?');
    expect(status).toBe(1);
  });

  test.for([
    { args: ['--call', 'gpt-4o-mini'] },
    { args: ['--call', '@main/gpt-4o-mini', '--offline'] },
    { args: ['--timeout', '0'] },
    { args: ['--timeout', 'soon'] },
    { args: ['--port', 'x'] },
  ])('$args as wrong arguments', async ({ args }) => {
    expect(await doctor(args)).toMatchObject({ status: 2, out: '' });
  });
});
