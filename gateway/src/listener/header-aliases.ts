/** Requests that call the gateway's own headers by another prefix, and their answers; docs/behaviour/headers.md#other-prefixes. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors/index.ts';
import { aliasOf, OWN_PREFIX, type Spelling, spellHeaders, toOwnName } from '../lib/header-aliases.ts';

/** The part of a response, of HTTP/1.1 or HTTP/2, that all answers go through. */
interface HeadWriter {
  writeHead(status: number, headers?: OutgoingHttpHeaders): unknown;
}

/** Before routes and everything else that reads headers. Without aliases nothing is added to any request. */
export function acceptHeaderAliases(app: FastifyInstance, aliases: readonly string[]): void {
  if (aliases.length === 0) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { headers } = request.raw;
    const { used, sent, refusal } = renameHeaders(headers, aliases);
    writeAliases(reply.raw, { aliases, used });
    const [alias] = used;
    if (alias !== undefined && refusal === undefined) spellings.set(request.raw, { sent, headers, alias });
    done(refusal);
  });
}

/** Of requests that use an alias; read where an error names headers. */
const spellings = new WeakMap<object, Spelling>();

/** The text with the gateway's headers as the request has them; `message` is that of node's HTTP server. */
export function spelledFor(message: object, text: string): string {
  const spelling = spellings.get(message);
  return spelling === undefined ? text : spellHeaders(text, spelling);
}

export interface Renamed {
  /** The aliases in the request. */
  readonly used: ReadonlySet<string>;
  /** The names that were changed, by what they are now. */
  readonly sent: ReadonlyMap<string, string>;
  /** HEADER_INVALID when the request has a header under two names. */
  readonly refusal: AppError | undefined;
}

/** Gives headers with an alias the gateway's own prefix. */
export function renameHeaders(headers: Record<string, unknown>, aliases: readonly string[]): Renamed {
  const used = new Set<string>();
  const sent = new Map<string, string>();
  let refusal: AppError | undefined;
  for (const name of Object.keys(headers)) {
    const own = name.startsWith('x') ? toOwnName(name, aliases) : name;
    if (own === name) continue;
    const alias = aliasOf(name, aliases);
    if (alias !== undefined) used.add(alias);
    if (alias !== undefined && Object.hasOwn(headers, own)) {
      refusal ??= new AppError('HEADER_INVALID', {
        param: own,
        detail: `The request has ${own} under two names, one of them ${name}: send one of them`,
      });
    }
    sent.set(own, name);
    headers[own] = headers[name];
    delete headers[name];
  }
  return { used, sent, refusal };
}

export interface AnswerAliases {
  readonly aliases: readonly string[];
  /** Those of the request. */
  readonly used: ReadonlySet<string>;
}

/**
 * Lets an answer have the gateway's own headers again with the prefixes of the request, and no others with an alias: what a
 * provider sends under such a name is not the gateway's.
 */
export function writeAliases(response: HeadWriter, names: AnswerAliases): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (status, headers) => writeHead(status, headers && withAliases(headers, names));
}

const EXPOSED = 'access-control-expose-headers';

function withAliases(headers: OutgoingHttpHeaders, { aliases, used }: AnswerAliases): OutgoingHttpHeaders {
  const out: OutgoingHttpHeaders = {};
  for (const name in headers) {
    if (aliasOf(name, aliases) !== undefined) continue;
    out[name] = headers[name];
    if (!name.startsWith(OWN_PREFIX)) continue;
    for (const alias of used) out[alias + name.slice(OWN_PREFIX.length)] = headers[name];
  }
  const exposed = headers[EXPOSED];
  if (typeof exposed === 'string') out[EXPOSED] = withAliasedNames(exposed, used);
  return out;
}

/** A browser shows its page what the list names. */
function withAliasedNames(list: string, used: ReadonlySet<string>): string {
  const names = list.split(',').map((name) => name.trim());
  const own = names.filter((name) => name.toLowerCase().startsWith(OWN_PREFIX));
  const again = [...used].flatMap((alias) => own.map((name) => alias + name.slice(OWN_PREFIX.length)));
  return [...names, ...again].join(', ');
}
