/** Knows the token of the directory. */
import { createHash } from 'node:crypto';
import type { Caller } from '../callers/index.ts';
import type { Database } from '../database/index.ts';
import { directoryOf } from '../people/index.ts';
import { RestError } from './rest-error.ts';

const BEARER = /^Bearer +(\S+)$/i;
const TOKEN = /^gws_[\w-]{43}$/;
/** How long a token that was right is right without a question, in ms. */
const FRESH_MS = 2_000;

/** Calls operations of SCIM, and no others: it has no scope. */
const DIRECTORY: Caller = {
  keyId: 'scim',
  keyName: 'SCIM token',
  type: 'organisation-service',
  workspace: undefined,
  user: undefined,
  scopes: new Set(),
  expiresAtMs: Number.POSITIVE_INFINITY,
  isDirectory: true,
};

export interface DirectoryTokens {
  /** Throws RestError UNAUTHENTICATED, and DatabaseAway. */
  authenticate(authorization: string | undefined): Promise<Caller>;
}

/** Wrong tokens ask the database one at a time, however many there are. */
export function createDirectoryTokens(services: { readonly database?: Database | undefined }): DirectoryTokens {
  let known: { readonly sha256: string | undefined; readonly atMs: number } | undefined;
  let reading: Promise<string | undefined> | undefined;
  const read = async (): Promise<string | undefined> => {
    const row = await directoryOf(services).use((queries) =>
      queries.selectFrom('scim_tokens').select('sha256').where('name', '=', 'default').executeTakeFirst(),
    );
    known = { sha256: row?.sha256, atMs: performance.now() };
    return row?.sha256;
  };
  const current = (): Promise<string | undefined> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  return {
    authenticate: async (authorization = '') => {
      const token = BEARER.exec(authorization.trim())?.[1] ?? '';
      // Everybody may send this call: it must not be what starts a database.
      if (!TOKEN.test(token) || !directoryOf(services).exists()) throw refused();
      const sha256 = createHash('sha256').update(token).digest('hex');
      const isFresh = known !== undefined && performance.now() - known.atMs < FRESH_MS;
      if ((isFresh && known?.sha256 === sha256) || (await current()) === sha256) return DIRECTORY;
      throw refused();
    },
  };
}

function refused(): RestError {
  const message = 'Send the SCIM token of the organisation as Authorization: Bearer; keys of the gateway are none';
  return new RestError('UNAUTHENTICATED', { message });
}
