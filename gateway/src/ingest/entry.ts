/** A call that a client tells of, whichever way it came: docs/behaviour/request-logs.md#records-of-clients. */
import type { ManagedProvider } from '../snapshot/index.ts';
import type { TokenUsage } from '../usage/index.ts';

export interface Entry {
  /** What tells it from others of the workspace: sent again it has the same. Undefined: nothing does. */
  readonly identity: string | undefined;
  /** Undefined: one is made. */
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly parentSpanId: string | undefined;
  readonly spanName: string | undefined;
  /** Unix time in ms, within the bounds of the log. */
  readonly startedAtMs: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Id of a provider, or another name; undefined: it names none. */
  readonly provider: string | undefined;
  /** Undefined: it names none of the workspace. */
  readonly account: ManagedProvider | undefined;
  readonly model: string | undefined;
  /** Undefined: the answer tells. */
  readonly answeredModel?: string | undefined;
  readonly request: SentPart & { readonly method: string; readonly url: string };
  readonly response: SentPart & { readonly status: number; readonly isStream: boolean; readonly responseMs: number };
  /** Id of the operation; undefined: the path of the URL tells. */
  readonly operation?: string | undefined;
  /** Whom the call was made for. */
  readonly user: string | undefined;
  /** `unread`: the answer tells; undefined: nothing counts. */
  readonly usage: TokenUsage | 'unread' | undefined;
  /** In nano-dollars; undefined: what the usage costs. */
  readonly costNano: number | undefined;
}

export interface SentPart {
  /** Lower-case names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined: none was told. */
  readonly body: Buffer | undefined;
}

/**
 * An entry for each value: what takes credentials out of bodies looks for each of them, not for a list.
 * A value that is no text is shown as one.
 */
export const headerEntries = (name: string, values: readonly unknown[]): SentPart['headers'] =>
  values.map((value) => [name.trim().toLowerCase(), String(value)] as const);

/** Headers by their names, with their values in the order in which they were told. */
export function headersByName(entries: SentPart['headers']): Record<string, string> {
  const out: Record<string, string> = Object.create(null); // names come from clients
  for (const [name, value] of entries) out[name] = name in out ? `${out[name]}, ${value}` : value;
  return out;
}

export const NANO_PER_CENT = 10_000_000;
/** $200 in nano-dollars, of one call: the sums of an hour stay within 63 bits at 10,000 rows in a second. */
export const MAX_COST_NANO = 200_000_000_000;

/** What calls are read with. */
export interface EntryContext {
  readonly nowMs: number;
  /** Unix time in ms. */
  readonly oldestMs: number;
  /** Unix time in ms. */
  readonly newestMs: number;
  /** By its slug, of the workspace of the caller. */
  account(slug: string): ManagedProvider | undefined;
}

/** A URL, or a path with or without a host, without user, password, query and fragment: all of them may be credentials. Empty: it is no URL. */
export function plainUrl(url: string): string {
  const text = url.trim();
  if (!/^(?:https?:|(?:[a-z][a-z0-9+.-]*:)?[\\/]{2})/i.test(text)) return plainPath(text);
  const hasScheme = !/^[\\/]/.test(text);
  const whole = hasScheme ? text : `https:${text}`;
  if (!URL.canParse(whole)) return '';
  const { protocol, host, pathname } = new URL(whole);
  return host === '' ? plainPath(text) : `${hasScheme ? protocol : ''}//${host}${pathname}`;
}

const plainPath = (text: string): string => withoutUser(text).replace(/[?#].*$/s, '');

/** Of a text without a scheme, whose host may stand behind a user. A password may hold what ends a host elsewhere. */
function withoutUser(text: string): string {
  const [authority = ''] = /^[^/\\?#]*/.exec(text) ?? [];
  const hasPassword = authority.includes(':') && !/:\d{1,5}$/.test(authority);
  return text.slice((hasPassword ? text : authority).lastIndexOf('@') + 1);
}
