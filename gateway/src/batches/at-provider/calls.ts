/** Calls about a batch of a provider, for the key that has created the batch of the gateway. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { CancelSignal } from '../../lib/cancellation.ts';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import {
  type Answer,
  type Caller,
  type ClientRequest,
  callerOfKey,
  type Exchange,
  OPERATIONS,
  type OwnResourceCall,
  type RequestBody,
  type RowSettlement,
} from '../../pipeline/index.ts';
import { NO_LIMITS, type SnapshotView } from '../../snapshot/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { retryAfterOf, rowMetadata } from '../execution/row-call.ts';
import { callAs, type OwnCallPorts, ownerOf, type Use } from '../followed/index.ts';
import type { BatchOrder, ProviderBatch } from '../records.ts';

export interface ProviderCallPorts extends OwnCallPorts {
  readonly json: JsonLimits;
}

export interface ProviderCall {
  readonly operation: OwnResourceCall;
  readonly path: string;
  readonly query?: string;
  readonly route?: Readonly<Record<string, string>>;
  /** Of a POST; absent: a GET. */
  readonly body?: RequestBody;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** The call creates something: the key has to be there, and may be refused. Others go on for work that was begun. */
  readonly creates?: true;
  readonly settlement?: RowSettlement;
}

export type Told =
  | { readonly kind: 'good'; readonly value: JsonObject }
  /** Nothing was done. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly message: string }
  /** Nothing was done, for there is no room now. */
  | { readonly kind: 'later'; readonly retryAfterMs: number | undefined }
  /** It may have been done. */
  | { readonly kind: 'unclear' }
  | { readonly kind: 'no-key'; readonly code: 'key_revoked' | 'key_expired' };

export class ProviderCalls {
  readonly #ports: ProviderCallPorts;
  readonly #order: BatchOrder;
  readonly #signal: CancelSignal;

  constructor(ports: ProviderCallPorts, order: BatchOrder, signal: CancelSignal) {
    this.#ports = ports;
    this.#order = order;
    this.#signal = signal;
  }

