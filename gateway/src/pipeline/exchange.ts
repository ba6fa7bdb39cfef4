/** One request on its way through the gateway. The pipeline knows neither the HTTP server nor its framework. */

import type { Budgets } from '../budgets/index.ts';
import type { AppError } from '../errors/index.ts';
import type { ByteAccount } from '../lib/byte-budget.ts';
import type { CancelSignal } from '../lib/cancellation.ts';
import type { Secret } from '../lib/secret.ts';
import type { CountedAnswer, OnceRow, PipelineFacts, Settlement, TraceContext } from '../record/index.ts';
import type { KeyRecord, SnapshotView, WorkspaceRecord } from '../snapshot/index.ts';
import type { RowMarks } from '../store/index.ts';
import type { UpstreamBody, UpstreamConnection } from '../upstream/index.ts';
import type { JsonObject, Upload } from '../wire/contract.ts';
import type { AnswerObserver, ByteTransform } from '../wire/transform/index.ts';
import type { BodyKind, Operation } from './operations/index.ts';

export type { AttemptFacts, CacheStatus, PipelineFacts, SpanIdentity, TraceContext } from '../record/index.ts';
export type { BatchOfAccount, CreatedBatch, FollowedBatches } from './created-batch.ts';

export type RequestBody = { readonly kind: 'none' } | JsonBody | Upload;

interface JsonBody {
  readonly kind: 'json';
  readonly bytes: Buffer;
  readonly value: JsonObject;
  /** All of it, so that the bytes are known to be JSON: members of large bodies are parsed when they are read. */
  readonly isParsed?: boolean;
}

/** The body unless it is JSON or absent. */
export const uploadOf = (body: RequestBody): Upload | undefined =>
  body.kind === 'form' || body.kind === 'binary' ? body : undefined;

/** The model that the fields of a form name so far; empty: none. */
export const formModelOf = (body: RequestBody): string => (body.kind === 'form' ? (body.fields?.model ?? '') : '');

/** The same without the prefix that names a provider. */
export const ownFormModelOf = ({
  body,
  formModel,
}: {
  readonly body: RequestBody;
  readonly formModel?: string | undefined;
}): string => formModel ?? formModelOf(body);

/** The model that the path names, as clients of Azure and of Gemini do; undefined: it names none. */
export function modelOfPath({ route }: Pick<ClientRequest, 'route'>): string | undefined {
  const { model } = route;
  return model === undefined ? undefined : decodeURIComponent(model);
}

/** Undefined: its client did not say. */
export function bytesOf(body: RequestBody): number | undefined {
  switch (body.kind) {
    case 'none':
      return 0;
    case 'json':
      return body.bytes.length;
    case 'form':
    case 'binary':
      return body.source.bytes;
  }
}

export interface ClientRequest {
  readonly method: string;
  /** The whole path, encoded, e.g. `/v1/chat/completions`. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  /** Named segments of the route, encoded. */
  readonly route: Readonly<Record<string, string>>;
  /** Lower-case names; repeated headers joined by `, `. */
  header(name: string): string | undefined;
  /** A text for the client with the gateway's headers as the request has them; absent: as they are. */
  spelled?(text: string): string;
  /** All headers, for the proxy mode. */
  headers(): Iterable<readonly [name: string, value: string]>;
  /** Throws AppError BODY_TOO_LARGE when the client announces a JSON body beyond the limit. */
  checkLength(kinds: readonly BodyKind[]): void;
  /** Reads the body once, as one of the kinds. Throws AppError BODY_TOO_LARGE, BODY_NOT_JSON or BODY_NOT_FORM. */
  readBody(kinds: readonly BodyKind[]): Promise<RequestBody>;
}

