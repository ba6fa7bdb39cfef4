/** A call to a provider: what hooks see of it, and the requests that are made for it. */
import type { CancelSignal } from '../lib/cancellation.ts';
import type { Secret } from '../lib/secret.ts';
import type { StreamedBody, WireContext } from '../wire/contract.ts';

/** What a provider can be called for in a format that the gateway maps. */
export type EndpointId =
  | 'chatComplete'
  /** The tokens of a chat request; the answer is `{input_tokens}`. */
  | 'countTokens'
  | 'complete'
  | 'embed'
  | 'moderate'
  | 'rerank'
  | 'imageGenerate'
  | 'imageEdit'
  | 'imageVariation'
  | 'createSpeech'
  | 'createTranscription'
  | 'createTranslation'
  | 'messages'
  | 'messagesCountTokens'
  | 'createModelResponse'
  | 'getModelResponse'
  | 'deleteModelResponse'
  | 'listResponseInputItems'
  | 'realtime'
  | OwnApiEndpointId
  | ResourceEndpointId;

/** The own API of a provider for what an operation of the gateway asks, where clients that speak it get more than by the usual endpoint. */
export type OwnApiEndpointId = 'ollamaChat' | 'ollamaEmbed';

/** The realtime API where its sessions do not pass the gateway. */
export type RealtimeCallId =
  | 'createRealtimeCall'
  | 'acceptRealtimeCall'
  | 'rejectRealtimeCall'
  | 'referRealtimeCall'
  | 'hangupRealtimeCall'
  | 'createRealtimeSecret'
  | 'createRealtimeSession'
  | 'createTranscriptionSession'
  | 'createRealtimeTranslationCall'
  | 'createRealtimeTranslationSecret';

/** Message batches in the format of Anthropic's own API. */
export type MessageBatchEndpointId =
  | 'createMessageBatch'
  | 'listMessageBatches'
  | 'getMessageBatch'
  | 'getMessageBatchResults'
  | 'cancelMessageBatch'
  | 'deleteMessageBatch';

/** Calls for files, batches, fine-tuning jobs and realtime calls that the provider keeps. */
export type ResourceEndpointId =
  | 'createFile'
  | 'listFiles'
  | 'getFile'
  | 'getFileContent'
  | 'deleteFile'
  | 'createBatch'
  | 'listBatches'
  | 'getBatch'
  | 'getBatchOutput'
  | 'cancelBatch'
  | MessageBatchEndpointId
  | RealtimeCallId
  | 'createFinetune'
  | 'listFinetunes'
  | 'getFinetune'
  | 'listFinetuneEvents'
  | 'listFinetuneCheckpoints'
  | 'cancelFinetune';

/** The values of a target: vendor fields and credential, by their catalogue name. */
export interface TargetFields {
  /** A field's text; secret fields are not visible here. */
  text(key: string): string | undefined;
  secret(key: string): Secret | undefined;
}

/** Everything a hook may look at. Nothing in it may be changed. */
export interface Call extends WireContext {
  /** The client's operation in words of its API, for texts: `POST /v1/responses`. */
  readonly operation: string;
  /** What the provider is called for; another endpoint than the operation's own where an adapter serves it. */
  readonly endpoint: EndpointId | 'listModels' | 'proxy';
  /** Whether the client asked for a stream. */
  readonly stream: boolean;
  /** The gateway asked for the usage of the stream: it is taken out of what the client gets. */
  readonly hidesUsage?: boolean;
  /** Where a part of `params` is in the client's body, when that has another format; undefined: it has no place there. */
  placeOf?(part: object): string | undefined;
  readonly fields: TargetFields;
  /** The credential is stored: nothing in the call may choose host, service, region or resource. */
  readonly stored?: boolean;
  /** The identity of the gateway's own pod may be used for the call. */
  readonly ownIdentity?: boolean;
  /** A header of the client, by lower-case name. */
  header(name: string): string | undefined;
  /** The client's path below `/v1`, with a leading slash, still encoded. */
  readonly path: string;
  /** The client's query without `?`. */
  readonly query: string;
  /** Named segments of the route, e.g. `response_id`, still encoded. */
  readonly route: Readonly<Record<string, string>>;
}

/** The request as it goes out. Authorizers run last and may change all of it. */
export interface OutgoingRequest {
  readonly method: string;
  /** Scheme, host and port, without a slash at the end. */
  origin: string;
  /** Path and query, encoded. */
  path: string;
  /** Lower-case names. */
  readonly headers: Record<string, string>;
  /** Absent for GET and DELETE and for bodies that stream. */
  readonly body: Buffer | undefined;
  /** A body that is sent while it arrives. */
  readonly streamed?: StreamedBody | undefined;
}

/** A small JSON call beside the main one: tokens, inference profiles, remote images. Same SSRF guard, same proxies. */
export interface SideRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether cloud metadata addresses may be reached: only for the identity of the machine. */
  readonly metadata?: true;
  /** The address comes from the account, not from the client: it may be any that calls of the account may reach. */
  readonly account?: true;
  readonly maxBytes?: number;
}

export interface SideAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What authorizers and request writers may use besides the call. */
export interface ProviderServices {
  /** Throws AppError for network failures; any status is returned. */
  fetch(request: SideRequest, options: { readonly signal: CancelSignal }): Promise<SideAnswer>;
  /**
   * A value that is made once and kept until it expires, also when many ask at the same time. `make` returns the value and
   * its lifetime in ms; failures are not kept. Keys must contain everything the value depends on; secrets are hashed.
   */
  cached<T>(key: string, make: () => Promise<{ readonly value: T; readonly ttlMs: number }>): Promise<T>;
  /** Cloud settings of the process environment, by name. */
  env(name: string): string | undefined;
  now(): number;
}

/** Puts the credential on a request. Throws AppError `CREDENTIAL_UNAVAILABLE` or `PROVIDER_FIELD_MISSING`. */
export interface Authorizer {
  /** For the reference, e.g. `Authorization: Bearer`. */
  readonly summary: string;
  /** The credential is a signature over the request: nothing may be changed after it, by forwarded headers either. */
  readonly signs?: true;
  apply(request: OutgoingRequest, call: Call, context: AuthorizerContext): void | Promise<void>;
}

export interface AuthorizerContext {
  readonly services: ProviderServices;
  readonly signal: CancelSignal;
  /** The target goes to a host of its own, which may need no credential. */
  readonly customHost?: boolean;
}

/** Status and headers of an upstream answer. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
