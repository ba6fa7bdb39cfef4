/** The URL of a ClickHouse, as every program of ours takes it. */
import { err, ok, type Result } from '../lib/result.ts';

/** What a client needs to connect. */
export interface ClickHouseAddress {
  /** Scheme, host and port. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

/** `https://USER:PASSWORD@HOST:8443`. Errors name the part of the URL, never its content. */
export function parseClickHouseUrl(text: string): Result<ClickHouseAddress, string> {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return err('expected https://USER:PASSWORD@HOST:PORT');
  if (parsed.pathname !== '/' || parsed.search !== '' || parsed.hash !== '')
    return err('has a path, a query or a fragment: the tables are in a database of their own');
  const [username, password] = [parsed.username, parsed.password].map(decoded);
  if (username === undefined || password === undefined) return err('has percent-encoding that cannot be read');
  return ok({ url: parsed.origin, username: username === '' ? 'default' : username, password });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
