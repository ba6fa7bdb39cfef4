/** One session: a client and a provider over two WebSockets, with the gateway between them; docs/behaviour/realtime.md. */
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { RealtimeSettings } from '../config/index.ts';
import { AppError, toAppError } from '../errors/index.ts';
import type { Answer, Exchange, ProviderConnection } from '../pipeline/index.ts';
import type { Recorder } from '../record/index.ts';
import type { SnapshotView } from '../snapshot/index.ts';
import { CLOSE, type PeerEnd, WebSocketPeer } from '../wire/websocket/index.ts';
import { eventRecord } from './event-record.ts';
import { readServerEvent, type ServerEvent } from './events.ts';
import { ResponseHolds } from './response-holds.ts';

export interface SessionPorts {
  readonly settings: RealtimeSettings;
  readonly recorder: Pick<Recorder, 'finish'>;
}

export interface OpenedSession {
  readonly exchange: Exchange;
  readonly answer: Answer;
  readonly connection: ProviderConnection;
  readonly client: Duplex;
  /** Called once, when nothing is held any longer. */
  onEnd(): void;
}

type Side = 'client' | 'provider';

const OTHER: Readonly<Record<Side, Side>> = { client: 'provider', provider: 'client' };

/** Signs of life that may be missed. */
const MISSED_PINGS = 3;

export class Session {
  readonly #ports: SessionPorts;
  readonly #opened: OpenedSession;
  readonly #peers: Readonly<Record<Side, WebSocketPeer>>;
  readonly #startedMs = performance.now();
  #lastMessageMs = this.#startedMs;
  #lastPingMs = this.#startedMs;
  /** Pings after which nothing came. */
  readonly #missed: Record<Side, number> = { client: 0, provider: 0 };
  /** `performance.now()` when the responses began that are on their way. */
  readonly #responses: number[] = [];
  readonly #holds: ResponseHolds;
  /** The gateway at the other end counts and records what the provider says. */
  readonly #isForwarded: boolean;
  #model: string | undefined;
  #isLeaving = false;
  #isOver = false;
  #openEnds = 2;

