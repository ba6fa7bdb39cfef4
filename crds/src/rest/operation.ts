import type { z } from 'zod';

/** The largest body of the management API, in bytes: a resource must fit into a shard of the Snapshot. */
export const MAX_REST_BODY_BYTES = 1024 * 1024;
/** From gateways to the management API: the address of whoever has called them. */
export const CLIENT_ADDRESS_HEADER = 'x-gw-client-address';

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One operation of the management API: docs/behaviour/management.md. */
export interface RestOperation {
  /** `family.action`, e.g. `configs.create`. */
  readonly id: string;
  readonly method: RestMethod;
  /** Below `/v1`, with named segments in braces. */
  readonly path: string;
  readonly summary: string;
  /** A key needs one of them; empty: the operation is public. */
  readonly scopes: readonly string[];
  /** It is called without a key. */
  readonly isPublic?: true;
  /** It is called with the token of the directory, and answers as RFC 7644 says: docs/behaviour/scim.md. */
  readonly protocol?: 'scim';
  /** Further paths of the same operation. */
  readonly aliases?: readonly string[];
  /** True: it has an audit record although it is a GET, once it is known who calls. False: it has none although it writes. */
  readonly isAudited?: boolean;
  /** Of a success; absent: 200, or as SCIM says. 302 leads a browser elsewhere. */
  readonly status?: 302;
  /** Of a success; absent: JSON, as the protocol has it. */
  readonly media?: 'application/x-ndjson';
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Of a success; absent: it has no body. */
  readonly answer?: z.ZodType;
}

export const defineOperation = <const O extends RestOperation>(operation: O): O => operation;
