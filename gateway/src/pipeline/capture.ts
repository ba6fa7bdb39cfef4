/** Headers and bodies for the request log and for spans: docs/behaviour/request-logs.md#documents, docs/behaviour/tracing.md#content. */
import { type Assembler, createAssembler, type StreamProtocol } from '../cache/index.ts';
import type { ByteAccount } from '../lib/byte-budget.ts';
import { opensRealtimeSession } from '../providers/engine/index.ts';
import { type BodiesKept, Capture, isGood, type KeptBody } from '../record/index.ts';
import type { Answer, CacheWriter, Caller, Exchange, HeaderMap, RequestBody, TraceContext } from './exchange.ts';

export interface CapturePorts {
  /** Of each body that is kept. */
  readonly maxBodyBytes: number;
  /** Whether there is a log to keep them now. */
  keepsBodies(): boolean;
  /** Whether spans of the trace show them, which is for whole ones only. */
  showsBodies(trace: TraceContext): boolean;
  /** An account until the end of the request. */
  openMemory(): ByteAccount;
}

/** Undefined: nothing but rows is kept of the request. */
export function openCapture(
  ports: CapturePorts | undefined,
  exchange: Pick<Exchange, 'operation' | 'request' | 'atEnd' | 'snapshot' | 'trace'>,
  caller: Caller,
): Capture | undefined {
  if (ports === undefined || exchange.operation.answersSecret === true) return undefined;
  const isLogged = ports.keepsBodies();
  if (!isLogged && !ports.showsBodies(exchange.trace)) return undefined;
  const kept = bodiesKept(exchange, caller);
  if (kept === 'none' || (kept !== 'all' && !isLogged)) return undefined;
  const isSealed = hasSecrets(exchange);
  if (isSealed && !isLogged) return undefined;
  const { maxBodyBytes, openMemory } = ports;
  const memory = openMemory();
  exchange.atEnd(() => memory.close());
  const capture = new Capture({ kept, maxBytes: maxBodyBytes, memory });
  if (isSealed) capture.seal();
  return capture;
}

/** Whether bodies of the call have secrets of the client or, by its path, of the provider. */
const hasSecrets = ({ operation, request }: Pick<Exchange, 'operation' | 'request'>): boolean =>
  operation.takesSecret === true || (operation.handler.endpoint === 'proxy' && opensRealtimeSession(request.path));

/** What the organisation enforces; else what the workspace says or the organisation, and the request where that is not none. */
export function bodiesKept(
  { request, snapshot: { organisation } }: Pick<Exchange, 'request' | 'snapshot'>,
  { workspace }: Caller,
): BodiesKept | 'none' {
  const { bodies = 'all', enforced } = organisation.logging ?? {};
  if (enforced === true) return bodies;
  const said = workspace.logging?.bodies ?? bodies;
  if (said === 'none') return said;
  const debug = request.header('x-gw-debug')?.trim().toLowerCase();
  if (debug === 'false') return 'failed';
  return debug === 'true' ? 'all' : said;
}

/** Forms and other uploads are not kept. */
export function captureRequest(captured: Capture | undefined, body: RequestBody): void {
  if (captured?.isWhole === true && body.kind === 'json') captured.request = captured.keep(body.bytes, body.isParsed);
}

/** The answer, of which its client's bytes are kept. */
export function captureAnswer(answer: Answer, { operation }: Pick<Exchange, 'operation'>): Answer {
  const { status, headers, body, store, facts } = answer;
  const { captured } = facts;
  if (captured === undefined || (!captured.isWhole && isGood(status))) return answer;
  const tape = captured.isSealed ? undefined : tapeFor(captured, headers, operation);
  captured.answer = {
    headers,
    get body() {
      return tape?.body;
    },
  };
  if (tape === undefined) return answer;
  if (body.kind === 'stream') return { ...answer, store: both(tape, store) };
  tape.push(body.bytes);
  return answer;
}

/** Undefined: the answer is no text. */
function tapeFor(captured: Capture, headers: HeaderMap, operation: Exchange['operation']): BodyTape | undefined {
  const type = String(headers['content-type'] ?? '').toLowerCase();
  if (!TEXTS.test(type)) return undefined;
  if (!EVENTS.test(type)) return captured.openTape();
  // A secret may lie in several events: they are kept together, or not at all.
  const { streamFormat, door } = operation;
  return streamFormat === 'events' || door !== undefined ? NOT_KEPT : new StreamTape(captured, streamFormat);
}

/** An answer that arrives in pieces. */
interface BodyTape {
  push(piece: Buffer): void;
  readonly body: KeptBody | undefined;
}

const NOT_KEPT: BodyTape = { push: () => undefined, body: { bytes: Buffer.alloc(0), truncated: true } };

/** A stream as the answer that its events make. */
class StreamTape implements BodyTape {
  readonly #captured: Capture;
  #assembler: Assembler | undefined;
  #left: number;

  constructor(captured: Capture, format: StreamProtocol) {
    this.#captured = captured;
    this.#left = captured.maxBytes;
    this.#assembler = createAssembler(format, captured.maxBytes, { keepsPart: true });
  }

  /** The events hold more than the text that is kept of them. */
  push(piece: Buffer): void {
    const size = Math.min(piece.length, this.#left);
    if (size > 0 && !this.#captured.take(size)) this.#assembler = undefined;
    this.#left -= size;
    this.#assembler?.push(piece);
  }

  get body(): KeptBody | undefined {
    const whole = this.#assembler?.finish();
    const answer = whole ?? this.#assembler?.soFar();
    if (answer === undefined) return NOT_KEPT.body;
    return { bytes: Buffer.from(JSON.stringify(answer)), truncated: whole === undefined, isAssembled: true };
  }
}

const both = (tape: BodyTape, store: CacheWriter | undefined): CacheWriter => ({
  push: (bytes) => {
    tape.push(bytes);
    store?.push(bytes);
  },
  commit: () => store?.commit(),
});

const TEXTS = /^(?:text\/|application\/(?:[\w.+-]*json|x-ndjson|[\w.+-]*xml)\b)/;
const EVENTS = /^(?:text\/event-stream|application\/(?:x-ndjson|stream\+json))/;
