/** A call that takes several requests: each has the timeouts and retries of the target. */
import { AppError, memoryExhausted, toAppError } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import {
  type Call,
  type Procedure,
  type ProcedureRequest,
  type ProcedureResult,
  type ProcedureTools,
  ProviderRefusal,
  type RowCheck,
  type WholeAnswer,
} from '../../providers/contract.ts';
import { baseOf, buildStep, unsupported } from '../../providers/engine/index.ts';
import type { RetryPlan } from '../../routing/index.ts';
import { bodyOf, piecesOf, type UpstreamResponse } from '../../upstream/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { CallBudget } from '../call-budget.ts';
import { type HeaderMap, uploadOf } from '../exchange.ts';
import { decodeAnswer, type MappedAnswer, map } from './map/index.ts';
import type { AttemptPorts } from './ports.ts';
import { checkModelOfRow, type Prepared, servicesOf } from './prepare/index.ts';
import { toUpstream } from './request.ts';
import { type Tried, type TryResult, tryWithRetries } from './retries.ts';
import type { ProviderAnswer } from './send/index.ts';

/** Requests of one procedure: more than the parts of the largest object that buckets take. */
const MAX_STEPS = 20_000;
/** Of the answer to a step that is read whole. */
const MAX_STEP_BYTES = 4 * 1024 * 1024;
/** Statuses after which a step is tried again that asks for it. */
const PASSING: readonly number[] = [429, 500, 502, 503, 504];
/** Answers of steps are small, and given up before the next one. */
const UNCOUNTED: ByteAccount = {
  take: () => true,
  give: () => undefined,
  clear: () => undefined,
  close: () => undefined,
};

/** Never rejects. */
export async function runProcedure(
  ports: AttemptPorts,
  prepared: Prepared,
  procedure: Procedure,
): Promise<Tried<MappedAnswer>> {
  const { call, resolved, input } = prepared;
  const run = new ProcedureRun(ports, prepared);
  const result = await resultOf(ports, prepared, async () => {
    if (procedure.supports?.(call) === false) throw unsupported(resolved.target, call, ' for this account');
    if (!input.calls.take()) throw new AppError('ATTEMPTS_EXHAUSTED');
    return await mapped(ports, prepared, { result: await procedure.run(call, run), stop: () => run.end(false) });
  });
  run.end(result.kind === 'answer' && result.answer.body.kind === 'stream');
  return triedBy(run, result);
}

/** What looks at the rows that a call is about: only for an account that admits listed models. */
export const rowCheckOf = ({ call, resolved, operation, provider, endpoint }: Prepared): RowCheck | undefined =>
  resolved.managed?.models === undefined || endpoint?.supports?.(call) === false
    ? undefined
    : operation.handler.rowCheckOf?.(provider);

/** Whatever is wrong with these rows answers the call. Undefined: nothing is. Never rejects. */
export async function checkRows(
  ports: AttemptPorts,
  prepared: Prepared,
  check: RowCheck,
): Promise<Tried<MappedAnswer> | undefined> {
  const run = new ProcedureRun(ports, prepared);
  const result = await resultOf(ports, prepared, () => check(prepared.call, run));
  run.end(false);
  if (result.kind === 'error') return triedBy(run, result);
  return result.answer === undefined ? undefined : triedBy(run, { kind: 'answer', answer: result.answer });
}

async function resultOf<T>(
  ports: AttemptPorts,
  prepared: Prepared,
  work: () => Promise<T>,
): Promise<TryResult<T | MappedAnswer>> {
  try {
    return { kind: 'answer', answer: await work() };
  } catch (error) {
    return await failedBy(ports, prepared, error).catch(
      (other: unknown): TryResult<MappedAnswer> => ({ kind: 'error', error: toAppError(other) }),
    );
  }
}

/** What the provider has refused is answered in the normal form of its error. */
async function failedBy(ports: AttemptPorts, prepared: Prepared, error: unknown): Promise<TryResult<MappedAnswer>> {
  if (!(error instanceof ProviderRefusal)) throw error;
  const { status, headers, bytes } = error.answer;
  return { kind: 'answer', answer: await map(ports, prepared, { kind: 'unary', status, headers, bytes }) };
}

const triedBy = (
  { retries, calls, upstreamMs, isAnswered }: ProcedureRun,
  result: TryResult<MappedAnswer>,
): Tried<MappedAnswer> => ({ result, retries, calls, upstreamMs, isAnswered });

function mapped(
  ports: AttemptPorts,
  prepared: Prepared,
  { result, stop }: { readonly result: ProcedureResult; stop(): void },
): MappedAnswer | Promise<MappedAnswer> {
  if (result.kind === 'json') {
    const bytes = Buffer.from(JSON.stringify({ ...result.value, provider: prepared.call.provider }));
    if (!prepared.input.exchange.memory.take(bytes.length)) throw memoryExhausted();
    const headers = { 'content-type': 'application/json' };
    return map(ports, prepared, { kind: 'unary', status: 200, headers, bytes });
  }
  const headers: HeaderMap = { 'content-type': result.contentType };
  if (result.bytes !== undefined) headers['content-length'] = String(result.bytes);
  const held = result.held === undefined ? {} : { held: result.held };
  const body = { kind: 'stream', upstream: bodyOf(result.content, stop), transform: undefined, ...held } as const;
  return { status: 200, headers, body, stream: true, ...(result.file === undefined ? {} : { file: result.file }) };
}

