import { err, ok, type Result } from '@gatehouse/crds';
import { Secret } from '../../lib/secret.ts';
import type { RedisSettings } from './connection.ts';

/** Settings read from a URL; `nodes` has one entry. */
export type RedisUrl = Pick<RedisSettings, 'nodes' | 'username' | 'password' | 'database' | 'tls'>;

const DEFAULT_PORT = 6379;

/** Reads `redis://[user[:password]@]host[:port][/database]`, or `rediss://` for TLS. The error never quotes the text. */
export function parseRedisUrl(text: string): Result<RedisUrl, string> {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'redis:' && url.protocol !== 'rediss:')) {
    return err('it is not a redis:// or rediss:// URL');
  }
  const database = /^\/?(\d{0,4})$/.exec(url.pathname)?.[1];
  const username = decoded(url.username);
  const password = decoded(url.password);
  if (url.hostname === '' || database === undefined || username === undefined || password === undefined) {
    return err('its host, database number or user is malformed');
  }
  return ok({
    nodes: [{ host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || DEFAULT_PORT) }],
    username: username || undefined,
    password: password === '' ? undefined : new Secret(password),
    database: Number(database),
    tls: url.protocol === 'rediss:' ? {} : undefined,
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