  /** Never rejects for what the provider does. */
  async ask(at: Pick<ProviderBatch, 'slug' | 'config'>, call: ProviderCall): Promise<Told> {
    const told = await this.use(at, call, async (answer) => toldBy(answer, this.#ports.json));
    return told ?? { kind: 'no-key', code: 'key_revoked' };
  }

  /** Undefined: the key is gone, or its workspace, or no Snapshot is there. */
  async use<T>(at: Pick<ProviderBatch, 'slug' | 'config'>, call: ProviderCall, use: Use<T>): Promise<T | undefined> {
    const snapshot = this.#ports.snapshots.current;
    if (snapshot === undefined) return undefined;
    const config = at.config !== null && snapshot.config(this.#order.workspace, at.config) ? at.config : undefined;
    const caller = call.creates === true ? this.#creator(snapshot, config) : this.#owner(snapshot, config, call);
    if (caller === undefined) return undefined;
    const { operation, settlement } = call;
    const request = this.#requestOf(at, call);
    const as = {
      ...{ operation: OPERATIONS[operation], request, snapshot, caller, settlement, signal: this.#signal },
      ...(operation === 'createBatch' ? { isSentOnce: true as const } : {}),
    };
    return await callAs(this.#ports, as, use);
  }

  #creator(snapshot: SnapshotView, config: string | undefined): Caller | undefined {
    const { keyId, workspace } = this.#order;
    const caller = callerOfKey(keyId, workspace, snapshot);
    if (caller === undefined) return undefined;
    const { config: _, ...ofKey } = caller.key.defaults;
    const { config: __, ...ofWorkspace } = caller.workspace.defaults;
    return {
      ...caller,
      key: { ...caller.key, defaults: { ...ofKey, allowConfigOverride: true } },
      workspace: { ...caller.workspace, defaults: config === undefined ? ofWorkspace : { ...ofWorkspace, config } },
    };
  }

  /** What ends work has no limits: nothing else would end it where a budget has nothing left. */
  #owner(snapshot: SnapshotView, config: string | undefined, { method }: ProviderCall): Caller | undefined {
    const { keyId, workspace } = this.#order;
    const owner = ownerOf({ key: { id: keyId, name: keyId }, workspace }, snapshot, config);
    if (owner === undefined || method === undefined) return owner;
    const limits = NO_LIMITS;
    return { ...owner, key: { ...owner.key, limits }, workspace: { ...owner.workspace, limits } };
  }

  #requestOf(
    { slug }: Pick<ProviderBatch, 'slug'>,
    { operation, path, query = '', route = {}, body, method }: ProviderCall,
  ): ClientRequest {
    const { headers: given } = this.#order;
    const headers = new Map([
      ['x-gw-provider', `@${slug}`],
      ['x-gw-metadata', rowMetadata(this.#order)],
    ]);
    for (const name of KEPT) if (given[name] !== undefined) headers.set(name, given[name]);
    if (body === undefined && operation !== 'getFileContent') headers.set('x-gw-request-timeout', String(TIMEOUT_MS));
    return {
      ...{ method: method ?? (body === undefined ? 'GET' : 'POST'), path, query, route },
      header: (name) => headers.get(name),
      headers: () => headers.entries(),
      checkLength: () => undefined,
      readBody: async () => body ?? { kind: 'none' },
    };
  }
}

/** Headers of rows that say how answers are written, and what a record is called. */
const KEPT = ['x-gw-strict-open-ai-compliance', 'x-gw-trace-id'] as const;
/** Of a call that neither sends nor reads much, in ms. */
const TIMEOUT_MS = 30_000;

export const jsonBody = (value: JsonObject): RequestBody => ({
  kind: 'json',
  bytes: Buffer.from(JSON.stringify(value)),
  value,
});

/** What an answer that is read whole says. */
function toldBy(answer: Answer, json: JsonLimits): Told {
  const { body, status, facts, headers } = answer;
  facts.settlement?.settle({ status, usage: undefined, cost: undefined });
  if (body.kind === 'stream') body.upstream.discard();
  const value = body.kind === 'bytes' ? objectOf(body.bytes, json) : undefined;
  if (status === 200) return value === undefined ? { kind: 'unclear' } : { kind: 'good', value };
  const code = facts.error?.code ?? '';
  if (code === 'KEY_EXPIRED') return { kind: 'no-key', code: 'key_expired' };
  if (status === 429 || code.endsWith('_BUDGET_EXHAUSTED'))
    return { kind: 'later', retryAfterMs: retryAfterOf(headers['retry-after']) };
  if (status < 400 || status >= 500 || UNCLEAR.has(status)) return { kind: 'unclear' };
  const error = isObject(value?.['error']) ? value['error'] : {};
  const { message } = error;
  return {
    kind: 'refused',
    status,
    code: code === '' ? String(status) : code.toLowerCase(),
    message: (typeof message === 'string' ? message : `status ${status}`).slice(0, MAX_MESSAGE),
  };
}

/** Statuses of refusals that may come after the work was done: timeouts and conflicts. */
const UNCLEAR: ReadonlySet<number> = new Set([408, 409, 425]);
/** Units: characters. */
const MAX_MESSAGE = 500;

function objectOf(bytes: Buffer, json: JsonLimits): JsonObject | undefined {
  try {
    const value = readJson(bytes, json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of an answer that is read while it arrives. Throws the AppError of one that is none. */
export function contentOf({ body, status, facts }: Answer, exchange: Exchange) {
  if (body.kind === 'stream' && status === 200) {
    const stop = (): void => body.upstream.cancel(new AppError('DRAINING'));
    exchange.signal.onCancel(stop);
    exchange.atEnd(() => exchange.signal.offCancel(stop));
    return body.upstream;
  }
  facts.settlement?.settle({ status, usage: undefined, cost: undefined });
  if (body.kind === 'stream') body.upstream.discard();
  throw (
    facts.error ?? new AppError('UPSTREAM_INVALID_RESPONSE', { detail: `The provider has answered with ${status}` })
  );
}
