/** Errors where only saved configs are accepted; the row names the header that is not. */
import { type ErrorRow, REQUEST, type RowBase } from './error-row.ts';

const blocked: RowBase = { ...REQUEST, shape: 'blocked' };

export const SAVED_ONLY_ERRORS = {
  INLINE_CONFIG_BLOCKED: {
    ...blocked,
    status: 400,
    wireCode: 'inline_config_blocked',
    summary: 'Inline configs are not allowed; use a saved config slug.',
  },
  INLINE_PROVIDER_BLOCKED: {
    ...blocked,
    status: 400,
    wireCode: 'inline_provider_blocked',
    summary: 'Raw provider names are not allowed; use @provider-slug.',
  },
  INLINE_CUSTOM_HOST_BLOCKED: {
    ...blocked,
    status: 400,
    wireCode: 'inline_custom_host_blocked',
    summary: 'Custom hosts in headers are not allowed.',
  },
  INLINE_PROVIDER_URL_BLOCKED: {
    ...blocked,
    status: 400,
    wireCode: 'inline_provider_url_blocked',
    summary: 'Provider URLs in headers are not allowed.',
  },
  INLINE_FORWARD_HEADERS_BLOCKED: {
    ...blocked,
    status: 400,
    wireCode: 'inline_forward_headers_blocked',
    summary: 'The x-gw-forward-headers header is not allowed.',
  },
} as const satisfies Record<string, ErrorRow>;
