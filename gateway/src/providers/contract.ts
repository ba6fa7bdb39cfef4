/**
 * What a provider declares. Shared code asks these properties and never names a provider. Adding one touches its folder
 * (or its row of `table/`) and the register: docs/contributing/add-a-provider.md.
 */
import type { Result } from '@gatehouse/crds';
import type { AppError } from '../errors/index.ts';
import type { CancelSignal } from '../lib/cancellation.ts';
import type { Secret } from '../lib/secret.ts';
import type { ErrorFields, Frame, JsonObject, StreamDecoder, StreamedBody, WireContext } from '../wire/contract.ts';
import type { Framing } from '../wire/framing/index.ts';
import type { Takes } from '../wire/params/params.ts';

export type {
  ErrorFields,
  Frame,
  JsonObject,
  StreamDecoder,
  StreamedBody,
  StreamItem,
  Upload,
  Usage,
  WireContext,
} from '../wire/contract.ts';
export type { Framing } from '../wire/framing/index.ts';
export type { Takes } from '../wire/params/params.ts';

/** What a provider can be called for in a format that the gateway maps. */
export type EndpointId =
  | 'chatComplete'
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
  | 'realtime';

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
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
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

/**
 * Text with placeholders `{field}` and `{field|default}`. `{model}` is the model with its slashes, `{encoded_model}` the model
 * as one path segment, `{query}` the client's query; the named segments of the route are placeholders, too. Without a value
 * a URL is an error, and a header is left out.
 */
export type Template = string;

/** What happens to the parameters of a client; unknown ones are forwarded unless `only` is given. */
export interface RequestTable {
  /** Client name to upstream name; a dot nests. */
  readonly rename?: Readonly<Record<string, string>>;
  readonly drop?: readonly string[];
  /** Numbers outside are set to the nearest bound. */
  readonly clamp?: Readonly<Record<string, { readonly min?: number; readonly max?: number }>>;
  /** Sent when the client did not send it. */
  readonly inject?: JsonObject;
  /** Forward these client names only. */
  readonly only?: readonly string[];
  /** Names that are not in the body because the call has them elsewhere: in a header, or in its path. */
  readonly elsewhere?: readonly string[];
  /** Changes a table cannot say; each returns the same object when it has nothing to do. Run before the table. */
  readonly hooks?: readonly BodyHook[];
}

export type BodyHook = (params: JsonObject, call: Call) => JsonObject;

/** What happens to the fields of a form; those that are not named, and all files, go through as they are. */
export interface FormTable {
  /** Client name to upstream name, of fields and files. */
  readonly rename?: Readonly<Record<string, string>>;
  readonly drop?: readonly string[];
  /** Fields that are written in front of the others, in place of what the client sent under these names. */
  set?(call: Call): Readonly<Record<string, string>>;
}

/** How a request body is made: by table, or by code when the upstream has another shape. */
export type RequestRule =
  | { readonly kind: 'table'; readonly table: RequestTable }
  | {
      readonly kind: 'write';
      /** The parameters that the body says; all others are named to the client as left out. */
      takes(call: Call): Takes;
      /** True: the members are sent as fields of a form; their values are texts, numbers and booleans. Absent: as JSON. */
      asForm?(call: Call): boolean;
      write(
        params: JsonObject,
        call: Call,
        context: { readonly services: ProviderServices; readonly signal: CancelSignal },
      ): Result<object, AppError> | Promise<Result<object, AppError>>;
    }
  /** The client's form; with an empty table its bytes. */
  | { readonly kind: 'form'; readonly table: FormTable }
  /** The client's bytes. */
  | { readonly kind: 'binary' }
  /** GET and DELETE. */
  | { readonly kind: 'none' };

/** Status and headers of an upstream answer. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** How a good answer that is no stream gets into the format of the endpoint. */
export type AnswerRule =
  /** The bytes are already right. */
  | { readonly kind: 'relay' }
  /**
   * The bytes are right but for the `provider` member, which is appended to the JSON text. `extend` adds what only clients
   * that are not strict may get; it returns the same object when there is nothing to add.
   */
  | { readonly kind: 'tag'; extend?(body: JsonObject, call: Call): JsonObject }
  /** Whatever the answer is, its bytes reach the client while they arrive. */
  | { readonly kind: 'binary' }
  /**
   * The answer is read; an error says why it cannot be (becomes `UPSTREAM_INVALID_RESPONSE`). `readImage`: where a content type
   * says that the bytes are an image.
   */
  | {
      readonly kind: 'read';
      read(body: unknown, call: Call, head: AnswerHead): Result<object, string>;
      readImage?(bytes: Buffer, call: Call): Result<object, string>;
    };

