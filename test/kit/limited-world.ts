/** What tests of limits and budgets ask, and of whom. */
import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { MockProvider } from '@gatehouse/standalone/mock-provider';
import { startWorld, type World } from './gateway.ts';
import type { Received } from './http.ts';
import { type Entries, provider, TEAM } from './snapshot.ts';

export const startLimited = (entries: (mock: MockProvider) => Entries): Promise<World> => startWorld({ entries });

/** An account at the mock provider; `owner` null: of the organisation. */
export const account = (
  mock: MockProvider,
  slug: string,
  body: Partial<EntryBody<'provider'>>,
  owner: string | null = TEAM,
): Entries[number] => provider(slug, { customHost: `${mock.url}/v1`, workspace: owner, ...body });

interface Asked {
  readonly model?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export const askModel = (
  world: World,
  { model = '@openai/mock-small', body, headers = {} }: Asked = {},
): Promise<Received> =>
  world.send('/v1/chat/completions', {
    headers,
    body: { model, messages: [{ role: 'user', content: 'hi' }], ...body },
  });
