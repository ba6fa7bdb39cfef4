/** What one operation of the data plane declares: a call of an API that clients know. Shared code asks these properties. */
import type { Readable } from 'node:stream';
import type { AppError, ErrorFormat } from '../../errors/index.ts';
import type { RequestType } from '../../guardrails/index.ts';
import type { JsonLimits } from '../../lib/json/index.ts';
import type { Endpoint, Provider } from '../../providers/contract.ts';
import type { ManagedProvider } from '../../snapshot/index.ts';
import type { UpstreamBody } from '../../upstream/index.ts';
import type { StreamProtocol } from '../../wire/transform/index.ts';
import type { Door } from '../doors/index.ts';
import type { Caller, ClientRequest, Exchange, HeaderMap, RequestBody } from '../exchange.ts';
import type { Resolution } from '../resolve/index.ts';
import type { OperationHandler } from './handler.ts';

/** What a request may bring: a JSON object, a `multipart/form-data` form, other bytes, or nothing. */
export type BodyKind = 'json' | 'form' | 'binary' | 'none';

export interface ResolvedRequest {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly resolution: Resolution;
}

export interface WholeAnswer {
  readonly headers: HeaderMap;
  readonly bytes: Buffer;
}

/** Whole, or while it is read. */
export type LocalAnswer = WholeAnswer | { readonly headers: HeaderMap; readonly stream: UpstreamBody };

/** What an answer without a provider may need beside the request. */
export interface LocalPorts {
  readonly accountModels: AccountModels;
  readonly ownResources: OwnResources;
  readonly ingest: Ingest;
}

/** Takes records that clients have for the request log: docs/behaviour/request-logs.md#records-of-clients. */
export interface Ingest {
  /**
   * Rejects with the AppError of the first rule that the call breaks, and then keeps nothing of it. Undefined: the fleet of the sidecar
   * takes them.
   */
  answer(call: IngestCall, request: ResolvedRequest): Promise<LocalAnswer> | undefined;
}

/** `logs`: requests and their answers; `spans`: by OTLP. */
export type IngestCall = 'logs' | 'spans';

/** The files and batches that the gateway keeps itself: docs/behaviour/managed-batches.md. */
export interface OwnResources {
  /** Rejects with the AppError of the first rule that the request breaks. */
  answer(call: OwnResourceCall, request: ResolvedRequest): Promise<LocalAnswer>;
  /** The content of a file of the workspace. Rejects with FILE_UNKNOWN, or with the AppError of a store that is away. */
  content(workspace: string, file: string): Promise<Readable>;
}

export type OwnResourceCall =
  | 'createFile'
  | 'listFiles'
  | 'getFile'
  | 'getFileContent'
  | 'deleteFile'
  | 'createBatch'
  | 'listBatches'
  | 'getBatch'
  | 'getBatchOutput'
  | 'cancelBatch';

/** The models that providers list for accounts without a list of their own. */
export interface AccountModels {
  /** What is known now. */
  of(account: ManagedProvider): readonly string[];
  /** Brings lists up to date in the background; resolves, after a few seconds at most, when there is one of each. Undefined: there is nothing to wait for. */
  prepare(accounts: readonly ManagedProvider[], request: ResolvedRequest): Promise<void> | undefined;
}

/** What the format of an error may depend on. */
export type ErrorSource = Pick<ClientRequest, 'path' | 'header'>;

/** What guardrails may take a request for depends on. */
export type CheckedSource = Pick<ClientRequest, 'method' | 'path'>;

export interface OperationRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** A path with `:named` segments; `*` at the end takes whatever no other route does. */
  readonly path: string;
}

/** What a body may be read with. */
export interface ReadContext {
  /** Of the client, without `?`. */
  readonly query: string;
  readonly json: JsonLimits;
}

/** What a model makes. */
export type Generated = 'text' | 'vectors' | 'images' | 'speech' | 'transcript';

