import { setImmediate as nextTurn } from 'node:timers/promises';
import { isObject, parseJson } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import {
  type JsonLimits,
  type JsonProblem,
  JsonScan,
  lazyObject,
  MAX_NAME_BYTES,
  MAX_NUMBER_BYTES,
} from '../../lib/json/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { findMistake, placeInText } from './json-mistake.ts';

/** The JSON object in the bytes. Throws BODY_NOT_JSON, BODY_NOT_OBJECT, BODY_TOO_COMPLEX or
 * BODY_NAME_REPEATED; the text is never quoted. */
export function parseBody(bytes: Buffer, limits: JsonLimits): JsonObject {
  const scan = new JsonScan(bytes, limits);
  scan.run(bytes.length);
  if (scan.problem !== undefined) throw refusal(scan.problem, { bytes, at: scan.at, limits });
  const value = parse(bytes, scan);
  if (!isObject(value)) throw new AppError('BODY_NOT_OBJECT');
  return value;
}

/** Bytes that are checked in one turn of the event loop. */
const SLICE_BYTES = 256 * 1024;
/** More members than any operation has parameters; a large body is large because of few members. */
const MAX_LAZY_MEMBERS = 512;

/**
 * As `parseBody`, without blocking the event loop: the bytes are checked in slices, and large members are parsed when they
 * are read. An invalid number or escape inside a member that is never read is left to the provider.
 */
export async function parseLargeBody(bytes: Buffer, limits: JsonLimits): Promise<JsonObject> {
  const scan = new JsonScan(bytes, limits, { paused: true, members: MAX_LAZY_MEMBERS });
  for (let until = SLICE_BYTES; !scan.run(until); until += SLICE_BYTES) await nextTurn();
  if (scan.problem !== undefined) throw refusal(scan.problem, { bytes, at: scan.at, limits });
  const { members, nameKind } = scan;
  if (members !== undefined && members.length > 0)
    return lazyObject(bytes, members, { broken: () => new AppError('BODY_NOT_JSON'), nameKind });
  const value = parse(bytes, scan);
  if (!isObject(value)) throw new AppError('BODY_NOT_OBJECT');
  return value;
}

interface ScannedText {
  readonly bytes: Buffer;
  /** Where the scan stopped. */
  readonly at: number;
  readonly limits: JsonLimits;
}

/** The error for a body that is not parsed. */
function refusal(problem: JsonProblem, { bytes, at, limits }: ScannedText): AppError {
  const { depth, nodes, stringBytes } = limits;
  const beyond = (limit: string): AppError => new AppError('BODY_TOO_COMPLEX', { detail: `The request body ${limit}` });
  switch (problem.kind) {
    case 'malformed':
      return notJson(bytes, at);
    case 'depth':
      return beyond(`is nested deeper than ${depth} levels (GATEHOUSE_MAX_JSON_DEPTH)`);
    case 'nodes':
      return beyond(`has more than ${nodes} values and member names (GATEHOUSE_MAX_JSON_NODES)`);
    case 'string':
      return beyond(
        `has a string of more than ${stringBytes} bytes (GATEHOUSE_MAX_JSON_STRING_BYTES), a member name of more than ${MAX_NAME_BYTES} or a number of more than ${MAX_NUMBER_BYTES}`,
      );
    case 'names':
      return new AppError('BODY_TOO_COMPLEX', { detail: 'The request body has too many member names that look alike' });
    case 'duplicate':
      return new AppError('BODY_NAME_REPEATED', {
        param: problem.name.slice(0, MAX_SHOWN_NAME),
        detail: 'An object in the request body has two members of the same name; keep one of them',
      });
  }
}

/** Characters of a repeated name that are shown. */
const MAX_SHOWN_NAME = 128;

function parse(bytes: Buffer, { nameKind }: JsonScan): unknown {
  const text = bytes.toString('utf8');
  try {
    return parseJson(text, nameKind);
  } catch {
    const at = findMistake(text);
    throw at === undefined ? new AppError('BODY_NOT_JSON') : notJson(bytes, Buffer.byteLength(text.slice(0, at)));
  }
}

/** Where the text stops being JSON; nothing of it is quoted. */
function notJson(bytes: Buffer, at: number): AppError {
  if (bytes.length === 0)
    return new AppError('BODY_NOT_JSON', { detail: 'The request body is empty; send a JSON object' });
  const what = at >= bytes.length ? 'it ends too early' : 'this is not expected';
  return new AppError('BODY_NOT_JSON', {
    detail: `The request body is not valid JSON at ${placeInText(bytes, at)}: ${what}`,
  });
}
