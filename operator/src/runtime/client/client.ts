import { isObject, parseJson } from '@gatehouse/crds';
import { type Clock, type Deadline, startDeadline, systemClock } from '../time/index.ts';
import { type ClusterSource, openAccess } from './access.ts';
import { ApiError, errorFromAnswer } from './api-error.ts';
import { ListReader } from './list-reader.ts';
import { type Shorten, withoutManagedFields, withSpecWrites } from './managed-fields.ts';
import { apiVersionOf, type KindRef, type KubeObject, type ObjectName } from './objects.ts';
import { type Query, queryString, type ResourcePlace, resourcePath } from './path.ts';
import {
  createTransport,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
  toUnreachable,
} from './transport.ts';
import { openWatchStream, type WatchStream } from './watch.ts';

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Of the whole call, waiting for a connection and for Retry-After included. Default 30 s, for a list 60 s. */
  readonly timeoutMs?: number;
  /** The server has too much to do: the call waits for so long, in ms, and is then sent once more. */
  readonly onWait?: (waitMs: number) => void;
}

export interface Selection {
  /** Absent for a namespaced Kind: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions<T extends KubeObject = KubeObject> extends CallOptions, Selection {
  readonly limit?: number | undefined;
  /** From the previous page. */
  readonly continueToken?: string | undefined;
  /**
   * Called with each item as it arrives, without its managed fields, and with the length of its text; the result is then
   * without items, and never held whole.
   */
  readonly onItem?: ((item: T, characters: number) => void) | undefined;
}

export interface ObjectList<T extends KubeObject> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Absent on the last page. */
  readonly continueToken: string | undefined;
}

export interface WatchOptions extends Selection {
  readonly signal: AbortSignal;
  /** Where to continue; absent: the existing objects come first, as ADDED. */
  readonly resourceVersion?: string | undefined;
  /** When the server ends the watch. */
  readonly timeoutSeconds: number;
  /** The longest time without data: the stream then ends with ApiError `Timeout`. */
  readonly silenceMs: number;
  /** Objects have nothing but their metadata. */
  readonly metadataOnly?: boolean | undefined;
}

/** Which part of an object is written, and whether it is a dry run. */
export interface WriteOptions extends CallOptions {
  readonly subresource?: string | undefined;
  readonly fieldManager?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** The answer has nothing but the metadata of the object. */
  readonly metadataOnly?: boolean | undefined;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers; without it they are a `Conflict` whose causes name them. */
  readonly force: boolean;
}