export interface Operation {
  /** Its label in metrics and the request log. */
  readonly id: string;
  readonly routes: readonly OperationRoute[];
  /** One of these scopes of a key opens the operation. */
  readonly scopes: readonly string[];
  /** One of these is needed where a provider is called; absent: one of `scopes` is enough. */
  readonly upstreamScopes?: readonly string[];
  /** How to get an answer without a provider, for those who lack the scope. */
  readonly localHint?: string;
  /** What bodies it takes; the content type decides between several. */
  readonly bodies: readonly BodyKind[];
  /** Its body is JSON, whatever its content type says: its clients send none that counts. */
  readonly anyMediaType?: true;
  /** Answers may come from the response cache. */
  readonly cacheable: boolean;
  /** What is charged where an answer does not say how many tokens it has; images also by the piece, speech by character, transcripts by the second. Absent: nothing. */
  readonly generates?: Generated;
  /** It is about what one provider keeps: configs name one target, and usage in answers is that of other calls. */
  readonly keptByProvider?: true;
  /** It is about what one target of several may keep: they are asked until one has it. */
  readonly looksUp?: true;
  /** A good answer is about a batch that the call has created. */
  readonly createsBatch?: true;
  /** A good answer may be the output of a batch, whose rows are counted: in the format of OpenAI, or results of message batches. */
  readonly reportsRows?: 'output' | 'messages';
  /** What guardrails take its requests for, a function where it depends on the request; absent or undefined: they do not look at them. */
  readonly checkedAs?: RequestType | ((request: CheckedSource) => RequestType | undefined);
  /** Its `gen_ai.operation.name` in the conventions of OpenTelemetry; absent: its id. */
  readonly genAiName?: 'chat' | 'text_completion' | 'embeddings';
  /**
   * Saved prompts: that of its route is called or shown, a body may name one in `prompt_id`, or may not. Absent: nothing is
   * looked at.
   */
  readonly prompts?: 'called' | 'rendered' | 'named' | 'refused';
  /** What a call of a saved prompt is, by the kind of the prompt. */
  readonly promptAs?: Readonly<Record<'chat' | 'text', Operation>>;
  /** The format of errors; a function where it depends on the request. */
  readonly errors: ErrorFormat | ((request: ErrorSource) => ErrorFormat);
  /** The format of streams; `events`: server-sent events that nothing more is known about. */
  readonly streamFormat: StreamProtocol;
  /** Its calls leave HTTP: the answer is a connection. Nothing is tried again, and no other target is. */
  readonly connects?: true;
  /** A good answer opens a session that does not pass the gateway, or lets its reader open some: what has to hold for sessions refuses the call. */
  readonly opensElsewhere?: true;
  /** A good answer has a credential of the provider: no bodies of its calls are kept. */
  readonly answersSecret?: true;
  /** Its body has a secret of the client: no bodies of its calls are kept, while what else is known of them is. */
  readonly takesSecret?: true;
  /** The JSON body that everything looks at in place of the client's. Throws, and rejects with, the AppError of a body that it cannot be. */
  readAs?(body: RequestBody, context: ReadContext): RequestBody | Promise<RequestBody>;
  readonly handler: OperationHandler;
  /** Where a request names no provider, or `gw`, the gateway keeps the resource itself. */
  readonly mayBeOwn?: true;
  /** Its clients speak another API: what translates their requests and its answers. */
  readonly door?: Door;
  /** Behind a door whose requests guardrails do not look at: the operation that policies take them for. */
  readonly limitedAs?: string;
  /** Answers without a provider; undefined: a provider is called. An operation that has it can do without one. */
  answerLocally?(request: ResolvedRequest, ports: LocalPorts): LocalAnswer | undefined | Promise<LocalAnswer>;
  /** It brings records: those that are not taken on a sidecar go to its fleet. */
  readonly bringsRecords?: true;
  /** Why HTTP does not serve the path. `rest`: what stands for the `*` of the route, decoded. */
  refusePath?(rest: string): AppError | undefined;
}

/** The operation in words of its API, for texts: `GET /v1/responses/{response_id}`. */
export function callOf({ id, routes: [route] }: Pick<Operation, 'id' | 'routes'>): string {
  return route === undefined ? id : `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

/** Whether its requests are forms, whose fields are known: not where they pass as they are, whatever they are. */
export const takesForms = ({ bodies }: Pick<Operation, 'bodies'>): boolean =>
  bodies.includes('form') && !bodies.includes('binary');

/** Whatever a client sends. */
export const ANY_BODY: readonly BodyKind[] = ['none', 'json', 'form', 'binary'];

/** The path of the same call in the API of Azure OpenAI, which names the model in the path. */
export const ofDeployment = (path: string): OperationRoute => ({
  method: 'POST',
  path: `/openai/deployments/:model${path}`,
});

/** The scope of every call that runs a model. */
export const COMPLETIONS: readonly string[] = ['completions.write'];

/** The format of the errors of a request. */
export const errorFormatOf = ({ errors }: Operation, request: ErrorSource): ErrorFormat =>
  typeof errors === 'function' ? errors(request) : errors;

export interface CalledEndpoint {
  readonly id: OperationHandler['endpoint'];
  readonly endpoint: Endpoint | undefined;
}

/** What a provider is called for: its own API where clients of a door speak it, else the endpoint of the operation. */
export function endpointOf({ handler, door }: Pick<Operation, 'handler' | 'door'>, provider: Provider): CalledEndpoint {
  const id = door?.ownEndpoint;
  const own = id === undefined ? undefined : provider.endpoints[id];
  return id === undefined || own === undefined
    ? { id: handler.endpoint, endpoint: handler.endpointOf(provider) }
    : { id, endpoint: own };
}

/** Id of the operation whose requests these are for policies and for the semantic cache: behind a door, the one that serves it. */
export const servedAs = ({
  id,
  door,
  checkedAs,
  limitedAs = id,
}: Pick<Operation, 'id' | 'door' | 'checkedAs' | 'limitedAs'>): string =>
  door !== undefined && typeof checkedAs === 'string' ? checkedAs : limitedAs;

/** What guardrails take a request for; undefined: they do not look at it. */
export const checkedAsOf = (
  { checkedAs }: Pick<Operation, 'checkedAs'>,
  request: CheckedSource,
): RequestType | undefined => (typeof checkedAs === 'function' ? checkedAs(request) : checkedAs);
