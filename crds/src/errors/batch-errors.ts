/** Errors of files and batches that the gateway keeps itself: docs/behaviour/managed-batches.md. */
import { type ErrorRow, REQUEST } from './error-row.ts';

export const BATCH_ERRORS = {
  FILE_UNKNOWN: { ...REQUEST, status: 404, wireCode: 'file_unknown', summary: 'The workspace has no such file.' },
  FILE_LIMIT_REACHED: {
    ...REQUEST,
    status: 400,
    wireCode: 'file_limit_reached',
    summary: 'The workspace has as many files as it may have.',
  },
  BATCH_UNKNOWN: { ...REQUEST, status: 404, wireCode: 'batch_unknown', summary: 'The workspace has no such batch.' },
  BATCH_LIMIT_REACHED: {
    ...REQUEST,
    status: 400,
    wireCode: 'batch_limit_reached',
    summary: 'As many batches of the workspace are under way as may be.',
  },
  BATCH_OUTPUT_MISSING: {
    ...REQUEST,
    status: 400,
    wireCode: 'batch_output_missing',
    summary: 'The batch has no output yet, none at all, or one in a storage that is not read.',
  },
  BATCH_KEY_UNSUITED: {
    ...REQUEST,
    status: 400,
    wireCode: 'batch_key_unsuited',
    summary: 'A batch runs as the gateway key that creates it, and the request came with a token or without a key.',
  },
  BATCH_STORE_UNAVAILABLE: {
    ...REQUEST,
    type: 'service_error',
    retryable: true,
    log: 'error',
    status: 503,
    wireCode: 'batch_store_unavailable',
    summary: 'The store of files and batches cannot be reached; try again shortly.',
  },
} as const satisfies Record<string, ErrorRow>;
