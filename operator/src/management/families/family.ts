/** What a family of operations is made of: each operation of the contract with the function that serves it. */
import type { Readable } from 'node:stream';
import type { AuditChange } from '@gatehouse/crds/records';
import type { RestOperation } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import type { Caller } from '../callers/index.ts';
import type { Database, LogTables } from '../database/index.ts';
import type { LogExports } from '../log-exports/index.ts';
import type { LogSource } from '../logs/index.ts';
import type { McpTest } from '../mcp-test/index.ts';
import type { PolicyUsage } from '../policy-usage/index.ts';
import type { Revisions } from '../revisions/index.ts';
import type { SignIn } from '../sessions/index.ts';
import type { ResourceStore } from '../store/index.ts';
import type { Tenancy } from '../tenancy/index.ts';

type Output<S> = S extends z.ZodType ? z.output<S> : undefined;
type Input<S> = S extends z.ZodType ? z.input<S> : undefined;

/** One call of an operation, checked against its schemas. */
export interface RestCall<O extends RestOperation = RestOperation> {
  readonly caller: Caller;
  /** Named segments of the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Output<O['query']>;
  readonly body: Output<O['body']>;
  /** `?workspace_id=`: the workspace whose objects are meant where the path names one. */
  readonly workspaceId?: string | undefined;
  readonly headers: CallHeaders;
  /** `?force=true` by a key that may: also what another tool owns is written. */
  readonly force: boolean;
}

/** What answers depend on besides the key. */
export interface CallHeaders {
  readonly cookie: string | undefined;
  readonly origin: string | undefined;
  /** As the caller knows this API. */
  readonly host: string | undefined;
  /** How the caller has reached it: `https`, or anything else. */
  readonly protocol: string | undefined;
}

/** An answer with headers of its own. */
export class HttpAnswer<Body = undefined> {
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Who it has turned out to be. */
  readonly caller: Caller | undefined;

  constructor(body: Body, headers: HttpAnswer['headers'], caller?: Caller) {
    this.body = body;
    this.headers = headers;
    this.caller = caller;
  }
}

/** What services may use. */
export interface Services {
  readonly store: ResourceStore;
  readonly tenancy: Tenancy;
  /** Of people; absent: there is none. */
  readonly database?: Database | undefined;
  /** The tables of the request log; absent: there are none. */
  readonly logDatabase?: Database<LogTables> | undefined;
  /** The request log; absent: none is kept. */
  readonly logs?: LogSource | undefined;
  /** Of logs; absent: none can be made. */
  readonly exports?: LogExports | undefined;
  /** What groups of policies have used; absent: nobody says. */
  readonly usage?: PolicyUsage | undefined;
  /** Earlier contents of objects; absent: none are kept. */
  readonly revisions?: Revisions | undefined;
  /** Of browsers; absent: it is not set up. */
  readonly signIn?: SignIn | undefined;
  /** Asks MCP servers; absent: none is asked. */
  readonly mcpTest?: McpTest | undefined;
  /** Notes a change that is none of the store, for the audit record of the call. */
  note?(change: AuditChange): void;
  /** Told when memberships of groups could not be written; they are tried again. */
  onSyncFailed?(error: unknown): void;
  /** `length` random characters of a-z and 0-9. */
  randomName(length: number): string;
  /** Unix time in ms. */
  now(): number;
}

export interface BoundOperation {
  readonly operation: RestOperation;
  serve(call: RestCall, services: Services): Promise<unknown>;
}

/** Ties an operation to the function that serves it. */
export function serveOperation<O extends RestOperation>(
  operation: O,
  serve: (call: RestCall<O>, services: Services) => Promise<Input<O['answer']> | HttpAnswer<Input<O['answer']>>>,
): BoundOperation {
  // The server has checked the call against the schemas of this operation.
  return { operation, serve: (call, services) => serve(call as RestCall<O>, services) };
}

/** As `serveOperation`, for an answer that is sent while it is made. */
export function serveStream<O extends RestOperation>(
  operation: O,
  serve: (call: RestCall<O>, services: Services) => Promise<HttpAnswer<Readable>>,
): BoundOperation {
  // The server has checked the call against the schemas of this operation.
  return { operation, serve: (call, services) => serve(call as RestCall<O>, services) };
}

/** What the server answers a directory with. */
export interface ScimAnswer {
  readonly status: 200 | 201 | 204;
  readonly body?: object;
  /** Of what was made. */
  readonly location?: string;
}

/** As `serveOperation`, for operations of the protocol `scim`. */
export function serveScim<O extends RestOperation & { readonly protocol: 'scim' }>(
  operation: O,
  serve: (call: RestCall<O>, services: Services) => Promise<ScimAnswer>,
): BoundOperation {
  // The server has checked the call against the schemas of this operation.
  return { operation, serve: (call, services) => serve(call as RestCall<O>, services) };
}
