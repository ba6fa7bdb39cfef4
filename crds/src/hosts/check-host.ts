import { isIP } from 'node:net'; // pure
import { err, ok, type Result } from '../lib/result.ts';
import { isMetadata, parseAddress } from './address.ts';
import { BLOCKED_PORTS } from './lists.ts';
import { HOST_NAME, isForbiddenHost, isInNamespaces } from './names.ts';

/** Where a connection goes. An IPv6 host has no brackets. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** Namespaces that contain only the installation itself. */
export type OwnNamespaces = readonly string[];

/** Longest custom host in characters. */
export const MAX_HOST_TEXT = 2048;
/** Labels of a host name. */
const MAX_LABELS = 10;
const AUTHORITY = /^https?:\/\/([^/?#]*)/i;
const NAME_AND_PORT = /^([a-z0-9.-]+)(?::\d*)?$/;
const IPV6_AND_PORT = /^\[[0-9a-f:.]+\](?::\d*)?$/;

/**
 * Checks the base URL of a provider against what no setting can allow: docs/behaviour/hosts.md. Returns the parsed URL, or why
 * it is refused.
 */
export function checkBaseUrl(text: string, ownNamespaces: OwnNamespaces): Result<URL, string> {
  const url = readBaseUrl(text);
  if (!url.ok) return url;
  const problem = forbiddenProblem(destinationOf(url.value), ownNamespaces);
  return problem === undefined ? url : err(problem);
}

/** Parses a URL whose text has one unambiguous host; returns why it is refused otherwise. */
export function readBaseUrl(text: string): Result<URL, string> {
  const trimmed = text.trim();
  const problem = textProblem(trimmed);
  if (problem !== undefined) return err(problem);
  const url = parseStrictly(trimmed);
  return url === undefined ? err('it is not a plain http or https URL with an ordinary host') : ok(url);
}

/** Why a destination is refused for everyone; undefined where that depends on the source of the URL. */
export function forbiddenProblem({ host, port }: Destination, ownNamespaces: OwnNamespaces): string | undefined {
  if (port < 1 || port > 65_535 || BLOCKED_PORTS.has(port)) return `port ${port} is not allowed`;
  if (isIP(host) === 0) return forbiddenName({ host, port }, ownNamespaces);
  const address = parseAddress(host);
  return address !== undefined && isMetadata(address) ? 'it is a cloud metadata address' : undefined;
}

function forbiddenName({ host, port }: Destination, ownNamespaces: OwnNamespaces): string | undefined {
  if (host.split('.').length > MAX_LABELS) return `the host has more than ${MAX_LABELS} labels`;
  if (!HOST_NAME.test(host)) return 'the host has characters that are not allowed';
  if (isForbiddenHost(host)) return 'it names a metadata service or the Kubernetes API';
  return isInNamespaces(host, port, ownNamespaces) ? 'it belongs to Gatehouse itself' : undefined;
}

function textProblem(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text.length > MAX_HOST_TEXT) return `it is longer than ${MAX_HOST_TEXT} characters`;
  // URL parsers drop control characters and read a backslash as a slash: the checked text would differ from the used one.
  if (/[\p{Cc}@\\]/u.test(text)) return 'it has characters that are not allowed';
  return undefined;
}

/**
 * The URL, if its host is spelled the way the parser understands it. The parser turns `0x7f.1`, `2130706433`, `１２７.0.0.1`
 * and `%31` into an ordinary address; comparing its result with the text refuses them all.
 */
function parseStrictly(text: string): URL | undefined {
  const authority = AUTHORITY.exec(text)?.[1]?.toLowerCase() ?? '';
  const url = URL.parse(text);
  if (url === null) return undefined;
  if (IPV6_AND_PORT.test(authority)) return url;
  return NAME_AND_PORT.exec(authority)?.[1] === url.hostname ? url : undefined;
}

/** The destination of a base URL. */
export function destinationOf(url: URL): Destination {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const standard = url.protocol === 'https:' ? 443 : 80;
  return { host, port: url.port === '' ? standard : Number(url.port) };
}
