/** Cookies of browsers (RFC 6265bis). */
import { SESSION_COOKIES } from '@gatehouse/crds/rest';
import { isLoopbackUrl } from './settings.ts';

const MAX_HEADER = 16_384;

/** The value of a cookie; the first one where there are several. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > MAX_HEADER) return undefined;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

export interface Cookies {
  readonly session: string;
  /** Of a sign-in that is under way. */
  readonly login: string;
  /** `Set-Cookie`; an age of 0 takes the cookie away. */
  set(name: string, value: string, maxAgeMs: number): string;
}

/** `__Host-` makes browsers refuse the cookie from anybody but this host over TLS; on this machine there is no TLS. */
export function cookiesOf(publicUrl: URL): Cookies {
  const isPlain = isLoopbackUrl(publicUrl);
  const flags = `Path=/; HttpOnly; SameSite=Lax${isPlain ? '' : '; Secure'}`;
  return {
    session: isPlain ? SESSION_COOKIES.loopback : SESSION_COOKIES.secure,
    login: isPlain ? 'gatehouse-login' : '__Host-gatehouse-login',
    set: (name, value, maxAgeMs) => `${name}=${value}; Max-Age=${Math.floor(maxAgeMs / 1_000)}; ${flags}`,
  };
}
