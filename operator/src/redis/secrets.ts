/** The two kinds of Secrets: the one that Redis reads, and those that fleets read. */
import type { SecretObject } from '../world/index.ts';

/** In the operator's namespace; Redis starts when it has the entry. */
export const REDIS_PASSWORD_SECRET = 'gatehouse-redis-password';
export const PASSWORD_KEY = 'password';

/** Marks a Secret in a fleet's namespace whose URL the operator writes; Secrets without the label are left alone. */
export const FILLED_LABEL = 'gatehouse.dev/redis';
const EMBEDDED = 'embedded';

const SERVICE = 'gatehouse-redis';
/** Counters are never evicted; cached answers are in a server of their own, which may evict. */
const PORTS = { counters: 6379, cache: 6380 } as const;

/** What a fleet uses a server for. */
export type RedisPurpose = keyof typeof PORTS;

const encode = (text: string): string => Buffer.from(text).toString('base64');
const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8');

/** The password that Redis starts with. */
export function passwordOf({ data }: Pick<SecretObject, 'data'>): string | undefined {
  const encoded = data?.[PASSWORD_KEY];
  return encoded ? decode(encoded) : undefined;
}

export const withPassword = (password: string): SecretObject['data'] => ({ [PASSWORD_KEY]: encode(password) });

/** Whether the operator writes the URL of a Secret. */
export const isFilled = ({ metadata }: SecretObject): boolean => metadata.labels?.[FILLED_LABEL] === EMBEDDED;

/** Entries to write so that the URL under a key is that of the embedded Redis; undefined when it is. */
export function urlChange(
  { data }: Pick<SecretObject, 'data'>,
  key: string,
  {
    namespace,
    password,
    purpose,
  }: { readonly namespace: string; readonly password: string; readonly purpose: RedisPurpose },
): SecretObject['data'] | undefined {
  const host = `${SERVICE}.${namespace}.svc:${PORTS[purpose]}`;
  const wanted = encode(`redis://default:${encodeURIComponent(password)}@${host}`);
  return data?.[key] === wanted ? undefined : { [key]: wanted };
}

/** The password of a URL that was written before: Redis may still run with it. */
export function passwordInUrl({ data }: Pick<SecretObject, 'data'>, key: string): string | undefined {
  const url = URL.parse(decode(data?.[key] ?? ''));
  return url?.protocol === 'redis:' && url.password !== '' ? decodeURIComponent(url.password) : undefined;
}
