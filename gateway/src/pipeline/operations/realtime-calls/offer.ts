/** An SDP offer and its session, whichever way they come: docs/behaviour/realtime.md#calls-over-webrtc. */
import { isUtf8 } from 'node:buffer';
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import { type JsonLimits, numbersIn, readJson, type ToldNumbers } from '../../../lib/json/index.ts';
import type { JsonObject, Upload } from '../../../wire/contract.ts';
import { FORM_LIMITS, readParts } from '../../../wire/form/index.ts';
import type { RequestBody } from '../../exchange.ts';

/** Of an offer; browsers write a few thousand. */
const MAX_SDP_BYTES = 64 * 1024;
/** Of a session in a form: instructions and tools. */
const MAX_SESSION_BYTES = 512 * 1024;
const LIMITS = {
  ...FORM_LIMITS,
  parts: 2,
  fieldBytes: MAX_SESSION_BYTES,
  totalBytes: MAX_SDP_BYTES + MAX_SESSION_BYTES + 4 * FORM_LIMITS.headerBytes,
};
const SDP = 'sdp';
const SESSION = 'session';
const SDP_TYPE = 'application/sdp';
/** Source: RFC 8866, section 5.1. */
const FIRST_LINE = /^v=0\r?\n/;

export interface Offer {
  /** `sdp`, and what else the call says. */
  readonly params: JsonObject;
  /** Of a form. */
  readonly numbers?: ToldNumbers | undefined;
}

/**
 * Rejects with CONTENT_TYPE_INVALID, BODY_TOO_LARGE, BODY_NOT_FORM, BODY_TOO_COMPLEX and
 * PARAMETER_INVALID.
 */
export async function readOffer(body: RequestBody, json: JsonLimits): Promise<Offer> {
  const offer = await partsOf(body, json);
  const { sdp } = offer.params;
  if (typeof sdp !== 'string' || !FIRST_LINE.test(sdp)) {
    throw invalid(SDP, 'sdp must be an SDP offer, which begins with the line v=0');
  }
  if (Buffer.byteLength(sdp) > MAX_SDP_BYTES) throw tooLarge(SDP, MAX_SDP_BYTES);
  return offer;
}

async function partsOf(body: RequestBody, json: JsonLimits): Promise<Offer> {
  switch (body.kind) {
    case 'json':
      return { params: onlyKnown(body.value) };
    case 'form':
      return await ofForm(body, json);
    case 'binary':
      if (mediaTypeOf(body) === SDP_TYPE)
        return { params: { sdp: await textOf(body.source.open(), MAX_SDP_BYTES, SDP) } };
      throw otherType(mediaTypeOf(body));
    case 'none':
      throw otherType('');
  }
}

/** Nothing else is sent on, and so nothing else may seem to be. */
function onlyKnown(value: JsonObject): JsonObject {
  const other = Object.keys(value).find((name) => name !== SDP && name !== SESSION && name !== 'model');
  if (other === undefined) return value;
  throw invalid(other.slice(0, 64), 'A call has sdp and session, and nothing else');
}

type Form = Extract<Upload, { kind: 'form' }>;

async function ofForm({ source, boundary }: Form, json: JsonLimits): Promise<Offer> {
  const found = new Map<string, string>();
  for await (const part of readParts(source.open(), boundary, LIMITS)) {
    const { name } = part.head;
    if (name !== SDP && name !== SESSION)
      throw invalid(name.slice(0, 64), 'The form of a call has sdp and session, and nothing else');
    if (found.has(name)) throw invalid(name, `${name} is in the form twice`);
    const maxBytes = name === SDP ? MAX_SDP_BYTES : MAX_SESSION_BYTES;
    found.set(name, await textOf(part.kind === 'field' ? [part.value] : part.content, maxBytes, name));
  }
  const sdp = found.get(SDP);
  const session = found.get(SESSION);
  if (session === undefined) return { params: { sdp } };
  const numbers = numbersIn(Buffer.from(session));
  return { params: { sdp, session: sessionOf(session, json) }, numbers: numbers && new Map([[SESSION, numbers]]) };
}

function sessionOf(text: string, json: JsonLimits): JsonObject {
  try {
    const value = readJson(text, json, { repeated: false });
    if (isObject(value)) return value;
  } catch {
    // what the parser says quotes the text
  }
  throw invalid(SESSION, 'session must be a JSON object, within the limits of JSON bodies and with each name once');
}

async function textOf(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  maxBytes: number,
  param: string,
): Promise<string> {
  const kept: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(param, maxBytes);
    kept.push(piece);
  }
  const bytes = Buffer.concat(kept, length);
  if (!isUtf8(bytes)) throw invalid(param, `${param} must be text in UTF-8`);
  return bytes.toString('utf8');
}

const mediaTypeOf = ({ contentType = '' }: Pick<Upload, 'contentType'>): string =>
  contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';

const otherType = (type: string): AppError =>
  new AppError('CONTENT_TYPE_INVALID', {
    param: 'content-type',
    detail: `Invalid content type passed: ${type === '' ? 'none' : type.slice(0, 64)}; a call takes ${SDP_TYPE}, multipart/form-data with sdp and session, or application/json`,
  });

const tooLarge = (param: string, maxBytes: number): AppError =>
  new AppError('BODY_TOO_LARGE', { param, detail: `${param} has more than ${maxBytes} bytes` });

const invalid = (param: string, detail: string): AppError => new AppError('PARAMETER_INVALID', { param, detail });
