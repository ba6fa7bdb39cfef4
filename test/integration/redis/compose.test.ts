/** compose.yaml, without containers: the same programs with the same settings. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILED, freePort, programArgs, waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { imageConfigOf } from '../../../images/index.ts';

const ADMIN_KEY = 'gwk_given_0123456789abcdef0123456789';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
}
const { services }: { services: Readonly<Record<'gateway' | 'redis', Service>> } = parse(
  readFileSync(new URL('../../../compose.yaml', import.meta.url), 'utf8'),
);

/** As compose replaces variables. */
const fill = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, fallback: string) => variables[name] || fallback);

let folder: string;
let url: string;
const children: ChildProcess[] = [];
let redisPort: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-compose-'));
  redisPort = await freePort();
  const [program = '', ...options] = services.redis.command ?? [];
  children.push(
    spawn(program, [...options, '--port', `${redisPort}`, '--bind', '127.0.0.1'], { cwd: folder, stdio: 'ignore' }),
  );
  await waitFor(async () => (await redis('PING')).includes('PONG'), { what: 'Redis' });

  const { env: own, cmd = [] } = imageConfigOf('standalone');
  const environment = Object.fromEntries(
    Object.entries(services.gateway.environment ?? {}).map(([name, value]) => [
      name,
      fill(value, { GATEHOUSE_ADMIN_KEY: ADMIN_KEY }).replace('redis:6379', `127.0.0.1:${redisPort}`),
    ]),
  );
  const gateway = spawn(process.execPath, [...programArgs('standalone'), ...(services.gateway.command ?? cmd)], {
    cwd: folder,
    env: { ...COMPILED, ...own, ...environment, HOST: '127.0.0.1', PORT: '0', GATEHOUSE_ADMIN_PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(gateway);
  let text = '';
  gateway.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  url = await waitFor(() => /on (http:\/\/[^/\s]+)/.exec(text)?.[1], { what: 'the address' });
});

afterAll(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

describe('what compose.yaml starts', () => {
  test('answers from the cache in Redis', async () => {
    const ask = async (): Promise<string | null> => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${ADMIN_KEY}`,
          'content-type': 'application/json',
          'x-gw-config': JSON.stringify({ provider: '@openai', cache: { mode: 'simple' } }),
        },
        body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
      });
      expect(response.status, await response.clone().text()).toBe(200);
      await response.arrayBuffer();
      return response.headers.get('x-gw-cache-status');
    };
    // Requests do not wait for Redis, and have no status of the cache before it is there.
    await waitFor(async () => (await ask()) === 'MISS', { what: 'the cache' });
    await waitFor(async () => (await ask()) === 'HIT', { what: 'a cached answer' });
    expect(await redis('DBSIZE')).toMatch(/^:[1-9]/);
  });

  test('uses our image, and publishes the main port on this machine only', () => {
    expect(services.gateway.image).toBe('localhost/gatehouse-standalone:dev');
    expect(services.gateway.ports).toEqual(['127.0.0.1:8787:8787']);
  });
});

/** The answer of Redis to a command without arguments; empty while it does not listen. */
function redis(command: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(redisPort, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.on('error', () => resolve(''));
    socket.on('data', (chunk) => {
      resolve(chunk.toString());
      socket.destroy();
    });
  });
}