/** The holder of a gateway key, or the application behind a sidecar. */
export interface Caller {
  readonly key: KeyRecord;
  /** SHA-256 of the key, lower-case hex. */
  readonly keyHash: string;
  /** The headers that hold a gateway key, the caller's or another: they are never sent on. */
  readonly keyHeaders: ReadonlySet<string>;
  /** The workspace names resolve in. */
  readonly workspace: WorkspaceRecord;
  /** The provider credential of the client, when `Authorization` was not the gateway key. */
  readonly credential: Secret | undefined;
}

export interface Exchange {
  readonly operation: Operation;
  readonly request: ClientRequest;
  /** The Snapshot the request started with. */
  readonly snapshot: SnapshotView;
  /** Of a request that the gateway makes for one of its callers, who is known already. */
  readonly caller?: Caller;
  /** Of the gateway's own reading of the output of a batch. */
  readonly settlement?: RowSettlement;
  /** The request is sent once, whatever a config says of retries: it is not known what one that failed has done. */
  readonly isSentOnce?: true;
  /** Cancelled with an AppError when the client disconnects or the drain deadline passes. */
  readonly signal: CancelSignal;
  /** Runs the task when the answer has been sent, or the client has left. */
  atEnd(task: () => void): void;
  /** Accounts for the bytes that attempts keep; closed when the answer has been sent. */
  readonly memory: ByteAccount;
  /** `performance.now()` at the first byte of the request. */
  readonly startedMs: number;
  readonly trace: TraceContext;
}

/** How the rows of one output are counted and charged, in place of how those are that a client reads. */
export interface RowSettlement {
  readonly marks: RowMarks;
  readonly budgets: Pick<Budgets, 'reserve'>;
  /** Of the record; undefined: it is made once anyway. */
  readonly once?: OnceRow;
}

export type HeaderMap = Record<string, string | string[]>;

export type AnswerBody =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  /** Relayed while it arrives, through the transform if there is one. */
  | {
      readonly kind: 'stream';
      readonly upstream: UpstreamBody;
      readonly transform: ByteTransform | undefined;
      /** Looks at the bytes where they are not transformed. */
      readonly observer?: AnswerObserver | undefined;
      /** What rows of a batch used, as far as they have passed. */
      readonly rows?: { counted(): CountedAnswer } | undefined;
      /** Bytes that the memory of the request holds for it: those that are there already, or those of a decoder. */
      readonly held?: number;
    };

/** The answer for the client and the facts for its record. */
export interface Answer {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body: AnswerBody;
  readonly facts: PipelineFacts;
  /** Present when the provider speaks another protocol from now on, with status 101. Who takes the answer owns it. */
  readonly connection?: ProviderConnection | undefined;
  /** Receives the complete client bytes of a cacheable answer. */
  readonly store: CacheWriter | undefined;
}

/** What responses of a session take of limits, one after the other. */
export interface ResponseHold extends Settlement {
  /** The response was not awaited, and its provider may bill it. */
  keep(): void;
  /** There was no response. */
  release(): void;
}

/** A WebSocket to a provider, open and not spoken on. */
export interface ProviderConnection extends UpstreamConnection {
  /** The sub-protocol that the provider has chosen. */
  readonly protocol: string | undefined;
  /** Throws the AppError of an event of the client that names a model which the account does not admit; absent: it admits all. */
  readonly checkEvent: ((event: Buffer, isBinary: boolean) => void) | undefined;
  /** Why the caller may not go on under a newer Snapshot; undefined: it may. */
  refusal(snapshot: SnapshotView, nowMs: number): AppError | undefined;
  /** Another gateway is at the other end, which records what happens in the session. */
  readonly isForwarded?: true;
  /** Of the first response; undefined: nothing limits it. */
  readonly hold: ResponseHold | undefined;
  /** Takes room for one more response. Throws the AppError of the limit that has none. */
  holdNext(): ResponseHold | undefined | Promise<ResponseHold | undefined>;
}

/** Receives an answer that may be cached, after it was sent. */
export interface CacheWriter {
  push(bytes: Buffer): void;
  /** The answer is complete and whole. */
  commit(): void;
}
