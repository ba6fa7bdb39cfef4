/** Signing in, sessions, and who is calling with one. docs/behaviour/sign-in.md */

import type { UserRow } from '@gatehouse/crds/records';
import type { Database } from '../database/index.ts';
import { cookieIn, cookiesOf } from './cookies.ts';
import { createSeal } from './pending.ts';
import { findPerson } from './person.ts';
import { createProvider, type Provider, ProviderAway, type SignedIn, SignInRefused } from './provider.ts';
import { beginSession, endSession, type FoundSession, findSession, hashOf, isSessionId } from './sessions.ts';
import type { SignInSettings } from './settings.ts';

export interface Led {
  readonly location: string;
  readonly setCookie: string[];
}

export interface Begun extends Led {
  readonly user: UserRow;
}

export interface SignIn {
  /** The origin of pages that may write with a session. */
  readonly origin: string;
  /** To the provider. Throws ProviderAway. */
  begin(returnTo: string): Promise<Led>;
  /**
   * From the provider, with a session. Throws ProviderAway and SignInRefused; `noteSubject` is told who it is before an account is
   * looked for.
   */
  finish(parameters: URLSearchParams, cookie: string | undefined, noteSubject: (who: SignedIn) => void): Promise<Begun>;
  /** The hash of the session that a request names. */
  sessionIn(cookie: string | undefined): string | undefined;
  /** Whether the session was found a moment ago. */
  isFresh(idHash: string): boolean;
  find(idHash: string): Promise<FoundSession | undefined>;
  /** Ends the session, if there is one. Gives the cookie that takes it away. */
  end(cookie: string | undefined): Promise<string>;
  /** A path below the origin; undefined: it leads elsewhere. */
  pathOf(returnTo: string | undefined): string | undefined;
}

export interface SignInOptions {
  readonly settings: SignInSettings;
  readonly database: Database;
  now(): number;
  /** Told each time that the provider gives no answer. */
  onAway(error: unknown): void;
}

/** From leaving to coming back, in ms. */
const PENDING_MS = 600_000;
const FRESH_MS = 60_000;
const MAX_FRESH = 10_000;

/** Asks nothing yet. */
export function createSignIn({ settings, database, now, onAway }: SignInOptions): SignIn {
  const { publicUrl, sessionMs, idleMs } = settings;
  const provider = reporting(createProvider(settings, now), onAway);
  const seal = createSeal(settings.clientSecret);
  const cookies = cookiesOf(publicUrl);
  const fresh = new Map<string, number>();
  const sessionIn = (cookie: string | undefined): string | undefined => {
    const id = cookieIn(cookie, cookies.session);
    return id !== undefined && isSessionId(id) ? hashOf(id) : undefined;
  };
  const remember = (idHash: string): void => {
    fresh.delete(idHash);
    fresh.set(idHash, now() + FRESH_MS);
    const [oldest] = fresh.size > MAX_FRESH ? fresh.keys() : [];
    if (oldest !== undefined) fresh.delete(oldest);
  };
  return {
    origin: publicUrl.origin,
    begin: async (returnTo) => {
      const checks = await provider.newChecks();
      const location = await provider.authorizationUrl(checks);
      const sealed = seal.seal({ ...checks, returnTo, endsMs: now() + PENDING_MS });
      return { location, setCookie: [cookies.set(cookies.login, sealed, PENDING_MS)] };
    },
    finish: async (parameters, cookie, noteSubject) => {
      const pending = seal.open(cookieIn(cookie, cookies.login), now());
      if (pending === undefined) throw new SignInRefused('No sign-in is under way in this browser; begin again', false);
      const { returnTo, state, nonce, verifier } = pending;
      const who = await provider.exchange(parameters, { state, nonce, verifier });
      noteSubject(who);
      // Everybody whom the provider knows gets here: that must not be what starts a database.
      if (!database.exists()) throw noAccount();
      const isVerified = who.isVerified || settings.trustsEmails;
      const before = sessionIn(cookie);
      const begun = await database.use((queries) =>
        queries.transaction().execute(async (transaction) => {
          const user = await findPerson(transaction, { ...who, isVerified }, now());
          if (user === undefined || !user.active) return undefined;
          if (before !== undefined) await endSession(transaction, before);
          return { user, id: await beginSession(transaction, { userId: user.id, nowMs: now(), sessionMs }) };
        }),
      );
      if (begun === undefined) throw noAccount();
      const setCookie = [cookies.set(cookies.session, begun.id, sessionMs), cookies.set(cookies.login, '', 0)];
      return { location: returnTo, setCookie, user: begun.user };
    },
    sessionIn,
    isFresh: (idHash) => (fresh.get(idHash) ?? 0) > now(),
    find: async (idHash) => {
      if (!database.exists()) return undefined; // no session has ever begun
      const found = await database.use((queries) => findSession(queries, { idHash, nowMs: now(), idleMs }));
      if (found === undefined) fresh.delete(idHash);
      else remember(idHash);
      return found;
    },
    end: async (cookie) => {
      const idHash = sessionIn(cookie);
      if (idHash !== undefined && database.exists()) {
        fresh.delete(idHash);
        await database.use((queries) => endSession(queries, idHash));
      }
      return cookies.set(cookies.session, '', 0);
    },
    pathOf: (returnTo = '/') => pathBelow(returnTo, publicUrl),
  };
}

const noAccount = (): SignInRefused =>
  new SignInRefused('The person has no account here, or it is suspended; ask for an invitation', true);

/** Browsers read a backslash as a slash, and two slashes as the beginning of a host. */
function pathBelow(returnTo: string, home: URL): string | undefined {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(returnTo) || returnTo.includes('\\')) return undefined;
  const url = URL.parse(returnTo, home);
  // Without its dots, /a/..//host begins with two slashes, too.
  if (url?.origin !== home.origin || url.pathname.startsWith('//')) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}

function reporting(provider: Provider, onAway: (error: unknown) => void): Provider {
  const reported = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ProviderAway) onAway(error);
      throw error;
    }
  };
  return {
    newChecks: () => provider.newChecks(),
    authorizationUrl: (checks) => reported(provider.authorizationUrl(checks)),
    exchange: (parameters, checks) => reported(provider.exchange(parameters, checks)),
  };
}
