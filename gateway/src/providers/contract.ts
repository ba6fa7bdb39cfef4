/**
 * What a provider declares. Shared code asks these properties and never names a provider. Adding one touches its folder
 * (or its row of `table/`) and the register: docs/contributing/add-a-provider.md.
 */
import type { Result } from '@gatehouse/crds';
import type { AppError } from '../errors/index.ts';
import type { CancelSignal } from '../lib/cancellation.ts';
import type { ErrorFields, Frame, JsonObject, StreamDecoder } from '../wire/contract.ts';
import type { Framing } from '../wire/framing/index.ts';
import type { Takes } from '../wire/params/params.ts';
import type {
  AnswerHead,
  Authorizer,
  Call,
  EndpointId,
  ProviderServices,
  ResourceEndpointId,
  TargetFields,
} from './call.ts';
import type { Procedure, RowCheck } from './procedure.ts';

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
export type {
  AnswerHead,
  Authorizer,
  AuthorizerContext,
  Call,
  EndpointId,
  MessageBatchEndpointId,
  OutgoingRequest,
  OwnApiEndpointId,
  ProviderServices,
  RealtimeCallId,
  ResourceEndpointId,
  SideAnswer,
  SideRequest,
  TargetFields,
} from './call.ts';
export {
  type OpenedAnswer,
  type Procedure,
  type ProcedureRequest,
  type ProcedureResult,
  type ProcedureTools,
  ProviderRefusal,
  type RowCheck,
  type WholeAnswer,
} from './procedure.ts';

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
  /** The upstream has no model of its own: a form that names none is refused, as far as it has been read to its end. */
  readonly needsModel?: true;
  /** Fields that are written in front of the others, in place of what the client sent under these names. */
  set?(call: Call): Readonly<Record<string, string>>;
}

/** How a request body is made: by table, or by code when the upstream has another shape. */
export type RequestRule =
  | {
      readonly kind: 'table';
      readonly table: RequestTable;
      /** Where the body is written anew, its numbers stay as the client wrote them. */
      readonly keepsNumbers?: true;
    }
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
  /** The SDP of `sdp` as text, or with its `session` as a form. */
  | { readonly kind: 'offer'; readonly hooks: readonly BodyHook[] }
  /** The client's bytes. */
  | { readonly kind: 'binary' }
  /** GET and DELETE. */
  | { readonly kind: 'none' };

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
  /** Parameters that it knows, of an endpoint that passes whatever it is given. */
  readonly names?: readonly string[];
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

/** Batches that the provider runs for batches of the gateway's own, by its calls for files and batches. */
export interface RowBatches {
  /** Paths of the calls that rows may make. */
  readonly endpoints: readonly string[];
  /**
   * `file`: rows as the provider takes them are uploaded before the batch is created, and a batch keeps metadata. `call`: the call that
   * creates the batch reads rows as clients write them, and its results repeat their ids.
   */
  readonly input: 'file' | 'call';
  /** Members of the call that creates the batch which a client may add. */
  readonly options: readonly string[];
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
  /** What takes more than one request; an endpoint of the same name comes first. */
  readonly procedures?: Partial<Readonly<Record<ResourceEndpointId, Procedure>>>;
  /** What accounts that admit listed models only need before such a call of an endpoint; without, they refuse it. */
  readonly rowChecks?: Partial<Readonly<Record<ResourceEndpointId, RowCheck>>>;
  /** How rows of a batch of the gateway's own run as one batch of the provider; absent: they are asked for one by one. */
  readonly rowBatches?: RowBatches;
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
