/** The command line as people run it: a process with arguments, signals and an exit status. */
import { existsSync } from 'node:fs';
import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createMockProvider } from './mock-provider/index.ts';
import { addressOf, runGatehouse, startGatehouse, startTestProcess, tempFolder } from './testing/index.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const FILES = {
  'workspace.yaml': `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`,
};
const FREE_PORTS = ['--port', '0', '--admin-port', '0'];
const adminKeyIn = (text: string): string | undefined => /gwk_[\w-]{43}/.exec(text)?.[0];

const chat = (url: string, key: string, provider: string, body: object): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-gw-config': JSON.stringify({ provider: 'openai', api_key: 'x', custom_host: `${provider}/v1` }),
    },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'one two three four five six' }], ...body }),
  });

describe('gatehouse standalone', () => {
  test('generates an admin key on its first start, shows it once, and accepts it after a restart', async () => {
    using folder = tempFolder(FILES);
    await using mock = await createMockProvider();
    const args = ['standalone', '--resources', folder.path, '--data', `${folder.path}/.data`, ...FREE_PORTS];
    let key: string | undefined;
    {
      await using first = startGatehouse(args);
      const url = await addressOf(first);
      key = await waitFor(() => adminKeyIn(first.err), { what: 'the admin key' });
      expect((await chat(url, key, mock.url, { model: 'm' })).status).toBe(200);
      expect(first.out).not.toContain(key);
      expect(first.err.split(key)).toHaveLength(2);
    }
    await using second = startGatehouse(args);
    const url = await addressOf(second);
    expect((await chat(url, key, mock.url, { model: 'm' })).status).toBe(200);
    expect(adminKeyIn(second.err)).toBeUndefined();
  });

  test('ends an open stream before it stops on a signal', async () => {
    using folder = tempFolder(FILES);
    await using mock = await createMockProvider();
    const env = { GATEHOUSE_ADMIN_KEY: 'gwk_given_0123456789abcdef0123456789', GATEHOUSE_DRAIN_ACCEPT_MS: '0' };
    const args = ['standalone', '--resources', folder.path, '--data', `${folder.path}/.data`, ...FREE_PORTS];
    await using child = startGatehouse(args, env);
    const url = await addressOf(child);
    const answer = await chat(url, 'gwk_given_0123456789abcdef0123456789', mock.url, {
      model: 'mock-slow-100',
      stream: true,
    });
    const reader = (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value ?? '';
    child.kill('SIGTERM');
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    expect(text).toContain('data: [DONE]');
    expect(await child.ended).toBe(0);
    await expect(fetch(`${url}/v1/health`)).rejects.toThrow();
  });

  test('ends at once on a second signal', async () => {
    using folder = tempFolder(FILES);
    await using mock = await createMockProvider();
    const args = ['standalone', '--resources', folder.path, '--data', `${folder.path}/.data`, ...FREE_PORTS];
    await using child = startGatehouse(args, { GATEHOUSE_ADMIN_KEY: 'gwk_given_0123456789abcdef0123456789' });
    const url = await addressOf(child);
    const answer = await chat(url, 'gwk_given_0123456789abcdef0123456789', mock.url, {
      model: 'mock-slow-1000',
      stream: true,
    });
    let end: number | string | undefined;
    const ended = child.ended.then((status) => {
      end = status;
    });
    // A signal that comes right behind the first one is taken for the same.
    await waitFor(
      () => {
        child.kill('SIGINT');
        return end;
      },
      { what: 'the end' },
    );
    await ended;
    expect(end).toBe(130);
    await answer.body?.cancel().catch(() => undefined);
  });

  test('opens the admin listener on an address of its own', async () => {
    using folder = tempFolder(FILES);
    const env = { HOST: '127.0.0.2', GATEHOUSE_ADMIN_HOST: '127.0.0.3', GATEHOUSE_ADMIN_KEY: 'k'.repeat(32) };
    const args = ['standalone', '--resources', folder.path, '--data', `${folder.path}/.data`, ...FREE_PORTS];
    await using child = startGatehouse(args, env);
    expect(await addressOf(child)).toContain('//127.0.0.2:');
    const admin = await waitFor(() => /Metrics and status are on (http:\S+)\s/.exec(child.err)?.[1], {
      what: 'the admin address',
    });
    expect(admin).toContain('//127.0.0.3:');
    expect((await fetch(`${admin}/livez`)).status).toBe(200);
  });

  test('reports in one line that a port is in use', async () => {
    using folder = tempFolder(FILES);
    await using other = await startTestProcess(folder.path);
    const { port } = new URL(other.url);
    const args = ['standalone', '--resources', folder.path, '--data', `${folder.path}/.data`, '--admin-port', '0'];
    const { status, err } = await runGatehouse([...args, '--port', port]);
    expect(status).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([expect.stringContaining(port)]);
    expect(existsSync(`${folder.path}/.data`), 'a key that was never printed is not kept').toBe(false);
  });
});

describe('gatehouse', () => {
  test('ends with status 2 for an unknown option', async () => {
    expect(await runGatehouse(['standalone', '--nonsense'])).toMatchObject({ status: 2, out: '' });
  });

  test('refuses a key of the folder where there is no folder', async () => {
    const { status, err } = await runGatehouse(['standalone', '--example-key', 'gwk_of_tests', ...FREE_PORTS]);
    expect(status).toBe(2);
    expect(err).toContain('--resources');
    expect(err).not.toContain('gwk_of_tests');
  });

  test('runs the mock provider until a signal', async () => {
    await using child = startGatehouse(['mock-provider', '--port', '0']);
    const url = await addressOf(child);
    expect((await fetch(`${url}/v1/models`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await child.ended).toBe(0);
  });
});