export type StreamRule =
  /** The bytes are already right; a missing terminator is added. */
  | { readonly kind: 'relay' }
  /**
   * As relay, with the `provider` member appended to each chunk; decoded (framing `sse`) when the client asked for usage or
   * is not strict.
   */
  | { readonly kind: 'tag'; open(call: Call): StreamDecoder }
  | {
      readonly kind: 'decode';
      readonly framing: Framing | ((call: Call) => Framing);
      open(call: Call): StreamDecoder;
    };

export interface Endpoint {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Appended to the base URL. */
  readonly path: Template | ((call: Call) => string);
  /** Used instead when the client asked for a stream. */
  readonly streamPath?: Template | ((call: Call) => string);
  /** False: this call is not offered (for example a model family without a native messages API). */
  supports?(call: Call): boolean;
  /** Part of the cache key: what an answer depends on beside the main request. */
  cacheSalt?(call: Call): string;
  readonly request: RequestRule;
  readonly answer: AnswerRule;
  readonly stream?: StreamRule;
  /**
   * Client parameters that ask for the usage of a stream, where it comes in a chunk of its own and only on request; the same
   * object when they ask already. Absent: streams report their usage unasked, or not at all.
   */
  askForUsage?(params: JsonObject): JsonObject;
  /**
   * Parameters beyond the format that others of the format have and this upstream refuses. Clients who send them read its error;
   * adapters leave them out.
   */
  readonly lacks?: readonly string[];
}

/** One page of a model list. */
export interface ModelPage {
  readonly data: readonly JsonObject[];
  /** Names for people by id, where the provider has them. */
  readonly displayNames?: ReadonlyMap<string, string>;
  /** Path and query of the next page, relative to the base URL. */
  readonly next?: string;
}

/** How the provider lists its models. */
export interface ModelsEndpoint {
  readonly path: Template | ((call: Call) => string);
  /** Absent: the body is relayed. */
  read?(body: unknown, call: Call, page: string | undefined): Result<ModelPage, string>;
}

/** What the proxy mode does differently for the provider. */
export interface ProxyRule {
  /**
   * What proxied calls reach with a stored credential, as `METHOD /path` below the base URL; the patterns are those of
   * `engine/path-pattern.ts`. Everything else is open to accounts alone whose owner says so.
   */
  readonly dataPlane: readonly string[];
  /** The value of a `{name}` in these patterns, where it is not the field of that name. */
  place?(name: string, fields: TargetFields): string | undefined;
  /** Path and query to append to the base URL; default: the client's path without `/v1`, and its query. */
  path?(call: Call): string;
  /** The base URL when it depends on the path; undefined: the usual one. A custom host comes first. */
  baseUrl?(call: Call): string | undefined;
  /**
   * Where calls name the model they run; the first row that fits decides. GET runs none. What is in no row is refused by
   * accounts that admit listed models only.
   */
  readonly modelPlaces: readonly ModelPlace[];
}

/** Calls that name their model in the same way. */
export interface ModelPlace {
  /** Patterns of `engine/path-pattern.ts`, of the client's path. */
  readonly calls: readonly string[];
  /**
   * `body`: the member `model` of a JSON body, and nothing else that the provider knows of. `path`: the `<model>` of the
   * pattern. `none`: no model runs.
   */
  readonly model: 'body' | 'path' | 'none';
  /** The model as calls spell it, from the segments at `<model>`; default: joined by slashes. */
  name?(parts: readonly string[]): string;
}

export interface Provider {
  /** Id of the catalogue (`@gatehouse/crds/providers`). */
  readonly id: string;
  /** Scheme, host and path prefix without a slash at the end; a custom host replaces it whole. */
  readonly baseUrl: Template | ((call: Call) => string);
  readonly auth: Authorizer;
  /** Sent with every call, by lower-case name; a header without a value for a placeholder is left out. */
  readonly headers?: Readonly<Record<string, Template | ((call: Call) => string | undefined)>>;
  /**
   * Further headers by which the upstream would let a call choose project, tenant or resource, in lower case: callers of a
   * stored credential cannot send them. Headers above that come from a routing field of the catalogue need no mention.
   */
  readonly routingHeaders?: readonly string[];
  readonly endpoints: Partial<Readonly<Record<EndpointId, Endpoint>>>;
  readonly models?: ModelsEndpoint;
  readonly proxy: ProxyRule;
  /** The provider's own error dialect, tried before the shapes every provider is tried with. */
  readError?(body: unknown, head: AnswerHead): ErrorFields | undefined;
  /**
   * Whether the first events of a stream may carry an overload that should count as HTTP 529 when the target asks for it.
   */
  isOverloadFrame?(frame: Frame): boolean;
}

/** Checks nothing at run time: gives a manifest its type and one place to read about it. */
export function defineProvider(provider: Provider): Provider {
  return provider;
}
