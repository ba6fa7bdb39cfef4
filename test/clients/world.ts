/** The standalone process with the examples, in front of a mock provider of this process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMockProvider, type MockProvider } from '@gatehouse/standalone/mock-provider';
import { COMPILED, programArgs, waitFor } from '@gatehouse/test/kit';
import { freePort } from '../bench/ports.ts';

/** Keys of `resources.yaml`. */
export const KEY = 'gwk_clients_of_the_test_lane_000000000000';
export const LIMITED_KEY = 'gwk_limited_clients_of_the_test_lane_0000';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PORT_OF_THE_MOCK = /127\.0\.0\.1:8790/g;

export interface ClientWorld extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` of the gateway. */
  readonly url: string;
  readonly mock: MockProvider;
  /** An empty folder for files of the clients. */
  readonly folder: string;
}

/** Starts both. Errors: the gateway did not start; what it printed is in the message. */
export async function startClientWorld(): Promise<ClientWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-clients-'));
  const mock = await createMockProvider();
  const resources = join(folder, 'resources');
  await copyResources(resources, mock.port);
  const gateway = await startStandalone({
    ...{ resources, data: join(folder, 'data') },
    env: { GATEHOUSE_HEADER_ALIASES: 'x-portkey-' },
  });
  return {
    url: gateway.url,
    mock,
    folder: join(folder, 'work'),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([gateway[Symbol.asyncDispose](), mock.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface StandaloneFolders {
  readonly resources: string;
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Standalone extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** The end of what it has printed. */
  printed(): string;
}

/** A free port may be taken before the process has it. */
const START_TRIES = 3;

/** Starts the process alone. Errors: it did not start; what it printed is in the message. */
export async function startStandalone(folders: StandaloneFolders): Promise<Standalone> {
  for (let left = START_TRIES - 1; ; left -= 1) {
    try {
      return await startOnce(folders);
    } catch (error) {
      if (left === 0 || !/EADDRINUSE|port is in use/.test(String(error))) throw error;
    }
  }
}

async function startOnce({ resources, data, env }: StandaloneFolders): Promise<Standalone> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const options = ['--resources', resources, '--port', String(port), '--data', data];
  const program = [...programArgs('standalone'), 'standalone', ...options];
  const child = spawn(process.execPath, program, {
    cwd: ROOT,
    env: {
      ...COMPILED,
      PATH: process.env['PATH'],
      GATEHOUSE_ADMIN_PORT: String(adminPort),
      GATEHOUSE_DRAIN_ACCEPT_MS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-10_000);
    });
  }
  const url = `http://127.0.0.1:${port}`;
  await waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}: ${printed}`);
      return (await fetch(`${url}/v1/health`).catch(() => undefined))?.ok;
    },
    { what: 'the start of the gateway' },
  );
  return {
    url,
    printed: () => printed,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function copyResources(target: string, mockPort: number): Promise<void> {
  await cp(join(ROOT, 'examples'), target, { recursive: true });
  await cp(fileURLToPath(new URL('resources.yaml', import.meta.url)), join(target, 'clients.yaml'));
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(PORT_OF_THE_MOCK, `127.0.0.1:${mockPort}`));
  }
}