class ProcedureRun implements ProcedureTools {
  readonly #ports: AttemptPorts;
  readonly #prepared: Prepared;
  readonly #calls = new CallBudget(MAX_STEPS);
  readonly #endings: (() => void)[] = [];
  readonly services: ProcedureTools['services'];
  retries = 0;
  calls = 0;
  upstreamMs = 0;
  isAnswered = false;

  constructor(ports: AttemptPorts, prepared: Prepared) {
    this.#ports = { ...ports, maxResponseBytes: Math.min(ports.maxResponseBytes, MAX_STEP_BYTES) };
    this.#prepared = prepared;
    this.services = servicesOf(ports, prepared);
  }

  get signal(): ProcedureTools['signal'] {
    return this.#prepared.input.exchange.signal;
  }

  get memory(): ByteAccount {
    return this.#prepared.input.exchange.memory;
  }

  get json(): ProcedureTools['json'] {
    return this.#ports.json;
  }

  get upload(): ProcedureTools['upload'] {
    return uploadOf(this.#prepared.resolution.body);
  }

  baseUrl(): string {
    const { origin, prefix } = baseOf(this.#prepared.resolved.target, this.#call);
    return origin + prefix;
  }

  get #call(): Call {
    return this.#prepared.call;
  }

  async ask(request: ProcedureRequest): Promise<WholeAnswer> {
    const answer = await this.#send(request, () => false);
    if (answer.kind === 'stream') throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: this.#call.provider });
    const whole = await decodeAnswer(answer, { maxBytes: this.#ports.maxResponseBytes, memory: UNCOUNTED });
    if (isGood(whole) || request.accepts?.includes(whole.status)) return whole;
    throw new ProviderRefusal(whole);
  }

  async open(request: ProcedureRequest) {
    const answer = await this.#send(request, isGood);
    if (answer.kind === 'stream') {
      const { status, headers, body } = answer.response;
      this.#endings.push(() => body.discard());
      return { status, headers, content: piecesOf(body) };
    }
    throw new ProviderRefusal(await decodeAnswer(answer, { maxBytes: MAX_STEP_BYTES, memory: UNCOUNTED }));
  }

  async ownFile(id: string): Promise<AsyncIterable<Buffer>> {
    const { caller } = this.#prepared.input;
    const content = await this.#ports.ownResources.content(caller.workspace.name, id);
    this.#endings.push(() => void content.destroy());
    return content;
  }

  checkModel(body: JsonObject): void {
    const { resolved, leaf } = this.#prepared;
    if (resolved.managed !== undefined) checkModelOfRow(resolved.managed, leaf.deployments, body);
  }

  /** Stops what was begun to be read; `isStream`: the answer of the call goes on with it. */
  end(isStream: boolean): void {
    if (isStream) return;
    for (const end of this.#endings) end();
  }

  async #send(step: ProcedureRequest, isStream: (response: UpstreamResponse) => boolean): Promise<ProviderAnswer> {
    const { resolved, forwarded, settings } = this.#prepared;
    const { services } = this;
    const tried = await tryWithRetries<ProviderAnswer>(this.#ports, {
      signal: this.signal,
      settings: { ...settings, retry: retryOf(settings.retry, step) },
      calls: this.#calls,
      memory: UNCOUNTED,
      request: async (signal) => {
        const built = await buildStep(resolved.target, this.#call, step, { forwarded, services, signal });
        const sent = toUpstream(built, this.#prepared);
        // An address that the provider names is nothing that the account may reach beyond everybody else.
        return step.auth === 'none' ? { ...sent, hostOrigin: 'request' } : sent;
      },
      replayable: step.body === undefined || Buffer.isBuffer(step.body) || step.body.replayable,
      isStream,
      isEventStream: () => true,
      atEnd: () => undefined,
      map: (answer) => answer,
      evaluate: () => undefined,
      statusOf: (answer) => (answer.kind === 'stream' ? answer.response.status : answer.status),
      release: () => undefined,
    });
    this.retries = tried.retries < 0 ? tried.retries : this.retries + tried.retries;
    this.calls += tried.calls;
    this.upstreamMs += tried.upstreamMs;
    this.isAnswered ||= tried.isAnswered;
    if (tried.result.kind === 'error') throw tried.result.error;
    return tried.result.answer;
  }
}

const isGood = ({ status }: { readonly status: number }): boolean => status >= 200 && status <= 299;

/** The retries that a step asks for come on top of what the target has. */
function retryOf(retry: RetryPlan, { tries = 1 }: ProcedureRequest): RetryPlan {
  if (tries <= 1) return retry;
  const maxRetries = Math.max(retry.maxRetries, tries - 1);
  return { ...retry, maxRetries, statusCodes: new Set([...retry.statusCodes, ...PASSING]) };
}
