/** Asks providers through a gateway of its own, which serves what the process would serve, on loopback. */
import { createHash, randomBytes } from 'node:crypto';
import { createSuggestions, didYouMean, isObject, parseJson } from '@gatehouse/crds';
import { type AnyEntry, digestOf, entryId, type Snapshot, type SnapshotEntry } from '@gatehouse/crds/snapshot';
import { createGateway, createLogger, type GatewaySettings, type Variables } from '@gatehouse/gateway';
import { type Check, failed, okay, unknown } from './check.ts';

export interface ProviderChecks {
  readonly snapshot: Snapshot;
  readonly settings: GatewaySettings;
  readonly variables: Variables;
  /** For the answer of a provider, in ms. */
  readonly timeoutMs: number;
  /** `@SLUG/MODEL` to call for one token. */
  readonly call: string | undefined;
}

/** A provider as requests of a workspace name it. */
interface Account {
  readonly workspace: string;
  readonly slug: string;
  readonly provider: string;
}

/** Providers that are asked at most, and at the same time. */
const MAX_ACCOUNTS = 50;
const AT_ONCE = 4;
const SUBJECT = 'provider';

/** Asks each provider for its list of models, which costs nothing, and one of them for a token. */
export async function checkProviders(options: ProviderChecks): Promise<readonly Check[]> {
  const accounts = accountsOf(options.snapshot);
  if (accounts.length === 0) {
    const none = unknown(SUBJECT, 'none is served');
    return options.call === undefined ? [none] : [none, failed('call', `${options.call}: no provider is served`)];
  }
  const keys = new Map(accounts.map(({ workspace }) => [workspace, `gwk_${randomBytes(32).toString('base64url')}`]));
  const gateway = createGateway({
    settings: ownSettings(options.settings),
    variables: options.variables,
    logger: createLogger({ level: 'silent', service: 'doctor' }),
  });
  try {
    await gateway.snapshots.load(1, withKeys(options.snapshot, keys));
    const { port } = await gateway.listen();
    const ask = (account: Account, request: Asked): Promise<Answer> =>
      askGateway({ ...request, port, key: keys.get(account.workspace) ?? '', timeoutMs: options.timeoutMs });
    const checks = await inTurns(accounts.slice(0, MAX_ACCOUNTS), (account) => checkModels(account, ask));
    const rest = accounts.length - MAX_ACCOUNTS;
    return [
      ...checks,
      ...(rest > 0 ? [unknown(SUBJECT, `${rest} more were not asked`)] : []),
      ...(options.call === undefined ? [] : [await checkCall(options.call, accounts, ask)]),
    ];
  } finally {
    await gateway.close();
  }
}

/** On loopback and without the stores and listeners of the process, which may run meanwhile. */
const ownSettings = (settings: GatewaySettings): GatewaySettings => ({
  ...settings,
  listen: { host: '127.0.0.1', port: 0, adminHost: '127.0.0.1', adminPort: 0 },
  tls: undefined,
  redis: undefined,
  cache: { ...settings.cache, store: 'memory' },
  savedConfigsOnly: false,
  metrics: false,
});

function accountsOf({ entries }: Snapshot): readonly Account[] {
  const workspaces = entries.flatMap(({ kind, workspace }) => (kind === 'workspace' ? (workspace ?? []) : []));
  return entries.flatMap((entry) => {
    if (entry.kind !== 'provider') return [];
    const { slug, provider, grants = [] } = entry.body;
    const workspace = entry.workspace ?? workspaces.find((name) => grants.includes('*') || grants.includes(name));
    return workspace === undefined ? [] : [{ workspace, slug, provider }];
  });
}

/** The Snapshot with a key for each workspace, and without what could send a request elsewhere than to the provider it names. */
function withKeys({ schemaVersion, entries }: Snapshot, keys: ReadonlyMap<string, string>): Snapshot {
  const added = [...keys].map(([workspace, key]) => keyEntry(workspace, key));
  const all = [...entries.map(withoutDefaults), ...added];
  return { schemaVersion, entries: all.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

function withoutDefaults(entry: AnyEntry): AnyEntry {
  if (entry.kind === 'workspace') {
    const body = { ...entry.body, defaults: {}, savedConfigsOnly: false };
    return { ...entry, body, digest: digestOf(body) };
  }
  if (entry.kind !== 'organisation') return entry;
  const body = { ...entry.body, savedConfigsOnly: false };
  return { ...entry, body, digest: digestOf(body) };
}

/** The colon keeps its name apart from every ApiKey's. */
function keyEntry(workspace: string, key: string): AnyEntry {
  const body: SnapshotEntry<'key'>['body'] = {
    name: 'doctor',
    sha256: [createHash('sha256').update(key).digest('hex')],
    scopes: ['*'],
    defaults: { allowConfigOverride: true },
    rateLimits: [],
  };
  const id = entryId('key', workspace, 'standalone:doctor');
  return { kind: 'key', id, workspace, generation: 1, digest: digestOf(body), body };
}

interface Asked {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Ask = (account: Account, request: Asked) => Promise<Answer>;

interface Question extends Asked {
  readonly port: number;
  readonly key: string;
  readonly timeoutMs: number;
}

async function askGateway({ port, key, path, headers = {}, body, timeoutMs }: Question): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-gw-request-timeout': String(timeoutMs),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: toValue(await answer.text()) };
}

function toValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

async function checkModels(account: Account, ask: Ask): Promise<Check> {
  const what = `${account.workspace}/@${account.slug} (${account.provider})`;
  const answer = await ask(account, { path: '/v1/models', headers: { 'x-gw-provider': `@${account.slug}` } });
  const { status, body } = answer;
  if (status === 200) {
    const models = isObject(body) && Array.isArray(body['data']) ? `${body['data'].length} models` : 'a list of models';
    return okay(SUBJECT, `${what} answers with ${models}`);
  }
  const said = `${what}: ${reasonOf(answer)}`;
  if (status === 401 || status === 403) return failed(SUBJECT, `${said} (${status}): it refuses the credential`);
  if (status >= 500 || status === 408) return failed(SUBJECT, `${said} (${status})`);
  return unknown(SUBJECT, `${said} (${status}); --call @${account.slug}/MODEL asks it for one token`);
}

async function checkCall(call: string, accounts: readonly Account[], ask: Ask): Promise<Check> {
  const [, slug = '', model = ''] = /^@([^/]+)\/(.+)$/.exec(call) ?? [];
  const account = accounts.find((known) => known.slug === slug);
  if (account === undefined) {
    const near = createSuggestions()(
      slug,
      accounts.map((known) => known.slug),
    );
    return failed('call', `no provider @${slug} is served${didYouMean(near, '@')}`);
  }
  const messages = [{ role: 'user', content: 'Hi' }];
  const answer = await ask(account, {
    path: '/v1/chat/completions',
    body: { model: `@${slug}/${model}`, max_completion_tokens: 1, messages },
  });
  if (answer.status === 200) return okay('call', `${call} answers`);
  return failed('call', `${call}: ${reasonOf(answer)} (${answer.status})`);
}

/** The message of an error in the format of the gateway. */
function reasonOf({ body }: Answer): string {
  const error = isObject(body) ? body['error'] : undefined;
  const message = isObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : 'no error message';
}

/** A few at a time, results in order. */
async function inTurns<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(run))));
  }
  return results;
}
