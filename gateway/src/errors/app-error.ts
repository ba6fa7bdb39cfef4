import type { Issue } from '@gatehouse/crds';
import { type ErrorCode, type ErrorRow, errorRow } from '@gatehouse/crds/errors';
import { messageOf } from './advice.ts';

export interface AppErrorOptions {
  /** What exactly is wrong, for the client: replaces the row's summary and advice. Never holds a secret. */
  readonly detail?: string;
  /** The offending parameter as a JSON path, or header name. */
  readonly param?: string;
  /** All problems of a document, the first of which is `param`. */
  readonly issues?: readonly Issue[];
  /** The provider the error is about. */
  readonly provider?: string;
  /** When a retry may succeed, in ms. */
  readonly retryAfterMs?: number;
  /** Methods of the path, for the header `Allow`. */
  readonly allow?: readonly string[];
  /** Further members of the body, beside the error: never a secret. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** For the log only. */
  readonly cause?: unknown;
}

/** The one error of the data plane: a code of the public table plus what is specific to this case. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly param: string | undefined;
  readonly issues: readonly Issue[] | undefined;
  readonly provider: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly allow: readonly string[] | undefined;
  readonly members: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(
      options.detail ?? messageOf(code, options.param),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'AppError';
    this.code = code;
    this.detail = options.detail;
    this.param = options.param;
    this.issues = options.issues;
    this.provider = options.provider;
    this.retryAfterMs = options.retryAfterMs;
    this.allow = options.allow;
    this.members = options.members;
  }

  get row(): ErrorRow {
    return errorRow(this.code);
  }
}

/** Retry-After of a request for which there was no memory, in ms: large requests end within seconds. */
const ROOM_AFTER_MS = 2_000;

/** The error for bytes that do not fit into the budget of buffered bytes. */
export const memoryExhausted = (): AppError => new AppError('MEMORY_EXHAUSTED', { retryAfterMs: ROOM_AFTER_MS });
