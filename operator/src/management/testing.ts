/** The management API over a store in memory, with two workspaces and a key for each way to call it. */
import { createHash } from 'node:crypto';
import {
  type Caller,
  type CallReport,
  createLogExports,
  createManagementServer,
  createTenancy,
  type Database,
  exportSourceOf,
  type LogObjects,
  type LogReader,
  logTablesIn,
  type McpTest,
  OPERATIONS,
  type PolicyUsage,
  type ResourceStore,
  type Revisions,
  type Services,
  type SignIn,
} from './index.ts';
import { createPostgresReader } from './logs/index.ts';
import { createMemoryStore } from './store/testing.ts';

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** In seconds. */
  readonly retryAfter?: number;
  /** Of what a directory has made. */
  readonly location?: string;
  /** Of an answer to a directory. */
  readonly type?: string;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface TestManagement {
  readonly store: ResourceStore;
  /** `key` is the name of a caller: `a` and `b` of their workspaces, `organisation`, `reader`, `expired`. */
  call(key: string | undefined, method: Method, url: string, body?: object): Promise<Answer>;
  /** As a directory calls, below `/scim/v2`. */
  directory(token: string | undefined, method: Method, url: string, body?: object | string): Promise<Answer>;
  /** As a browser or a gateway sends it; the path is below the root. */
  send(request: RawRequest): Promise<RawAnswer>;
  close(): Promise<void>;
}

export interface RawRequest {
  readonly method?: Method;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export interface RawAnswer extends Answer {
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export const ORGANISATION_ID = '00000000-0000-4000-8000-0000000000ff';

export interface TestOptions {
  readonly database?: Database;
  /** Default: one in memory, with two workspaces. */
  readonly store?: ResourceStore;
  readonly usage?: PolicyUsage;
  readonly revisions?: Revisions;
  readonly onCall?: (report: CallReport) => void;
  readonly now?: () => number;
  readonly signIn?: SignIn;
  readonly mcpTest?: McpTest;
  readonly logObjects?: LogObjects | undefined;
  /** Of rows; default: the database. */
  readonly logReader?: LogReader | undefined;
  /** Of the calls of each key. */
  readonly rates?: { readonly perSecond: number; readonly burst: number };
  /** Further ones, by their keys. */
  readonly callers?: Readonly<Record<string, Caller>>;
}

/** `resources` are those of the scopes that callers have, e.g. `policies`. */
export async function createTestManagement(
  resources: readonly string[],
  {
    database,
    usage,
    revisions,
    onCall = () => undefined,
    now = () => Date.UTC(2027, 0, 1),
    store: given,
    callers = {},
    rates,
    signIn,
    mcpTest,
    logObjects,
    logReader,
  }: TestOptions = {},
): Promise<TestManagement> {
  const store = given ?? createMemoryStore();
  const byHash = new Map(
    Object.entries({ ...callersOf(resources), ...callers }).map(([key, value]) => [
      createHash('sha256').update(key).digest('hex'),
      value,
    ]),
  );
  let names = 0;
  const requestLog = requestLogIn(database, now, { objects: logObjects, reader: logReader });
  const app = createManagementServer({
    operations: OPERATIONS,
    services: {
      store,
      tenancy: createTenancy({ store, organisationId: ORGANISATION_ID, organisationNamespace: 'gatehouse-system' }),
      randomName: (length) => {
        names += 1;
        return String(names).padStart(length, '0');
      },
      now,
      database,
      ...requestLog,
      usage,
      revisions,
      signIn,
      mcpTest,
    },
    keys: { find: (sha256) => byHash.get(sha256) },
    onCall,
    rates,
  });
  if (given === undefined) await addWorkspaces(store);
  return {
    store,
    call: async (key, method, url, body) => {
      const answer = await app.inject({
        method,
        url: `/v1${url}`,
        ...(key === undefined ? {} : { headers: { 'x-gw-api-key': key } }),
        ...(body === undefined ? {} : { payload: body }),
      });
      const retryAfter = answer.headers['retry-after'];
      return {
        status: answer.statusCode,
        body: answer.payload === '' ? {} : answer.json(),
        ...(retryAfter === undefined ? {} : { retryAfter: Number(retryAfter) }),
      };
    },
    directory: async (token, method, url, body) => {
      const answer = await app.inject({
        ...{ method, url: `/v1/scim/v2${url}` },
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
        },
        ...(body === undefined ? {} : { payload: body }),
      });
      const { location, 'content-type': type } = answer.headers;
      return {
        status: answer.statusCode,
        body: answer.payload === '' ? {} : answer.json(),
        ...(typeof location === 'string' ? { location } : {}),
        ...(typeof type === 'string' ? { type } : {}),
      };
    },
    send: async ({ method = 'GET', url, headers = {}, body }) => {
      return toRaw(await app.inject({ method, url, headers, ...(body === undefined ? {} : { payload: body }) }));
    },
    close: async () => {
      await app.close();
      await requestLog.exports?.close();
    },
  };
}

async function addWorkspaces(store: ResourceStore): Promise<void> {
  for (const name of ['team-a', 'team-b']) {
    const place = { kind: 'Workspace', namespace: undefined, name } as const;
    await store.create(place, { spec: { namespace: name } }, { force: false });
  }
}

function toRaw(answer: {
  readonly statusCode: number;
  readonly payload: string;
  readonly headers: RawAnswer['headers'];
  json(): Answer['body'];
}): RawAnswer {
  const { statusCode: status, payload: text, headers } = answer;
  const isJson = String(headers['content-type']).startsWith('application/json');
  return { status, headers, text, body: isJson ? answer.json() : {} };
}

function requestLogIn(
  database: Database | undefined,
  now: () => number,
  { objects, reader }: { readonly objects: LogObjects | undefined; readonly reader: LogReader | undefined },
): Pick<Services, 'logDatabase' | 'logs' | 'exports'> {
  if (database === undefined) return {};
  const logDatabase = logTablesIn(database);
  const logs = { reader: reader ?? createPostgresReader(logDatabase), objects };
  const fail = (error: unknown): never => {
    throw error;
  };
  const exports = createLogExports({
    ...{ database: logDatabase, source: exportSourceOf(logs), now },
    ...{ isEnabled: () => false, onFailure: fail }, // they run when they are started
  });
  return { logDatabase, logs, exports };
}

function callersOf(resources: readonly string[]): Readonly<Record<string, Caller>> {
  const actions = ['list', 'create', 'read', 'update', 'delete', 'publish', 'rotate'];
  const caller = (over: Partial<Caller>): Caller => ({
    keyId: 'key',
    keyName: 'test',
    type: 'workspace-service',
    workspace: 'team-a',
    user: undefined,
    scopes: new Set(resources.flatMap((resource) => actions.map((action) => `${resource}.${action}`))),
    expiresAtMs: Number.POSITIVE_INFINITY,
    ...over,
  });
  return {
    a: caller({}),
    b: caller({ keyId: 'key-b', workspace: 'team-b' }),
    organisation: caller({ type: 'organisation-service', workspace: undefined }),
    reader: caller({ scopes: new Set(resources.map((resource) => `${resource}.list`)) }),
    expired: caller({ expiresAtMs: 1 }),
  };
}
