/** Errors of the gateway itself: docs/behaviour/errors.md. */
import type { ErrorRow } from './error-row.ts';

const service = {
  shape: 'validation',
  type: 'service_error',
  retryable: true,
  fallback: 'stop',
  expose: true,
  log: 'error',
} as const;

export const SERVICE_ERRORS = {
  SNAPSHOT_MISSING: {
    ...service,
    status: 503,
    wireCode: 'snapshot_missing',
    summary: 'The gateway has no configuration yet; try again shortly.',
  },
  ISSUER_KEYS_UNAVAILABLE: {
    ...service,
    status: 503,
    wireCode: 'issuer_keys_unavailable',
    summary: 'The token cannot be verified: the keys of its issuer have not been fetched yet; try again shortly.',
  },
  MANAGEMENT_UNAVAILABLE: {
    ...service,
    status: 503,
    wireCode: 'management_unavailable',
    summary: 'The management API gives no answer; requests to providers are served as usual.',
  },
  DRAINING: {
    ...service,
    status: 503,
    log: 'info',
    wireCode: 'draining',
    summary: 'The gateway is shutting down; send the request again.',
  },
  LIMITS_UNAVAILABLE: {
    ...service,
    log: 'warn',
    status: 503,
    wireCode: 'limits_unavailable',
    summary:
      'Limits cannot be checked while their store is away, and this gateway refuses requests then; try again shortly.',
  },
  SIDECAR_BUSY: {
    ...service,
    status: 429,
    wireCode: 'sidecar_busy',
    summary:
      'The pod, or its workspace, asks too much of the fleet, or the fleet has no room for it now; try again shortly.',
  },
  MEMORY_EXHAUSTED: {
    ...service,
    log: 'warn',
    status: 503,
    wireCode: 'memory_exhausted',
    summary: 'The memory of the gateway for requests and answers is used up; send the request again shortly.',
  },
  REQUEST_LOG_OFF: {
    ...service,
    log: 'info',
    retryable: false,
    status: 501,
    wireCode: 'request_log_off',
    summary: 'This gateway keeps no request log, and takes no records for it.',
  },
  REQUEST_LOG_BUSY: {
    ...service,
    log: 'warn',
    status: 503,
    wireCode: 'request_log_busy',
    summary: 'Too many records wait to be written to the request log; send these again shortly.',
  },
  INTERNAL: {
    ...service,
    type: 'server_error',
    retryable: false,
    expose: false,
    status: 500,
    wireCode: 'internal',
    summary: 'Something went wrong',
  },
  CLIENT_CLOSED: {
    ...service,
    type: 'client_closed',
    log: 'info',
    retryable: false,
    status: 499,
    wireCode: null,
    summary: 'The client disconnected before the answer was complete (logs and metrics only).',
  },
} as const satisfies Record<string, ErrorRow>;
