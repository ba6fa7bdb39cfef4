/** Creates the batch of a provider, once: what a process has begun before it was killed is looked for before it is done again. */
import { StoreFailure } from '../../object-storage/index.ts';
import type { RowBatches } from '../../providers/contract.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { type BatchOrder, type BatchProblem, type BatchProgress, keyProblem, type ProviderBatch } from '../records.ts';
import { jsonBody, type ProviderCalls, type Told } from './calls.ts';
import { findBatch, MARKER } from './find.ts';
import type { HandedContents } from './handed.ts';
import { type InputPorts, PlanChanged, type SentInput, sentInput, uploadForm } from './input.ts';

export interface SubmitPorts extends InputPorts {
  readonly calls: ProviderCalls;
  readonly handed: HandedContents;
  readonly json: Parameters<typeof findBatch>[0]['json'];
  readonly timing: Pick<ProviderTiming, 'settleMs' | 'pollMs' | 'maxPollMs'>;
  /** Undefined: the provider is gone, or has no batches any more. */
  readonly batches: RowBatches | undefined;
  /** Keeps what is known, before anything goes on. */
  save(at: ProviderBatch): Promise<ProviderBatch>;
  /** The batch was found, and may not be counted by anybody yet. */
  adopted(at: ProviderBatch, id: string): Promise<void>;
  isCancelled(): boolean;
  now(): number;
}

/** All in ms. */
export interface ProviderTiming {
  /** Longest look at a batch: what a provider draws out holds up those of others no longer. */
  readonly readMs: number;
  /** Before a batch is asked for its state the first time; the later ones are a tenth of its age. */
  readonly pollMs: number;
  readonly maxPollMs: number;
  /** A call that was begun so long ago does nothing any more. */
  readonly settleMs: number;
}

export type Submitted =
  | { readonly kind: 'created'; readonly at: ProviderBatch }
  | { readonly kind: 'later'; readonly atMs: number }
  /** Nothing was created. */
  | { readonly kind: 'own'; readonly reason: string }
  | { readonly kind: 'changed' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly problem: BatchProblem };

export async function submit(ports: SubmitPorts, given: ProviderBatch, progress: BatchProgress): Promise<Submitted> {
  let at = given;
  const { batches } = ports;
  if (at.calledAt !== null) {
    const found = await lookAgain(ports, { ...at, calledAt: at.calledAt }, progress.total);
    if (found !== undefined) return found;
    at = await ports.save({ ...at, calledAt: null });
  }
  if (ports.isCancelled()) return { kind: 'cancelled' };
  if (batches === undefined) return { kind: 'own', reason: 'the account has changed' };
  const refused = refusedOption(ports.order, batches);
  if (refused !== undefined) return { kind: 'failed', problem: refused };
  if (batches.input === 'file' && at.file === null) {
    const uploaded = await upload(ports, at);
    if (typeof uploaded !== 'string') return uploaded;
    at = await ports.save({ ...at, file: uploaded });
  }
  if (ports.isCancelled()) return { kind: 'cancelled' };
  at = await ports.save({ ...at, calledAt: ports.now() });
  return await create(ports, at, batches);
}

/** Undefined: there is none, and none can come any more. */
async function lookAgain(
  { calls, json, timing, batches, now, save, adopted }: SubmitPorts,
  at: ProviderBatch & { readonly calledAt: number },
  total: number,
): Promise<Submitted | undefined> {
  const found = await findBatch({ calls, at, input: batches?.input ?? 'file', total, json });
  if (found.kind === 'found') {
    const id = String(found.batch['id']);
    await adopted(at, id);
    return { kind: 'created', at: await save({ ...at, id, createdAt: at.calledAt }) };
  }
  const settledAt = at.calledAt + timing.settleMs;
  const nextAt = now() + waitOf(timing, now() - at.begunAt);
  if (found.kind === 'unknown') return { kind: 'later', atMs: Math.max(settledAt, nextAt) };
  return now() < settledAt ? { kind: 'later', atMs: settledAt } : undefined;
}

const MAX_NAME = 64;

