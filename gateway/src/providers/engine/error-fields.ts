import { hash } from 'node:crypto';
import { AppError } from '../../errors/index.ts';
import { readJson } from '../../lib/json/index.ts';
import { readErrorShape, withProviderPrefix } from '../../wire/openai/index.ts';
import type { AnswerHead, Call, ErrorFields, Provider } from '../contract.ts';

/** Longest upstream text that is repeated to the client, in characters. */
const MAX_QUOTED_CHARS = 8192;
/** Hex digits of a hash that are shown. */
const HASH_DIGITS = 16;

/** The body of the error normal form: docs/behaviour/errors.md. */
export interface ProviderErrorBody {
  readonly error: ErrorFields;
  readonly provider: string;
}

/** The fields of an upstream error: by the provider's own reader, else by every known shape, else the text as it is. */
export function readErrorFields(provider: Provider, head: AnswerHead, bytes: Buffer): ErrorFields {
  const body = bodyOf(bytes);
  const own = provider.readError?.(body, head);
  if (own !== undefined) return withProviderPrefix(provider.id, own);
  const byShape = readErrorShape(body) ?? plainText(body);
  if (byShape === undefined) return invalidAnswer(provider.id, bytes);
  const type = byShape.type ?? awsErrorType(head);
  return withProviderPrefix(provider.id, { ...byShape, type });
}

/**
 * The fields for an answer of no known shape. It may hold anything, so that only its length and hash are shown, by which two
 * can be compared.
 */
export function invalidAnswer(providerId: string, bytes: Buffer): ErrorFields {
  const facts = `${bytes.length} bytes, SHA-256 ${hash('sha256', bytes).slice(0, HASH_DIGITS)}`;
  return { message: invalidText(providerId, ` (${facts})`), type: null, param: null, code: null };
}

/** A good answer that cannot be used; `problem` quotes nothing of it. */
export const invalidResponse = ({ provider }: Pick<Call, 'provider'>, problem: string): AppError =>
  new AppError('UPSTREAM_INVALID_RESPONSE', { provider, detail: invalidText(provider, `: ${problem}`) });

const invalidText = (providerId: string, what: string): string => `Invalid response received from ${providerId}${what}`;

/** The error normal form. */
export function providerErrorBody(providerId: string, fields: ErrorFields): ProviderErrorBody {
  return { error: fields, provider: providerId };
}

/** The JSON value, or the text when it is not JSON. */
function bodyOf(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

/** Texts and HTML pages of proxies and load balancers. */
function plainText(body: unknown): ErrorFields | undefined {
  if (typeof body !== 'string' || body.trim() === '') return undefined;
  return { message: quoted(body.trim()), type: null, param: null, code: null };
}

const quoted = (text: string): string => text.slice(0, MAX_QUOTED_CHARS);

/** `ValidationException:http://…` in a header, where the body has no type. */
function awsErrorType(head: AnswerHead): string | null {
  const header = head.headers['x-amzn-errortype'];
  return typeof header === 'string' ? (header.split(':')[0] ?? null) : null;
}
