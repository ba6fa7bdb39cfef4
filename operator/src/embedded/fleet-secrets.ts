/** Entries of Secrets: passwords as their servers read them, and URLs as fleets do. */
import type { SecretObject } from '../world/index.ts';
import type { EmbeddedServer, EmbeddedUrl } from './servers.ts';

const EMBEDDED = 'embedded';

const encode = (text: string): string => Buffer.from(text).toString('base64');
const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8');

/** The passwords that there are, by their entry. */
export function passwordsOf({ data }: Pick<SecretObject, 'data'>, server: EmbeddedServer): ReadonlyMap<string, string> {
  return new Map(
    server.passwords.flatMap((key) => {
      const encoded = data?.[key];
      return encoded ? [[key, decode(encoded)] as const] : [];
    }),
  );
}

export const encodePasswords = (passwords: ReadonlyMap<string, string>): NonNullable<SecretObject['data']> =>
  Object.fromEntries([...passwords].map(([key, password]) => [key, encode(password)]));

/** Whether the operator writes the URLs of a Secret. */
export const isFilled = ({ metadata }: SecretObject, { label }: EmbeddedServer): boolean =>
  metadata.labels?.[label] === EMBEDDED;

/** Entries to write so that the URL under a key is this one; undefined when it is. */
export function urlChange(
  { data }: Pick<SecretObject, 'data'>,
  key: string,
  url: string,
): NonNullable<SecretObject['data']> | undefined {
  const wanted = encode(url);
  return data?.[key] === wanted ? undefined : { [key]: wanted };
}

/** The password of a URL that was written before: the server may still run with it. */
export function passwordInUrl(
  { data }: Pick<SecretObject, 'data'>,
  key: string,
  { urlOf }: EmbeddedUrl,
): string | undefined {
  const url = URL.parse(decode(data?.[key] ?? ''));
  const { protocol } = new URL(urlOf('namespace', 'password'));
  return url?.protocol === protocol && url.password !== '' ? decodeURIComponent(url.password) : undefined;
}
