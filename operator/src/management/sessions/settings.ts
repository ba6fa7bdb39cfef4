/** How people sign in: the identity provider, and where browsers reach the gateway. */
import { err, ok, type Result } from '@gatehouse/crds';

export interface SignInSettings {
  /** Of the identity provider; its metadata is below it (OpenID Connect Discovery 1.0). */
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where browsers reach the gateway; its path is `/`. */
  readonly publicUrl: URL;
  /** The provider verifies all its addresses, and says so of none. */
  readonly trustsEmails: boolean;
  /** From the sign-in to the end of a session, in ms. */
  readonly sessionMs: number;
  /** How long a session lasts without a call, in ms. */
  readonly idleMs: number;
}

/** What the process was given; undefined: nothing. */
export interface GivenSignIn {
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly publicUrl: string | undefined;
  readonly trustsEmails: boolean;
  readonly sessionHours: number;
  readonly idleMinutes: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MAX_TEXT = 2_048;
/** A key is made of it. */
const MIN_SECRET = 16;

/** Undefined where no issuer is named. Errors name the setting, never its value. */
export function parseSignIn(given: GivenSignIn): Result<SignInSettings | undefined, string> {
  const { issuer: named, clientId, clientSecret, publicUrl: home } = given;
  if (named === undefined) return ok(undefined);
  const issuer = URL.parse(named);
  if (issuer === null || named.length > MAX_TEXT || !isReachable(issuer) || issuer.search !== '' || hasUser(issuer)) {
    return err('the issuer must be an https URL without query, or http to a Service of the cluster or to this machine');
  }
  if (!clientId || clientId.length > MAX_TEXT) return err('the client id is missing, or too long');
  if (clientSecret === undefined || clientSecret.length < MIN_SECRET) {
    return err(`the client secret is missing, or shorter than ${MIN_SECRET} characters`);
  }
  const publicUrl = home === undefined ? null : URL.parse(home);
  const isHome = publicUrl !== null && publicUrl.pathname === '/' && publicUrl.search === '' && !hasUser(publicUrl);
  if (!isHome || !(publicUrl.protocol === 'https:' || isLoopbackUrl(publicUrl))) {
    return err('the public URL must be https://HOST[:PORT], or http to this machine');
  }
  return ok({
    ...{ issuer, clientId, clientSecret, publicUrl, trustsEmails: given.trustsEmails },
    sessionMs: given.sessionHours * HOUR_MS,
    idleMs: given.idleMinutes * MINUTE_MS,
  });
}

const hasUser = ({ username, password, hash }: URL): boolean => username !== '' || password !== '' || hash !== '';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const SERVICE = /^[a-z0-9.-]+\.svc(\.[a-z0-9.-]+)?$/;

export const isLoopbackUrl = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && LOOPBACK.test(hostname);

/** As the keys of issuers of tokens: TLS, or plain HTTP inside the cluster or the machine. docs/behaviour/identity.md */
export const isReachable = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && (LOOPBACK.test(hostname) || SERVICE.test(hostname)));