  constructor(ports: SessionPorts, opened: OpenedSession) {
    this.#ports = ports;
    this.#opened = opened;
    this.#holds = new ResponseHolds({
      first: opened.connection.hold,
      take: () => opened.connection.holdNext(),
      onDenied: (error) => this.#deny(error),
    });
    this.#isForwarded = opened.connection.isForwarded === true;
    this.#peers = {
      client: this.#peer('client', opened.client),
      provider: this.#peer('provider', opened.connection.socket),
    };
    for (const socket of [opened.client, opened.connection.socket]) this.#countEnd(socket);
  }

  start(): void {
    for (const peer of [this.#peers.client, this.#peers.provider]) peer.start();
  }

  /** The process is about to end: the session does, too, as soon as no response is on its way. */
  leave(): void {
    this.#isLeaving = true;
    if (this.#responses.length === 0) this.end(new AppError('DRAINING'), CLOSE.goingAway);
  }

  /** To be called about once per second. */
  tick(nowMs: number, snapshot: SnapshotView | undefined): void {
    if (this.#isOver) return;
    const { idleMs, maxSessionMs, pingMs } = this.#ports.settings;
    const refusal = snapshot && this.#opened.connection.refusal(snapshot, Date.now());
    if (refusal !== undefined) this.end(refusal, CLOSE.policy);
    else if (maxSessionMs > 0 && nowMs - this.#startedMs >= maxSessionMs) this.#expire(`it lasted ${maxSessionMs} ms`);
    else if (idleMs > 0 && nowMs - this.#lastMessageMs >= idleMs) this.#expire(`no message for ${idleMs} ms`);
    else if (pingMs > 0) this.#ping(nowMs, pingMs);
  }

  /** Ends both connections for a reason of the gateway, of which the client is told. */
  end(error: AppError, code: number): void {
    if (this.#isOver) return;
    this.#finish();
    const { client, provider } = this.#peers;
    const { message } = shown(error);
    client.send(errorEvent(error), false, () => {});
    client.close(code, message);
    provider.close(CLOSE.goingAway);
    this.#recordError(error);
  }

  #peer(side: Side, socket: Duplex): WebSocketPeer {
    return new WebSocketPeer(socket, {
      role: side === 'client' ? 'server' : 'client',
      maxMessageBytes: this.#ports.settings.maxMessageBytes,
      memory: this.#opened.exchange.memory,
      onMessage: (data, isBinary) => this.#relay(side, data, isBinary),
      onDrain: () => this.#peers[OTHER[side]].resume(),
      onEnd: (end) => this.#ended(side, end),
    });
  }

  #countEnd(socket: Duplex): void {
    let isCounted = false;
    const count = (): void => {
      if (isCounted) return;
      isCounted = true;
      this.#openEnds -= 1;
      if (this.#openEnds === 0) this.#opened.onEnd();
    };
    socket.on('close', count);
    if (socket.closed) queueMicrotask(count);
  }

  #relay(from: Side, data: Buffer, isBinary: boolean): void {
    if (this.#isOver) return;
    this.#lastMessageMs = performance.now();
    const { memory } = this.#opened.exchange;
    if (!memory.take(data.length)) {
      this.end(new AppError('MEMORY_EXHAUSTED'), CLOSE.tryAgain);
      return;
    }
    if (from === 'client' && !this.#isAdmitted(data, isBinary)) return;
    const hasRoom = this.#peers[OTHER[from]].send(data, isBinary, () => memory.give(data.length));
    if (!hasRoom) this.#peers[from].pause();
    if (from === 'provider' && !isBinary) this.#look(data);
  }

  #isAdmitted(data: Buffer, isBinary: boolean): boolean {
    try {
      this.#opened.connection.checkEvent?.(data, isBinary);
      return true;
    } catch (error) {
      this.end(toAppError(error), CLOSE.policy);
      return false;
    }
  }

  #look(data: Buffer): void {
    const event = readServerEvent(data);
    if (event === undefined) return;
    const nowMs = performance.now();
    if (event.type === 'response.created') {
      this.#responses.push(nowMs);
      if (this.#responses.length > MAX_RESPONSES) this.#responses.shift();
      this.#holds.begin();
      return;
    }
    this.#model = event.model ?? this.#model;
    if (event.type !== 'response.done') {
      this.#record(event, { startedMs: nowMs, endedMs: nowMs, bytes: data.length });
      return;
    }
    const startedMs = this.#responses.shift() ?? nowMs;
    this.#holds.done((settlement) =>
      this.#record(event, { startedMs, endedMs: nowMs, bytes: data.length, settlement }),
    );
    if (this.#isLeaving) this.leave();
  }

  /** There is no room for a response. */
  #deny(error: unknown): void {
    const reason = toAppError(error);
    this.end(reason, reason.row.status === 429 ? CLOSE.tryAgain : CLOSE.policy);
  }

  #record(
    { type, usage }: Pick<ServerEvent, 'type' | 'usage'>,
    facts: Pick<Parameters<typeof eventRecord>[2], 'startedMs' | 'endedMs' | 'bytes' | 'settlement' | 'error'>,
  ): void {
    if (this.#isForwarded && facts.error === undefined) return;
    const { exchange, answer } = this.#opened;
    const event = { ...facts, type, usage, model: this.#model, isError: type === 'error' };
    this.#ports.recorder.finish(eventRecord(exchange, answer, event));
  }

  #recordError(error: AppError): void {
    const endedMs = performance.now();
    this.#record({ type: 'error', usage: undefined }, { startedMs: endedMs, endedMs, bytes: 0, error });
  }

  #expire(why: string): void {
    this.end(new AppError('SESSION_EXPIRED', { detail: `The session was closed: ${why}` }), CLOSE.goingAway);
  }

  #ping(nowMs: number, pingMs: number): void {
    if (nowMs - this.#lastPingMs < pingMs) return;
    for (const side of ['client', 'provider'] as const) {
      const heardMs = this.#peers[side].lastHeardMs;
      const isSilent = heardMs !== undefined && heardMs < this.#lastPingMs;
      this.#missed[side] = isSilent ? this.#missed[side] + 1 : 0;
      if (this.#missed[side] < MISSED_PINGS) continue;
      this.#peers[side].destroy();
      this.#ended(side, { kind: 'lost' });
      return;
    }
    this.#lastPingMs = nowMs;
    this.#peers.client.ping();
    this.#peers.provider.ping();
  }

  /** One end is closed or gone: the other is told, as the first has said it. */
  #ended(side: Side, end: PeerEnd): void {
    const other = this.#peers[OTHER[side]];
    const own = this.#peers[side];
    if (this.#isOver) {
      if (end.kind === 'lost') own.destroy();
      return;
    }
    if (end.kind === 'closed') {
      this.#finish();
      own.close(end.code, end.reason);
      other.close(end.code, end.reason);
      return;
    }
    if (side === 'provider') {
      if (end.kind === 'refused') own.close(end.code);
      this.end(brokenBy(end), CLOSE.internal);
      return;
    }
    this.#finish();
    if (end.kind === 'refused') own.close(end.code, REFUSALS.get(end.code) ?? '');
    other.close(CLOSE.goingAway);
    if (end.kind === 'refused') this.#recordError(refusedError(end.code));
  }

  /** Nothing is relayed any longer; what the session holds of limits is settled. */
  #finish(): void {
    this.#isOver = true;
    this.#holds.end();
  }
}

/** Responses of one session at the same time whose start is kept. */
const MAX_RESPONSES = 64;

const REFUSALS: ReadonlyMap<number, string> = new Map([
  [CLOSE.tooLarge, 'the message is larger than GATEHOUSE_REALTIME_MAX_MESSAGE_BYTES'],
  [CLOSE.invalidText, 'the text is not valid UTF-8'],
  [CLOSE.protocolError, 'the frame is not valid'],
  [CLOSE.policy, 'the message has too many parts'],
  [CLOSE.tryAgain, 'the gateway has no memory left'],
]);

function refusedError(code: number): AppError {
  if (code === CLOSE.tryAgain) return new AppError('MEMORY_EXHAUSTED');
  if (code === CLOSE.tooLarge) return new AppError('BODY_TOO_LARGE', { detail: REFUSALS.get(code) ?? '' });
  return new AppError('FRAME_INVALID', { detail: REFUSALS.get(code) ?? 'The frame is not valid' });
}

function brokenBy(end: Exclude<PeerEnd, { kind: 'closed' }>): AppError {
  if (end.kind === 'lost') return new AppError('UPSTREAM_STREAM_BROKEN', { cause: 'no close frame' });
  if (end.code === CLOSE.tooLarge) return new AppError('UPSTREAM_TOO_LARGE');
  if (end.code === CLOSE.tryAgain) return new AppError('MEMORY_EXHAUSTED');
  return new AppError('UPSTREAM_INVALID_RESPONSE', { cause: end.error });
}

const shown = (error: AppError): { readonly message: string } => ({
  message: error.row.expose ? error.message : error.row.summary,
});

/** An error event as clients of the realtime API know it. */
function errorEvent(error: AppError): Buffer {
  const { type, wireCode: code } = error.row;
  const { message } = shown(error);
  const event_id = `event_${randomUUID().replaceAll('-', '')}`;
  const body = { type, code, message, param: error.param ?? null, event_id: null };
  return Buffer.from(JSON.stringify({ type: 'error', event_id, error: body }));
}
