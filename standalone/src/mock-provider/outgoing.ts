import { STATUS_CODES } from 'node:http';
import type { Controls } from './controls/index.ts';
import type { Dialect, Exchange } from './exchange.ts';
import { breakBody, breakFrames } from './malform.ts';
import { type Frame, type Refusal, type Reply, refuse, type StreamReply } from './reply.ts';

/** A response ready to be written, with a pause of `x-mock-token-delay-ms` before each burst but the first. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly bursts: readonly (string | Buffer)[];
}

/** Applies the controls that change the content of the response, not its transport. */
export function toOutgoing(reply: Reply, exchange: Exchange, dialect: Dialect): Outgoing {
  const { controls } = exchange;
  if (reply.kind === 'refusal') return refusalToOutgoing(reply, exchange, dialect);
  if (reply.kind === 'stream') return streamToOutgoing(reply, controls, dialect);
  if (controls.errorEvent !== undefined) {
    return refusalToOutgoing(toEventRefusal(controls.errorEvent, dialect), exchange, dialect);
  }
  const status = controls.status ?? reply.status;
  const whole = BODILESS.has(status) ? '' : reply.body;
  const body = controls.malformed === undefined ? whole : breakBody(controls.malformed, whole);
  return { status, headers: { ...reply.headers, 'content-length': Buffer.byteLength(body) }, bursts: [body] };
}

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]); // RFC 9110

function streamToOutgoing(reply: StreamReply, controls: Controls, dialect: Dialect): Outgoing {
  let frames = reply.frames;
  if (controls.errorEvent !== undefined) {
    const before = frames.filter((frame) => frame.kind !== 'end').slice(0, controls.errorEventAfter ?? 0);
    frames = [...before, reply.errorFrame(toEventRefusal(controls.errorEvent, dialect), before.length)];
  }
  if (controls.noDone) frames = frames.filter((frame) => frame.kind !== 'end');
  if (controls.malformed !== undefined) frames = breakFrames(controls.malformed, frames);
  return { status: controls.status ?? 200, headers: reply.headers, bursts: toBursts(frames, controls) };
}

function toEventRefusal(event: NonNullable<Controls['errorEvent']>, dialect: Dialect): Refusal {
  return event === 'overloaded' ? refuse(dialect.overloadedStatus, 'Overloaded') : refuse(500, 'Mock error event');
}

/** Without slow tokens the whole stream is one burst; with them each token begins a new one. */
function toBursts(frames: readonly Frame[], { tokenDelayMs = 0 }: Controls): readonly (string | Buffer)[] {
  if (tokenDelayMs === 0) return [joinFrames(frames)];
  const bursts: Frame[][] = [[]];
  for (const frame of frames) {
    if (frame.kind === 'token') bursts.push([]);
    bursts.at(-1)?.push(frame);
  }
  return bursts.map(joinFrames);
}

function joinFrames(frames: readonly Frame[]): string | Buffer {
  const parts = frames.map((frame) => frame.bytes);
  const areTexts = parts.every((part) => typeof part === 'string');
  return areTexts ? parts.join('') : Buffer.concat(parts.map((part) => Buffer.from(part)));
}

function refusalToOutgoing(refusal: Refusal, exchange: Exchange, dialect: Dialect): Outgoing {
  const { errorBody = 'json', retryAfter } = exchange.controls;
  const { contentType, body } = ERROR_BODIES[errorBody](refusal, exchange, dialect);
  const headers = {
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...dialect.errorHeaders(exchange.seed, refusal),
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    'content-length': Buffer.byteLength(body),
  };
  return { status: refusal.status, headers, bursts: [body] };
}

type RenderError = (refusal: Refusal, exchange: Exchange, dialect: Dialect) => { contentType?: string; body: string };

const ERROR_BODIES: Readonly<Record<NonNullable<Controls['errorBody']>, RenderError>> = {
  json: (refusal, { request }, dialect) => ({
    contentType: 'application/json',
    body: JSON.stringify(dialect.errorBody(refusal, request)),
  }),
  text: ({ status }) => ({ contentType: 'text/plain; charset=utf-8', body: `${titleOf(status)}\n` }),
  html: ({ status }) => ({
    contentType: 'text/html; charset=utf-8',
    body: `<html><body><h1>${titleOf(status)}</h1></body></html>\n`,
  }),
  empty: () => ({ body: '' }),
};

function titleOf(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? 'Error'}`;
}