export interface DeleteOptions extends CallOptions {
  /** `Conflict` if the object has another uid. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly dryRun?: boolean | undefined;
}

/** The verbs of the API server. All reject with ApiError, or with the reason of the caller's signal. */
export interface KubeClient extends AsyncDisposable {
  get<T extends KubeObject>(kind: KindRef<T>, name: ObjectName, options: CallOptions): Promise<T>;
  list<T extends KubeObject>(kind: KindRef<T>, options: ListOptions<T>): Promise<ObjectList<T>>;
  /** Resolves when the server has started to answer. */
  watch<T extends KubeObject>(kind: KindRef<T>, options: WatchOptions): Promise<WatchStream<T>>;
  create<T extends KubeObject>(kind: KindRef<T>, object: T, options: WriteOptions): Promise<T>;
  /** Posts to a subresource, e.g. `token` of a ServiceAccount. */
  createSub<T extends KubeObject>(
    kind: KindRef,
    name: ObjectName,
    body: T,
    options: WriteOptions & { readonly subresource: string },
  ): Promise<T>;
  /** Replaces the object; fails with `Conflict` when its resourceVersion is not the current one. */
  update<T extends KubeObject>(kind: KindRef<T>, object: T, options: WriteOptions): Promise<T>;
  /** Server-side apply: the object is all that the field manager sets. */
  apply<T extends KubeObject>(kind: KindRef<T>, object: KubeObject, options: ApplyOptions): Promise<T>;
  /** RFC 7396; put `metadata.resourceVersion` into the patch to fail when the object has changed. */
  mergePatch<T extends KubeObject>(
    kind: KindRef<T>,
    name: ObjectName,
    patch: object,
    options: WriteOptions,
  ): Promise<T>;
  delete(kind: KindRef, name: ObjectName, options: DeleteOptions): Promise<void>;
  /** A document at a path that is no resource, e.g. `/openid/v1/jwks`. */
  read(path: string, options: CallOptions): Promise<unknown>;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'apply' | 'patch' | 'delete';

/** One finished call; `code` is 0 when there was no answer. */
export interface CallReport {
  readonly verb: Verb;
  readonly code: number;
  readonly seconds: number;
}

export interface KubeClientOptions {
  readonly source: ClusterSource;
  readonly userAgent: string;
  readonly clock?: Clock;
  readonly onCall?: (report: CallReport) => void;
  /** Lists and watches keep `metadata.specWrites`. */
  readonly keepsSpecWrites?: true;
}

const CALL_MS = 30_000;
const LIST_MS = 60_000;
const JSON_TYPE = 'application/json';
const METADATA_TYPE = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Opens the source of credentials; rejects when there is none. Nothing is sent before the first verb. */
export async function createKubeClient(options: KubeClientOptions): Promise<KubeClient> {
  const { source, userAgent, clock = systemClock } = options;
  const access = await openAccess(source);
  const shorten = options.keepsSpecWrites ? withSpecWrites : withoutManagedFields;
  const context = { clock, shorten, onCall: options.onCall ?? (() => {}) };
  return createVerbs(createTransport({ access, userAgent, clock }), context);
}

interface Call {
  readonly verb: Verb;
  readonly kind: KindRef;
  readonly place: ResourcePlace;
  readonly query?: Query;
  readonly body?: TransportRequest['body'];
  readonly options: CallOptions & Pick<WriteOptions, 'metadataOnly'>;
  /** Reads a successful answer; default: as one JSON document. */
  readonly read?: ((answer: TransportAnswer, signal: AbortSignal) => Promise<unknown>) | undefined;
}

const METHODS = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  apply: 'PATCH',
  patch: 'PATCH',
  delete: 'DELETE',
} as const satisfies Record<Verb, TransportRequest['method']>;

interface VerbContext {
  readonly clock: Clock;
  /** Of the texts of lists and watches. */
  readonly shorten: Shorten;
  readonly onCall: (report: CallReport) => void;
}

function createVerbs(transport: Transport, context: VerbContext): KubeClient {
  // Every `as` here: the server has validated the object against the schema of its type.
  const call = (given: Call) => exchange(transport, given, context);
  return {
    get: async <T>(kind: KindRef, name: ObjectName, options: CallOptions) =>
      (await call({ verb: 'get', kind, place: name, options })) as T,
    list: async <T extends KubeObject>(kind: KindRef<T>, options: ListOptions<T>) => {
      const { namespace, limit, continueToken, labelSelector, fieldSelector, onItem } = options;
      const query = { limit, continue: continueToken, labelSelector, fieldSelector };
      const read = onItem && listReading(kind, onItem, context.shorten);
      return toList(kind, await call({ verb: 'list', kind, place: { namespace }, query, options, read }));
    },
    watch: (kind, options) => startWatch(transport, kind, options, context),
    create: async <T extends KubeObject>(kind: KindRef<T>, object: T, options: WriteOptions) => {
      const { namespace } = object.metadata;
      const given = { verb: 'create', kind, place: { namespace }, query: writeQuery(options), options } as const;
      return (await call({ ...given, body: json(object) })) as T;
    },
    createSub: async <T>(
      kind: KindRef,
      name: ObjectName,
      body: T,
      options: WriteOptions & { readonly subresource: string },
    ) => {
      const place = { ...name, subresource: options.subresource };
      const given = { verb: 'create', kind, place, query: writeQuery(options), options } as const;
      return (await call({ ...given, body: json(body) })) as T;
    },
    update: async <T extends KubeObject>(kind: KindRef<T>, object: T, options: WriteOptions) => {
      const given = { verb: 'update', kind, place: placeOf(object.metadata, options), options } as const;
      return (await call({ ...given, query: writeQuery(options), body: json(object) })) as T;
    },
    apply: async <T extends KubeObject>(kind: KindRef<T>, object: KubeObject, options: ApplyOptions) => {
      const given = { verb: 'apply', kind, place: placeOf(object.metadata, options), options } as const;
      const query = { ...writeQuery(options), force: options.force };
      return (await call({ ...given, query, body: json(object, 'application/apply-patch+yaml') })) as T;
    },
    mergePatch: async <T>(kind: KindRef, name: ObjectName, patch: object, options: WriteOptions) => {
      const given = { verb: 'patch', kind, place: placeOf(name, options), options } as const;
      const body = json(patch, 'application/merge-patch+json');
      return (await call({ ...given, query: writeQuery(options), body })) as T;
    },
    delete: async (kind, name, options) => {
      const { uid, resourceVersion, propagation = 'Background', dryRun = false } = options;
      const preconditions = { uid, resourceVersion };
      const body = json({ propagationPolicy: propagation, preconditions, ...(dryRun ? { dryRun: ['All'] } : {}) });
      await call({ verb: 'delete', kind, place: name, body, options });
    },
    read: (path, options) => readDocument(transport, path, { ...context, options }),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

const json = (value: unknown, type = JSON_TYPE) => ({ text: JSON.stringify(value), type });

const placeOf = ({ namespace, name }: ObjectName, { subresource }: WriteOptions) => ({ namespace, name, subresource });

const writeQuery = ({ fieldManager, dryRun }: WriteOptions): Query => ({
  fieldManager,
  fieldValidation: 'Strict', // an unknown field is a bug of the operator, which must not be dropped silently
  dryRun: dryRun === true ? 'All' : undefined,
});

async function exchange(transport: Transport, call: Call, context: VerbContext): Promise<unknown> {
  const { verb, kind, place, query = {}, body, options, read = readAnswer } = call;
  const timeoutMs = options.timeoutMs ?? (verb === 'list' ? LIST_MS : CALL_MS);
  using deadline = limit(options.signal, timeoutMs, context.clock);
  const target = resourcePath(kind, place) + queryString(query);
  const started = context.clock.monotonicMs();
  let code = 0;
  try {
    const { onWait, metadataOnly = false } = options;
    const accept = metadataOnly ? METADATA_TYPE : undefined;
    const answer = await transport.send({
      method: METHODS[verb],
      target,
      body,
      signal: deadline.signal,
      onWait,
      accept,
    });
    code = answer.status;
    const isGood = code >= 200 && code < 300;
    return await (isGood ? read : readAnswer)(answer, deadline.signal);
  } finally {
    context.onCall({ verb, code, seconds: (context.clock.monotonicMs() - started) / 1000 });
  }
}

async function readDocument(
  transport: Transport,
  target: string,
  { clock, onCall, options }: VerbContext & { readonly options: CallOptions },
): Promise<unknown> {
  using deadline = limit(options.signal, options.timeoutMs ?? CALL_MS, clock);
  const started = clock.monotonicMs();
  let code = 0;
  try {
    // Key sets have a media type of their own.
    const answer = await transport.send({ method: 'GET', target, signal: deadline.signal, accept: '*/*' });
    code = answer.status;
    return await readAnswer(answer, deadline.signal);
  } finally {
    onCall({ verb: 'get', code, seconds: (clock.monotonicMs() - started) / 1000 });
  }
}

async function startWatch<T extends KubeObject>(
  transport: Transport,
  kind: KindRef<T>,
  options: WatchOptions,
  { clock, shorten, onCall }: VerbContext,
): Promise<WatchStream<T>> {
  const { signal, namespace, timeoutSeconds, silenceMs, labelSelector, fieldSelector, resourceVersion } = options;
  const query = {
    labelSelector,
    fieldSelector,
    resourceVersion,
    timeoutSeconds,
    watch: true,
    allowWatchBookmarks: true,
  };
  const deadline = limit(signal, CALL_MS, clock); // a watch begins to answer at once
  const started = clock.monotonicMs();
  let code = 0;
  try {
    const target = resourcePath(kind, { namespace }) + queryString(query);
    const accept = options.metadataOnly === true ? METADATA_TYPE : undefined;
    const answer = await transport.send({ method: 'GET', target, signal: deadline.signal, streams: true, accept });
    code = answer.status;
    if (code !== 200) await readAnswer(answer, deadline.signal);
    return openWatchStream<T>(answer, { deadline, silenceMs, shorten });
  } catch (error) {
    deadline[Symbol.dispose]();
    throw error;
  } finally {
    onCall({ verb: 'watch', code, seconds: (clock.monotonicMs() - started) / 1000 });
  }
}

function limit(signal: AbortSignal, timeoutMs: number, clock: Clock): Deadline {
  const onTimeout = (): ApiError =>
    new ApiError({ status: 0, reason: 'Timeout', message: 'the API server took too long' });
  return startDeadline({ signal, timeoutMs, onTimeout, clock });
}

/** The decoded body of a successful answer; throws the error of a failed one. */
async function readAnswer({ status, body, retryAfterMs }: TransportAnswer, signal: AbortSignal): Promise<unknown> {
  let text: string;
  try {
    text = await body.text();
  } catch (error) {
    throw toUnreachable(error, signal);
  }
  const value = decodeJson(text);
  if (status >= 200 && status < 300 && isObject(value)) return value;
  if (status < 300) throw new ApiError({ status, reason: 'Undecodable', message: 'the answer is not a JSON object' });
  throw errorFromAnswer(status, value, retryAfterMs);
}

/** Passes the items of a list on one by one, and returns the list without them. */
function listReading<T extends KubeObject>(
  kind: KindRef<T>,
  onItem: NonNullable<ListOptions<T>['onItem']>,
  shorten: Shorten,
): NonNullable<Call['read']> {
  const type = typeOf(kind);
  return async ({ status, body }, signal) => {
    const reader = new ListReader((text) => {
      const item = decodeJson(shorten(text));
      if (!isObject(item)) throw undecodable(status);
      onItem({ ...type, ...item } as T, text.length); // the server has validated it
    });
    for await (const piece of readable(body, signal)) reader.push(piece);
    const value = decodeJson(reader.rest());
    if (!isObject(value)) throw undecodable(status);
    return value;
  };
}

/** The chunks of a body; an error of the body, not one of its reader, becomes an ApiError. */
async function* readable(body: TransportAnswer['body'], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw toUnreachable(error, signal);
  }
}

const undecodable = (status: number): ApiError =>
  new ApiError({ status, reason: 'Undecodable', message: 'the answer is not a list' });

function decodeJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Items of built-in Kinds come without these two members. */
const typeOf = (kind: KindRef) => ({ apiVersion: apiVersionOf(kind), kind: kind.kind });

function toList<T extends KubeObject>(kind: KindRef<T>, value: unknown): ObjectList<T> {
  const metadata = isObject(value) && isObject(value['metadata']) ? value['metadata'] : {};
  const { resourceVersion, continue: continueToken } = metadata;
  if (!isObject(value) || !Array.isArray(value['items']) || typeof resourceVersion !== 'string') {
    throw undecodable(200);
  }
  const type = typeOf(kind);
  return {
    items: value['items'].map((item) => ({ ...type, ...item })),
    resourceVersion,
    continueToken: typeof continueToken === 'string' && continueToken !== '' ? continueToken : undefined,
  };
}
