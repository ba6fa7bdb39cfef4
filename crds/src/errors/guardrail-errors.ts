/** Errors of guardrails: docs/behaviour/guardrails.md#outcomes. */
import type { ErrorRow } from './error-row.ts';

export const GUARDRAIL_ERRORS = {
  GUARDRAIL_DENIED: {
    shape: 'openai',
    type: 'hooks_failed',
    status: 446,
    wireCode: null,
    retryable: false,
    fallback: 'status',
    expose: true,
    log: 'info',
    summary: 'The guardrail checks defined in the config failed. The checks that failed are in hook_results.',
  },
  GUARDRAIL_UNKNOWN: {
    shape: 'validation',
    type: 'invalid_request_error',
    status: 400,
    wireCode: 'guardrail_unknown',
    retryable: false,
    fallback: 'stop',
    expose: true,
    log: 'info',
    summary: 'The request is under a guardrail that does not exist.',
  },
} as const satisfies Record<string, ErrorRow>;
