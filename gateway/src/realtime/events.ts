/** What the gateway reads of the events of a provider. Source: OpenAI, realtime API reference, server events. */
import { isObject } from '@gatehouse/crds';
import { readJson } from '../lib/json/index.ts';
import { readReport, type TokenUsage } from '../usage/index.ts';

/** Events that are recorded. */
const RECORDED = ['session.created', 'session.updated', 'conversation.created', 'response.done', 'error'] as const;
/** Also looked at: a response is on its way. */
const BEGINS = 'response.created';

export type RecordedType = (typeof RECORDED)[number];

export interface ServerEvent {
  readonly type: RecordedType | typeof BEGINS;
  /** The model of the session, where the event says. */
  readonly model: string | undefined;
  /** Of a response. */
  readonly usage: TokenUsage | undefined;
}

const TYPES = ([...RECORDED, BEGINS] as const).map((type) => ({ type, quoted: Buffer.from(`"${type}"`) }));
/** The first members of an event, of which one is its type. */
const HEAD_BYTES = 512;
const TYPE = /^\s*\{\s*(?:"event_id"\s*:\s*"[^"\\]*"\s*,\s*)?"type"\s*:\s*"([^"\\]*)"/;
/** Longest event of a session that is parsed, in bytes: its instructions and tools are in it. */
const MAX_SESSION_BYTES = 1024 * 1024;

/** Undefined: nothing is done about the event. Most events are audio, so that only the start of them is read. */
export function readServerEvent(bytes: Buffer): ServerEvent | undefined {
  const head = TYPE.exec(bytes.toString('latin1', 0, HEAD_BYTES))?.[1];
  const type = head === undefined ? parsedType(bytes) : TYPES.find((known) => known.type === head)?.type;
  if (type === undefined) return undefined;
  if (type === 'response.done') return { type, model: undefined, usage: readReport(bytes).usage };
  return { type, model: type.startsWith('session.') ? sessionModel(bytes) : undefined, usage: undefined };
}

/** Where other members come first. */
function parsedType(bytes: Buffer): ServerEvent['type'] | undefined {
  if (!TYPES.some(({ quoted }) => bytes.includes(quoted))) return undefined;
  const event = parse(bytes);
  return TYPES.find(({ type }) => type === event?.['type'])?.type;
}

function sessionModel(bytes: Buffer): string | undefined {
  const session = bytes.length > MAX_SESSION_BYTES ? undefined : parse(bytes)?.['session'];
  const model = isObject(session) ? session['model'] : undefined;
  return typeof model === 'string' && model.length <= 256 ? model : undefined;
}

function parse(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const event = readJson(bytes);
    return isObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
