/** The URL of a PostgreSQL, as every program of ours takes it. */
import { err, ok, type Result } from '../lib/result.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database?sslmode=verify-full`. */
  readonly url: string;
  /** Certificate authorities as PEM; absent: those of Node. */
  readonly ca?: string | undefined;
}

/** What a client needs to connect. */
export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  readonly ssl: false | { readonly rejectUnauthorized: boolean; readonly ca?: string };
}

const TLS_MODES = ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof TLS_MODES)[number];

/** Errors name the part of the URL, never its content. */
export function parsePostgresUrl({ url, ca }: PostgresOptions): Result<PostgresAddress, string> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    return err('expected postgres://USER:PASSWORD@HOST:PORT/DATABASE');
  }
  const { hostname, port, username, password, pathname, searchParams } = parsed;
  const unknown = [...searchParams.keys()].find((name) => name !== 'sslmode');
  if (unknown !== undefined) return err(`the parameter ${unknown} is not known; sslmode is the only one`);
  const mode = searchParams.get('sslmode') ?? (ca === undefined ? 'disable' : 'verify-full');
  if (!isTlsMode(mode)) return err(`sslmode: expected one of ${TLS_MODES.join(', ')}`);
  const [user, secret, database] = [username, password, pathname.slice(1)].map(decoded);
  if (hostname === '' || user === '' || user === undefined || secret === undefined || !database) {
    return err('needs a user, a host and a database, and percent-encoding that can be read');
  }
  return ok({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 5432 : Number(port),
    user,
    ...(secret === '' ? {} : { password: secret }),
    database,
    ssl: mode === 'disable' ? false : { rejectUnauthorized: mode !== 'no-verify', ...(ca === undefined ? {} : { ca }) },
  });
}

const isTlsMode = (mode: string): mode is TlsMode => TLS_MODES.some((known) => known === mode);

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
