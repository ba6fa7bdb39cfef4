/** The attempt of an operation whose calls leave HTTP: one request to one target, which may answer with a WebSocket. */
import { AppError } from '../../errors/index.ts';
import { untilCancelled } from '../../lib/cancellation.ts';
import type { UpgradeAnswer } from '../../upstream/index.ts';
import { newKey, offeredProtocols, PROTOCOL_HEADER, readAnswer, requestHeaders } from '../../wire/websocket/index.ts';
import type { HeaderMap, ProviderConnection } from '../exchange.ts';
import { holdsGatewayKey } from '../gateway-key.ts';
import { arePassedBy } from '../guardrails/index.ts';
import { holdTarget } from '../limits/index.ts';
import { map } from './map/index.ts';
import type { AttemptPorts } from './ports.ts';
import type { Prepared } from './prepare/index.ts';
import { type AttemptOutcome, type AttemptProgress, connectedOutcome, triedOutcome } from './record/index.ts';
import { buildRequest, toUpstream } from './request.ts';
import { receive, startDeadline } from './send/index.ts';
import { eventCheckOf } from './session-models.ts';

/** Throws the AppError of a connection that was not opened, or of a limit without room for it. */
export async function connectTarget(
  ports: AttemptPorts,
  progress: AttemptProgress,
  prepared: Prepared,
): Promise<AttemptOutcome> {
  refuseUnknownModel(prepared);
  const held = holdTarget(ports, prepared);
  progress.hold = held instanceof Promise ? await held : held;
  if (!prepared.input.calls.take()) throw new AppError('ATTEMPTS_EXHAUSTED');
  const key = newKey();
  const protocols = protocolsFor(prepared);
  const startedMs = performance.now();
  const answer = await ask(ports, prepared, requestHeaders(key, protocols));
  const upstreamMs = performance.now() - startedMs;
  if (answer.kind === 'response') {
    const sent = await receive(answer.response, ports, {
      memory: prepared.input.exchange.memory,
      isStream: () => false,
    });
    if (sent.kind === 'stream' || isGood(sent.status)) throw invalid(prepared, 'it answered without a WebSocket');
    const mapped = await map(ports, prepared, sent);
    const result = { kind: 'answer', answer: mapped } as const;
    return triedOutcome(
      progress,
      { result, retries: 0, calls: 1, upstreamMs, isAnswered: false },
      { json: ports.json },
    );
  }
  const { socket, headers } = answer.connection;
  const read = readAnswer(headers, key, protocols);
  if (!read.ok) {
    socket.destroy();
    throw invalid(prepared, read.error);
  }
  const connection: ProviderConnection = {
    socket,
    headers,
    protocol: read.protocol,
    checkEvent: eventCheckOf(prepared, ports.json),
    refusal: callerRefusal(prepared),
    hold: progress.hold,
    // With a log of its own: that of the request would grow with every response.
    holdNext: () => holdTarget(ports, { ...prepared, input: { ...prepared.input, log: {} } }),
  };
  return connectedOutcome(progress, { connection, headers: headersFor(prepared), upstreamMs });
}

/** What the client is told of a session that is opened. */
const headersFor = ({ input, leaf }: Prepared): HeaderMap =>
  arePassedBy(input, leaf) ? { 'x-gw-guardrails': 'NOT_APPLIED' } : {};

/** A key that has expired, or that the Snapshot no longer has, ends the sessions that it has opened. */
function callerRefusal({ input: { caller, exchange } }: Prepared): ProviderConnection['refusal'] {
  const { key, keyHash } = caller;
  const isKey = exchange.snapshot.key(keyHash) !== undefined; // a token or the application of a sidecar is none
  return (snapshot, nowMs) => {
    const current = isKey ? snapshot.key(keyHash) : key;
    if (current === undefined) return new AppError('KEY_INVALID', { detail: 'The API key is no longer valid' });
    return nowMs >= current.expiresAtMs ? new AppError('KEY_EXPIRED') : undefined;
  };
}

const isGood = (status: number): boolean => status >= 200 && status <= 299;

async function ask(
  ports: AttemptPorts,
  prepared: Prepared,
  handshake: Readonly<Record<string, string>>,
): Promise<UpgradeAnswer> {
  const { requestTimeoutMs } = prepared.settings;
  const { connectTimeoutMs, limits } = ports;
  // Whoever waits for a conversation learns soon that there is none.
  const timeoutMs = requestTimeoutMs === 0 ? connectTimeoutMs : Math.min(requestTimeoutMs, connectTimeoutMs);
  const deadline = startDeadline(prepared.input.exchange.signal, timeoutMs);
  const { signal } = deadline;
  try {
    const built = await untilCancelled(Promise.resolve(buildRequest(ports, prepared, signal)), signal);
    Object.assign(built.headers, handshake);
    return await ports.upgrades.upgrade(toUpstream(built, prepared), { protocol: 'websocket', signal, limits });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'UPSTREAM_TIMEOUT') throw error;
    const { id: provider } = prepared.provider;
    throw new AppError('UPSTREAM_CONNECT_TIMEOUT', {
      provider,
      detail: `The provider did not open the WebSocket within ${timeoutMs} ms`,
    });
  } finally {
    deadline.clear();
  }
}

const invalid = ({ provider }: Prepared, why: string): AppError =>
  new AppError('UPSTREAM_INVALID_RESPONSE', {
    provider: provider.id,
    detail: `The provider did not open a WebSocket: ${why}`,
  });

/** A session that exists already runs a model that is not known here. */
function refuseUnknownModel({ resolved: { managed }, call, provider }: Prepared): void {
  if (managed?.models === undefined || !new URLSearchParams(call.query).has('call_id')) return;
  throw new AppError('MODEL_NOT_ALLOWED', {
    provider: provider.id,
    param: 'call_id',
    detail: `@${managed.slug} admits listed models only, and which model the call of call_id runs is not known`,
  });
}

/** Sub-protocols that bring a credential, which goes in a header, or choose what a credential reaches. */
const CREDENTIAL = /^openai-insecure-api-key\./i;
const CHOOSES = /key|secret|token|auth|organi[sz]ation|project|account|tenant/i;

/** The sub-protocols that the provider is offered: those of the client, without credentials that would stand beside the stored one. */
function protocolsFor({ input: { exchange }, resolved }: Prepared): readonly string[] {
  const isStored = resolved.target.stored;
  return offeredProtocols(exchange.request.header(PROTOCOL_HEADER)).filter(
    (name) => !CREDENTIAL.test(name) && !(isStored && CHOOSES.test(name)) && !holdsGatewayKey(name, exchange.snapshot),
  );
}
