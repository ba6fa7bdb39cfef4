/** A directory that calls the management API over PostgreSQL, and what its tests look at. */
import { type PostgresServer, startPostgres, unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import {
  type CallReport,
  createDatabase,
  type Database,
  isScimMade,
  postgresDialect,
} from '../../../operator/src/management/index.ts';
import {
  type Answer,
  createTestManagement,
  type Method,
  type TestManagement,
} from '../../../operator/src/management/testing.ts';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

export interface Directory {
  readonly database: Database;
  readonly management: TestManagement;
  readonly reports: readonly CallReport[];
  /** The one that it calls with. */
  token: string;
  /** With a key of the organisation. */
  org(method: Method, url: string, body?: object): Promise<Answer>;
  scim(method: Method, url: string, body?: object | string): Promise<Answer>;
  patch(url: string, ...operations: readonly object[]): Promise<Answer>;
  found(url: string, filter: string, more?: string): Promise<Answer['body']>;
  makeUser(userName: string, more?: object): Promise<string>;
  makeGroup(displayName: string, users?: readonly string[]): Promise<string>;
  map(workspace: string, role: string, group: string): Promise<Answer>;
  /** Roles by person. */
  membersOf(namespace: string): Promise<Readonly<Record<string, string>>>;
  makeKey(user: string, namespace?: string): Promise<void>;
  keysIn(namespace: string): Promise<readonly (string | undefined)[]>;
  close(): Promise<void>;
}

export const idOf = ({ body }: Pick<Answer, 'body'>): string => String(body['id']);

const RESOURCES = ['organisation_users', 'organisation_settings', 'workspace_users', 'configs'];

/** With a database of its own, and a token. */
async function startDirectory(server: PostgresServer): Promise<Directory> {
  const reports: CallReport[] = [];
  const dialect = unwrap(postgresDialect({ url: await server.database() }));
  const database = createDatabase({ dialect, onAway: () => undefined });
  const management = await createTestManagement(RESOURCES, { database, onCall: (report) => reports.push(report) });
  const { store } = management;
  const org: Directory['org'] = (method, url, body) => management.call('organisation', method, url, body);
  const state = { token: String((await org('POST', '/scim/token')).body['token']) };
  const scim: Directory['scim'] = (method, url, body) => management.directory(state.token, method, url, body);
  const made = async (url: string, body: object): Promise<string> => {
    const answer = await scim('POST', url, body);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 });
    return idOf(answer);
  };
  return {
    ...{ database, management, reports, org, scim },
    get token() {
      return state.token;
    },
    set token(token) {
      state.token = token;
    },
    patch: (url, ...Operations) => scim('PATCH', url, { schemas: [PATCH], Operations }),
    found: async (url, filter, more = '') =>
      (await scim('GET', `${url}?filter=${encodeURIComponent(filter)}${more}`)).body,
    makeUser: (userName, more = {}) => made('/Users', { schemas: [USER], userName, ...more }),
    makeGroup: (displayName, users = []) =>
      made('/Groups', { schemas: [GROUP], displayName, members: users.map((value) => ({ value })) }),
    map: (workspace, role, group) =>
      org('POST', '/scim/workspaces', { workspace_id: workspace, role, scim_group_id: group }),
    membersOf: async (namespace) =>
      Object.fromEntries(
        (await store.list('WorkspaceMember', namespace)).map(({ spec, meta }) => [
          spec.user,
          `${spec.role}${isScimMade(meta) ? ' by scim' : ''}`,
        ]),
      ),
    makeKey: async (user, namespace = 'team-a') => {
      const spec = { type: 'workspace-user', user, sha256: 'a'.repeat(64), scopes: ['completions.write'] };
      const place = { kind: 'ApiKey', namespace, name: `of-${user.replace(/\W/g, '-')}` } as const;
      unwrap(await store.create(place, { spec }, { force: false }));
    },
    keysIn: async (namespace) => (await store.list('ApiKey', namespace)).map(({ spec }) => spec.user),
    close: async () => {
      await management.close();
      await database.close();
    },
  };
}

/** The directory of the test that runs; each has one of its own. */
export function useDirectory(): Omit<Directory, 'close'> {
  let server: PostgresServer;
  let current: Directory;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await current?.close();
    await server?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await current?.close();
    current = await startDirectory(server);
  });
  return {
    get database() {
      return current.database;
    },
    get management() {
      return current.management;
    },
    get reports() {
      return current.reports;
    },
    get token() {
      return current.token;
    },
    set token(token) {
      current.token = token;
    },
    org: (...args) => current.org(...args),
    scim: (...args) => current.scim(...args),
    patch: (...args) => current.patch(...args),
    found: (...args) => current.found(...args),
    makeUser: (...args) => current.makeUser(...args),
    makeGroup: (...args) => current.makeGroup(...args),
    map: (...args) => current.map(...args),
    membersOf: (...args) => current.membersOf(...args),
    makeKey: (...args) => current.makeKey(...args),
    keysIn: (...args) => current.keysIn(...args),
  };
}
