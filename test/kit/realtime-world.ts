/** A gateway in front of a provider of the realtime API, with an account `@openai`; all closed with the test. */
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import { expect, onTestFinished } from 'vitest';
import { type RunningGateway, startGateway } from './gateway.ts';
import {
  type ClientOptions,
  connectRealtime,
  type ProviderOptions,
  type RealtimeClient,
  type RealtimeProvider,
  RefusedError,
  startRealtimeProvider,
} from './realtime-provider.ts';
import { provider as account, type Entries, key, workspace } from './snapshot.ts';
import { waitFor } from './wait-for.ts';

export const SECRET = 'sk-realtime-secret';

export interface Bench {
  readonly world: RunningGateway;
  readonly provider: RealtimeProvider;
  readonly entries: readonly AnyEntry[];
  connect(options?: ClientOptions): Promise<RealtimeClient>;
}

export interface BenchOptions extends ProviderOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly entries?: Entries;
  readonly provider?: Parameters<typeof account>[1];
}

export async function startRealtime({
  env = {},
  entries = [],
  provider: body = {},
  ...options
}: BenchOptions = {}): Promise<Bench> {
  const provider = await startRealtimeProvider(options);
  const all = [
    workspace(),
    ...account('openai', { customHost: `${provider.url}/v1`, secret: SECRET, ...body }),
    ...(entries.flat().some(({ kind }) => kind === 'key') ? [] : [key()]),
    ...entries.flat(),
  ];
  const world = await startGateway({ entries: [all], env });
  onTestFinished(async () => {
    await world[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });
  return {
    world,
    provider,
    entries: all,
    connect: async (given) => {
      const client = await connectRealtime(world.url, given);
      onTestFinished(() => client[Symbol.dispose]());
      return client;
    },
  };
}

export async function openRealtime(options: BenchOptions = {}, given: ClientOptions = {}) {
  const bench = await startRealtime(options);
  const client = await bench.connect(given);
  return { ...bench, client, session: await bench.provider.session() };
}

export const refusal = (attempt: Promise<unknown>): Promise<RefusedError> =>
  attempt.then(
    () => expect.unreachable('it was opened'),
    (error: unknown) => {
      if (error instanceof RefusedError) return error;
      throw error;
    },
  );

export async function expectNothingLeft({ world, provider }: Pick<Bench, 'world' | 'provider'>): Promise<void> {
  await waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 0, { what: 'nothing in flight' });
  await waitFor(async () => (await world.metric('gatehouse_open_streams')) === 0, { what: 'no open stream' });
  await waitFor(async () => (await world.metric('gatehouse_buffered_bytes')) === 0, { what: 'no buffered byte' });
  await waitFor(() => provider.connections.size === 0, { what: 'no connection at the provider' });
}

const USAGE = {
  total_tokens: 30,
  input_tokens: 10,
  output_tokens: 20,
  input_token_details: { text_tokens: 4, audio_tokens: 6, cached_tokens: 0 },
  output_token_details: { text_tokens: 5, audio_tokens: 15 },
};
export const DONE = {
  type: 'response.done',
  event_id: 'e2',
  response: { id: 'r1', status: 'completed', output: [], usage: USAGE },
};
