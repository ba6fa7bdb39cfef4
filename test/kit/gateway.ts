/** A gateway and a mock provider on random loopback ports, closed with the test. */

import type { AnyEntry } from '@gatehouse/crds/snapshot';
import {
  createGateway,
  createLogger,
  type Gateway,
  type GatewayOptions,
  readEnvironment,
  type SnapshotStatus,
  toSettings,
} from '@gatehouse/gateway';
import { createMockProvider, type MockProvider, type RecordedRequest } from '@gatehouse/standalone/mock-provider';
import { expect } from 'vitest';
import { type Received, type SendOptions, send } from './http.ts';
import { type Entries, KEY, key, provider, secretsOf, snapshot, workspace } from './snapshot.ts';
import { waitFor } from './wait-for.ts';

export interface RunningGateway extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly adminUrl: string;
  readonly gateway: Gateway;
  /** Parsed log lines, debug level included. */
  readonly logs: readonly Readonly<Record<string, unknown>>[];
  /** Replaces the Snapshot that serves. */
  load(...entries: Entries): Promise<SnapshotStatus>;
  /** Sends a request with the key of `key()`; headers of the options win. */
  send(path: string, options?: SendOptions): Promise<Received>;
  /** The value of a metric with exactly these labels; 0 when it has not been seen. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
}

export interface StartOptions extends Partial<Omit<GatewayOptions, 'settings' | 'variables'>> {
  /** Undefined: the gateway starts without a Snapshot. */
  readonly entries?: Entries | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

const MAX_LOG_LINES = 20_000;

/** Starts a gateway. When it is closed, its logs are searched for the secrets of its entries. */
export async function startGateway({ entries, env = {}, ...options }: StartOptions = {}): Promise<RunningGateway> {
  const lines: string[] = [];
  const secrets = new Set<string>();
  const destination = { write: (line: string) => void (lines.length < MAX_LOG_LINES && lines.push(line)) };
  const variables = { PORT: '0', GATEHOUSE_ADMIN_PORT: '0', HOST: '127.0.0.1', ...env };
  const settings = toSettings(readEnvironment(variables));
  const logger = createLogger({ level: env['GATEHOUSE_LOG_LEVEL'] ?? 'debug', service: 'test', destination });
  const gateway = createGateway({ logger, ...options, settings, variables });
  let version = 0;
  const load: RunningGateway['load'] = (...given) => {
    const next = snapshot(...given);
    for (const secret of secretsOf(next.entries)) secrets.add(secret);
    version += 1;
    return gateway.snapshots.load(version, next);
  };
  if (entries !== undefined) {
    const { rejected } = await load(...entries);
    if (rejected !== undefined) throw new Error(rejected.reason);
  }
  const { port, adminPort } = await gateway.listen();
  const scheme = settings.tls === undefined ? 'http' : 'https';
  const url = `${scheme}://127.0.0.1:${port}`;
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  return {
    url,
    port,
    adminUrl,
    gateway,
    get logs() {
      return lines.map((line) => JSON.parse(line));
    },
    load,
    send: (path, request = {}) =>
      send(url + path, { ...request, headers: { 'x-gw-api-key': KEY, ...request.headers } }),
    metric: async (name, labels = {}) => metricOf((await send(`${adminUrl}/metrics`)).text, name, labels),
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      const leaked = lines.filter((line) => [...secrets].some((secret) => line.includes(secret)));
      expect(leaked, 'log lines with a secret').toEqual([]);
    },
  };
}

function metricOf(text: string, name: string, labels: Readonly<Record<string, string>>): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines
    .filter((line) => wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

/** What the mock received last. */
export function lastRequest({ requests }: Pick<MockProvider, 'requests'>): RecordedRequest {
  const last = requests.at(-1);
  if (last === undefined) throw new Error('the mock has received nothing');
  return last;
}

/** The mock provider of `gatehouse`: fault controls by header or model name, `requests` is what it received. */
export const startMock = (options: { readonly port?: number } = {}): Promise<MockProvider> =>
  createMockProvider(options);

export interface World extends RunningGateway {
  readonly mock: MockProvider;
}

export interface WorldOptions extends Omit<StartOptions, 'entries'> {
  /** Beside the workspace, the key of `key()` and the managed providers `@openai` and `@anthropic` of the mock. */
  readonly entries?: (mock: MockProvider) => Entries;
}

/** Nothing of any request is left: none in flight at the gateway, none open at the mock. */
export async function expectNothingLeft(world: World): Promise<void> {
  await waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 0, {
    what: 'no request in flight',
  });
  await waitFor(() => world.mock.requests.every(({ outcome }) => outcome !== 'open'), { what: 'no call left open' });
}

/** What every Snapshot of `startWorld` holds; later entries of the same id replace these. */
export function baseEntries(mock: Pick<MockProvider, 'url'>): readonly AnyEntry[] {
  return [
    workspace(),
    key(),
    ...provider('openai', { customHost: `${mock.url}/v1`, secret: 'sk-openai-secret', proxyPaths: 'All' }),
    ...provider('anthropic', {
      provider: 'anthropic',
      customHost: `${mock.url}/v1`,
      secret: 'sk-anthropic-secret',
      proxyPaths: 'All',
    }),
  ];
}

/** A gateway in front of a mock provider, with a workspace, a key and two managed providers. */
export async function startWorld({ entries, ...options }: WorldOptions = {}): Promise<World> {
  const mock = await startMock();
  const all = [...baseEntries(mock), ...(entries?.(mock).flat() ?? [])];
  const byId = new Map(all.map((entry) => [entry.id, entry]));
  try {
    const running = await startGateway({ ...options, entries: [[...byId.values()]] });
    return Object.defineProperties(
      { mock } as World, // the getters of `running` are carried over below
      {
        ...Object.getOwnPropertyDescriptors(running),
        [Symbol.asyncDispose]: {
          value: async () => {
            try {
              await running[Symbol.asyncDispose]();
            } finally {
              await mock.close();
            }
          },
        },
      },
    );
  } catch (error) {
    await mock.close();
    throw error;
  }
}
