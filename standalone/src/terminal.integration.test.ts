/** The command line at a terminal, which `script` lends. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { COMPILED, programArgs, waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createMockProvider } from './mock-provider/index.ts';
import { addressOf, startGatehouse, tempFolder } from './testing/index.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const WORKSPACE = `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`;
const ADMIN_KEY = 'gwk_given_0123456789abcdef0123456789';
const FREE_PORTS = ['--port', '0', '--admin-port', '0'];

const hasScript = spawnSync('script', ['--version'], { stdio: 'ignore' }).status === 0;

interface Terminal extends AsyncDisposable {
  /** What is on it so far. */
  readonly text: string;
}

/** Runs `gatehouse` at a terminal. */
function openTerminal(args: readonly string[], env: Readonly<Record<string, string>>): Terminal {
  const words = [process.execPath, ...programArgs('standalone'), ...args];
  const command = words.map((word) => `'${word}'`).join(' ');
  const child: ChildProcess = spawn('script', ['-qefc', `exec ${command}`, '/dev/null'], {
    env: { ...COMPILED, PATH: '/usr/bin:/bin', TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return {
    get text() {
      return text;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      child.stdin?.end();
      await ended;
    },
  };
}

const urlIn = (text: string): string | undefined =>
  /on (http:\/\/[^/\s]+)\/v1/.exec(stripVTControlCharacters(text))?.[1];

async function ask(url: string, provider: string, path = '/v1/chat/completions'): Promise<void> {
  const config = { provider: 'openai', api_key: 'x', custom_host: `${provider}/v1` };
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ADMIN_KEY}`,
      'content-type': 'application/json',
      'x-gw-config': JSON.stringify(config),
    },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.text();
}

const REQUEST =
  /\d\d:\d\d:\d\d {2}POST \/v1\/chat\/completions {2}team-a\/admin {2}openai\/gpt-4o-mini {2}200 .*tokens/;

describe.runIf(hasScript)('gatehouse standalone at a terminal', () => {
  test.for([
    { rule: 'in colour', env: {}, colours: true },
    { rule: 'without colour where NO_COLOR is set', env: { NO_COLOR: '1' }, colours: false },
  ])('shows a line per request $rule, and what was loaded', async ({ env, colours }) => {
    using folder = tempFolder({ 'workspace.yaml': WORKSPACE });
    await using mock = await createMockProvider();
    const args = ['standalone', '--resources', folder.path, '--data', `${folder.path}/.data`, ...FREE_PORTS];
    await using terminal = openTerminal(args, { GATEHOUSE_ADMIN_KEY: ADMIN_KEY, ...env });
    const url = await waitFor(() => urlIn(terminal.text), { what: 'the address' });
    await ask(url, mock.url);
    await waitFor(() => REQUEST.test(stripVTControlCharacters(terminal.text)), { what: 'the line of the request' });
    expect(terminal.text).toContain('Loaded: 1 workspace, 0 keys, 0 providers, 0 configs, 0 guardrails');
    expect(terminal.text).not.toContain('{"level"');
    expect(terminal.text.includes('\u001b[32m200')).toBe(colours);
  });
});

describe('gatehouse standalone with a log for people', () => {
  const start = (path: string, ...more: string[]) =>
    startGatehouse(
      ['standalone', '--resources', path, '--data', `${path}/.data`, '--log-format', 'text', ...FREE_PORTS, ...more],
      { GATEHOUSE_ADMIN_KEY: ADMIN_KEY },
    );

  test.for([{ workers: '1' }, { workers: '2' }])('has the lines of $workers processes', async ({ workers }) => {
    using folder = tempFolder({ 'workspace.yaml': WORKSPACE });
    await using mock = await createMockProvider();
    await using child = start(folder.path, '--workers', workers);
    const url = await addressOf(child);
    await ask(url, mock.url);
    await ask(url, 'http://127.0.0.1:1');
    await waitFor(() => child.out.includes('because: '), { what: 'the cause of the failure' });
    expect(child.out).toMatch(REQUEST);
    expect(child.out).toMatch(/ {2}50\d .*UPSTREAM_UNREACHABLE: /);
    expect(child.out).not.toContain('{"level"');
  });

  test('shows problems with their places once, at the start and as they come', async () => {
    using folder = tempFolder({ 'workspace.yaml': WORKSPACE, 'a.yaml': WORKSPACE });
    await using child = start(folder.path);
    await addressOf(child);
    await waitFor(() => child.err.includes('1 problem:'), { what: 'the problems' });
    expect(child.err).toContain(`${folder.path}/workspace.yaml:3:13: Workspace/team-a: metadata.name: `);
    expect(child.out).not.toContain('workspace.yaml');
    folder.write('b.yaml', 'a: [');
    await waitFor(() => /WARN .*b\.yaml:1:/.test(child.out), { what: 'the new problem' });
  });

  test('has no lines of requests when it is quiet', async () => {
    using folder = tempFolder({ 'workspace.yaml': WORKSPACE });
    await using mock = await createMockProvider();
    await using child = start(folder.path, '--quiet');
    const url = await addressOf(child);
    await ask(url, mock.url);
    await ask(url, 'http://127.0.0.1:1');
    await waitFor(() => child.out.includes('because: '), { what: 'the cause of the failure' });
    expect(child.out).not.toContain('/v1/chat/completions');
    expect(child.out).toContain('UPSTREAM_UNREACHABLE');
  });
});
