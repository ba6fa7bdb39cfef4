/** How the calls of an operation reach a provider, and how its answers come back. */
import type { JsonLimits } from '../../lib/json/index.ts';
import type { Scrubber } from '../../lib/scrub.ts';
import type { Call, Endpoint, OutgoingRequest, Procedure, Provider, RowCheck } from '../../providers/contract.ts';
import type { CallOptions, Deferred, ModelAt, PreparedTarget, RequestOptions } from '../../providers/engine/index.ts';
import type { UpstreamResponse } from '../../upstream/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { AnswerObserver, ByteTransform } from '../../wire/transform/index.ts';
import type { Adaptation } from '../adapters/index.ts';
import type { UnaryAnswer } from '../attempt/map/index.ts';
import type { TryResult } from '../attempt/retries.ts';
import type { ClientRequest, HeaderMap, RequestBody } from '../exchange.ts';
import type { Operation } from './operation.ts';

/** A call as one target serves it. */
export interface ServedCall {
  readonly operation: Operation;
  readonly resolved: { readonly target: PreparedTarget };
  readonly provider: Provider;
  /** The provider's endpoint, where the call is made by one. */
  readonly endpoint: Endpoint | undefined;
  readonly call: Call;
  /** Of the client's JSON body as this target shapes it; `call.params` are those of the endpoint. */
  readonly params: JsonObject;
  /** Present when the endpoint has another format than the operation. */
  readonly adaptation: Adaptation | undefined;
}

export interface RequestParts extends RequestOptions {
  readonly method: string;
  readonly body: RequestBody;
  /** The headers of the client that a provider may get. */
  clientHeaders(): Readonly<Record<string, string>>;
}

export interface ClientAnswer {
  readonly headers: HeaderMap;
  readonly bytes: Buffer;
  /** The answer in the format of the endpoint, where its usage is to be found; absent: in `bytes`. */
  readonly counted?: Buffer;
}

export interface ClientStream {
  readonly headers: HeaderMap;
  /** Undefined: the bytes as they are, with nothing to say when they break. */
  readonly transform: ByteTransform | undefined;
  /** Looks at the bytes where they are not transformed. */
  readonly observer?: AnswerObserver;
}

export interface CollectOptions extends CallOptions {
  readonly json: JsonLimits;
  /** Sends one request, with the retries and timeouts of the target. */
  send(request: () => Deferred<OutgoingRequest>): Promise<TryResult<UnaryAnswer>>;
}

export interface OperationHandler {
  /** What the provider is called for. */
  readonly endpoint: Call['endpoint'];
  /** Whether a member `stream` of a JSON body asks for a stream. */
  readonly readsStream: boolean;
  /** Whether the client's query goes to the provider. */
  readonly passesQuery: boolean;
  /** The provider's endpoint; undefined where it has none or the call is made without. */
  endpointOf(provider: Provider): Endpoint | undefined;
  /** Where the provider has no endpoint, and several requests make the answer; such answers are not cached. */
  procedureOf?(provider: Provider): Procedure | undefined;
  /** What looks at the rows that the endpoint is called for, where the account admits listed models only. */
  rowCheckOf?(provider: Provider): RowCheck | undefined;
  /** Where a call names the model that it runs; undefined: not known. */
  modelAt(provider: Provider, request: Pick<ClientRequest, 'method' | 'path'>): ModelAt | undefined;
  /** Throws AppError where the provider cannot be called. */
  buildRequest(served: ServedCall, parts: RequestParts): Deferred<OutgoingRequest>;
  /** Whether an answer is relayed while it arrives. */
  isStreamed(served: ServedCall, response: UpstreamResponse): boolean;
  /** Whether such an answer is a stream of events, which may last, and not one body. */
  isEventStream(served: ServedCall, response: UpstreamResponse): boolean;
  /** A good answer. Throws UPSTREAM_INVALID_RESPONSE. */
  mapAnswer(served: ServedCall, answer: UnaryAnswer, json: JsonLimits): ClientAnswer;
  /** An error of the provider. */
  mapError(served: ServedCall, answer: UnaryAnswer): ClientAnswer;
  /** A good answer that is relayed while it arrives. `scrub` takes credentials out of what the provider reports. */
  mapStream(served: ServedCall, response: UpstreamResponse, scrub: Scrubber): ClientStream;
  /** Makes one answer of several calls; such answers are not cached. */
  collect?(served: ServedCall, options: CollectOptions): Promise<TryResult<UnaryAnswer>>;
}