function refusedOption({ providerOptions = {} }: BatchOrder, { options }: RowBatches): BatchProblem | undefined {
  const name = Object.keys(providerOptions).find((each) => !options.includes(each));
  if (name === undefined) return undefined;
  const known = options.length === 0 ? 'none' : options.join(', ');
  return {
    code: 'invalid_provider_options',
    message: `provider_options of the provider that runs the batch may have: ${known}`,
    param: `provider_options.${name.slice(0, MAX_NAME)}`,
    line: null,
  };
}

/** The id of the file. */
async function upload(ports: SubmitPorts, at: ProviderBatch): Promise<string | Submitted> {
  const input = sentInput(ports, at);
  const body = uploadForm(input, at);
  const told = await ports.calls.ask(at, { operation: 'createFile', path: '/v1/files', body, creates: true });
  const id = told.kind === 'good' ? told.value['id'] : undefined;
  if (typeof id === 'string') return id;
  return (await unsent(ports, input, at)) ?? notDone(ports, told, at);
}

/** A file that nobody uses does no harm: the upload is made again. */
function notDone(ports: SubmitPorts, told: Told, at: ProviderBatch): Submitted {
  switch (told.kind) {
    case 'refused':
      return { kind: 'own', reason: `the provider has refused the batch (${told.code})` };
    case 'no-key':
      return { kind: 'failed', problem: keyProblem(told.code) };
    case 'later':
      return laterBy(ports, at, told.retryAfterMs);
    default:
      return laterBy(ports, at);
  }
}

const laterBy = ({ now, timing }: SubmitPorts, { begunAt }: ProviderBatch, retryAfterMs = 0): Submitted => ({
  kind: 'later',
  atMs: now() + Math.min(Math.max(retryAfterMs, waitOf(timing, now() - begunAt)), MAX_WAIT_MS),
});

/** A tenth of the age, within bounds; all in ms. `times`: of the longest wait. */
export const waitOf = (
  { pollMs, maxPollMs }: Pick<ProviderTiming, 'pollMs' | 'maxPollMs'>,
  age: number,
  times = 1,
): number => Math.floor(Math.min(Math.max(pollMs, age / 10), maxPollMs * times));

const MAX_WAIT_MS = 60_000;

/** Why the rows were not sent, if that was here: then nothing was created. */
async function unsent(ports: SubmitPorts, { problem }: SentInput, at: ProviderBatch): Promise<Submitted | undefined> {
  const error = problem();
  if (error === undefined) return undefined;
  await ports.save({ ...at, calledAt: null });
  if (error instanceof PlanChanged) return { kind: 'changed' };
  if (error instanceof StoreFailure) throw error;
  return undefined;
}

async function create(ports: SubmitPorts, at: ProviderBatch, { input }: RowBatches): Promise<Submitted> {
  const { calls, order, handed } = ports;
  const sent = sentInput(ports, at);
  const content = input === 'call' ? handed.hand(order.workspace, sent.open) : undefined;
  try {
    const body = jsonBody(bodyOf(order, at, content?.id ?? at.file ?? ''));
    const told = await calls.ask(at, { operation: 'createBatch', path: '/v1/batches', body, creates: true });
    const id = told.kind === 'good' ? told.value['id'] : undefined;
    if (typeof id === 'string') return { kind: 'created', at: await ports.save({ ...at, id, createdAt: ports.now() }) };
    const broken = await unsent(ports, sent, at);
    if (broken !== undefined) return broken;
    // Of a call that was not answered: it may do something from its end on.
    const isUnclear = told.kind === 'good' || told.kind === 'unclear';
    const next = await ports.save({ ...at, calledAt: isUnclear ? ports.now() : null });
    return notDone(ports, told, next);
  } finally {
    content?.end();
  }
}

function bodyOf(
  { endpoint, providerOptions = {} }: BatchOrder,
  { marker, file }: ProviderBatch,
  input: string,
): JsonObject {
  const { metadata, ...options } = providerOptions;
  const own = typeof metadata === 'object' && metadata !== null ? metadata : {};
  return {
    ...options,
    ...(file === null ? {} : { metadata: { ...own, [MARKER]: marker } }),
    input_file_id: input,
    endpoint,
    completion_window: '24h',
  };
}
