/**
 * Every public error of the data plane, as data: docs/behaviour/errors.md. The gateway renders these rows, docs list them,
 * tests assert them. Statuses, wire codes and types do not change; texts may. The key of a row is the internal code of logs,
 * metrics and tests.
 */

import { BATCH_ERRORS } from './batch-errors.ts';
import { type ErrorRow, REQUEST, type RowBase } from './error-row.ts';
import { GUARDRAIL_ERRORS } from './guardrail-errors.ts';
import { LIMIT_ERRORS } from './limit-errors.ts';
import { PROMPT_ERRORS } from './prompt-errors.ts';
import { SAVED_ONLY_ERRORS } from './saved-only-errors.ts';
import { SERVICE_ERRORS } from './service-errors.ts';

export type { ErrorRow, ErrorShape, FallbackRule } from './error-row.ts';

const key: RowBase = { ...REQUEST, shape: 'key', type: 'authentication_error' };
const target: RowBase = { ...REQUEST, shape: 'validation', fallback: 'stop-unless-listed' };
const upstream: RowBase = {
  shape: 'openai',
  type: 'upstream_connection_error',
  retryable: true,
  fallback: 'status',
  expose: true,
  log: 'warn',
};
const unusable: RowBase = { ...upstream, retryable: false, log: 'info' };
export const ERRORS = {
  // Request
  BODY_NOT_JSON: { ...REQUEST, status: 400, wireCode: 'body_not_json', summary: 'The request body is not valid JSON.' },
  BODY_NOT_OBJECT: {
    ...REQUEST,
    status: 400,
    wireCode: 'body_not_object',
    summary: 'The request body must be a JSON object.',
  },
  BODY_NOT_FORM: {
    ...REQUEST,
    status: 400,
    wireCode: 'body_not_form',
    summary: 'The request body is not a valid multipart/form-data form.',
  },
  BODY_TOO_COMPLEX: {
    ...REQUEST,
    status: 400,
    wireCode: 'body_too_complex',
    summary: 'The request body is nested too deep, or has too many or too long values.',
  },
  BODY_NAME_REPEATED: {
    ...REQUEST,
    status: 400,
    wireCode: 'body_name_repeated',
    summary: 'An object in the request body has two members of the same name.',
  },
  BODY_TOO_LARGE: { ...REQUEST, status: 413, wireCode: 'body_too_large', summary: 'The request body is too large.' },
  BODY_STALLED: {
    ...REQUEST,
    retryable: true,
    status: 408,
    wireCode: 'body_stalled',
    summary: 'The request body did not arrive in time.',
  },
  CONTENT_TYPE_INVALID: {
    ...REQUEST,
    status: 400,
    wireCode: 'content_type_invalid',
    summary: 'Invalid content type passed.',
  },
  CONTENT_ENCODING_INVALID: {
    ...REQUEST,
    status: 415,
    wireCode: 'content_encoding_invalid',
    summary: 'The request body cannot be unpacked.',
  },
  HEADER_INVALID: { ...REQUEST, status: 400, wireCode: 'header_invalid', summary: 'A request header is invalid.' },
  PARAMETER_INVALID: {
    ...REQUEST,
    status: 400,
    wireCode: 'parameter_invalid',
    summary: 'A request parameter has the wrong shape.',
  },
  ROUTE_UNKNOWN: { ...REQUEST, shape: 'route', status: 404, wireCode: 'route_unknown', summary: 'Not Found' },
  METHOD_NOT_ALLOWED: {
    ...REQUEST,
    status: 405,
    wireCode: 'method_not_allowed',
    summary: 'The path is called with another method.',
  },

  // Config and provider resolution
  CONFIG_NOT_JSON: { ...REQUEST, status: 400, wireCode: 'config_not_json', summary: 'The config is not valid JSON.' },
  CONFIG_INVALID: { ...REQUEST, status: 400, wireCode: 'config_invalid', summary: 'Invalid config passed' },
  CONFIG_LEGACY: {
    ...REQUEST,
    status: 400,
    wireCode: 'config_legacy',
    summary: 'The config uses the legacy "options" form; use "strategy" and "targets".',
  },
  CONFIG_UNKNOWN: { ...REQUEST, status: 400, wireCode: 'config_unknown', summary: 'Invalid config id passed' },
  CONFIG_LOCKED: {
    ...REQUEST,
    status: 400,
    wireCode: 'config_locked',
    summary: 'The default config of this API key is locked and cannot be overridden.',
  },
  CONFIG_NO_PROVIDER: {
    ...REQUEST,
    status: 400,
    wireCode: 'config_no_provider',
    summary: 'Send the x-gw-provider header, or a config with provider details.',
  },
  PROVIDER_REQUIRED: {
    ...REQUEST,
    status: 400,
    wireCode: 'provider_required',
    summary: 'Either x-gw-config or x-gw-provider is needed.',
  },
  PROVIDER_UNKNOWN: { ...REQUEST, status: 400, wireCode: 'provider_unknown', summary: 'Invalid provider passed' },
  PROVIDER_SLUG_UNKNOWN: {
    ...REQUEST,
    status: 400,
    wireCode: 'provider_slug_unknown',
    summary: 'The request names a provider or virtual key that does not exist in this workspace.',
  },
  PROVIDER_FIELD_MISSING: {
    ...target,
    status: 400,
    wireCode: 'provider_field_missing',
    summary: 'A field that the provider requires is missing.',
  },
  CUSTOM_HOST_REFUSED: {
    ...REQUEST,
    status: 400,
    wireCode: 'custom_host_refused',
    summary: 'Invalid custom host passed',
  },
  ACCOUNT_SETTING_REFUSED: {
    ...REQUEST,
    status: 400,
    wireCode: 'account_setting_refused',
    summary: 'The request sets a value that only the owner of the stored credential may set.',
  },
  CONDITION_UNMATCHED: {
    ...REQUEST,
    status: 400,
    wireCode: 'condition_unmatched',
    summary: 'No condition of the config matched and it has no default target.',
  },
  CONDITION_TARGET_UNKNOWN: {
    ...REQUEST,
    status: 400,
    wireCode: 'condition_target_unknown',
    summary: 'A condition of the config names a target that does not exist.',
  },
  CONDITION_TOO_COSTLY: {
    ...REQUEST,
    status: 400,
    wireCode: 'condition_too_costly',
    summary:
      'Evaluating the patterns in the conditions of the config on this request exceeds the limit of work per request.',
  },
  FEATURE_UNSUPPORTED: {
    ...REQUEST,
    status: 400,
    wireCode: 'feature_unsupported',
    summary: 'The request asks for a feature this version does not serve.',
  },
  UPGRADE_REQUIRED: {
    ...REQUEST,
    status: 426,
    wireCode: 'upgrade_required',
    summary: 'The path speaks WebSocket and not HTTP.',
  },
  SESSION_EXPIRED: {
    ...REQUEST,
    status: 408,
    wireCode: 'session_expired',
    summary: 'The session was silent for too long, or has lasted too long.',
  },
  FRAME_INVALID: {
    ...REQUEST,
    status: 400,
    wireCode: 'frame_invalid',
    summary: 'A WebSocket frame of the client is not valid.',
  },
  OPERATION_UNSUPPORTED: {
    ...target,
    status: 400,
    wireCode: 'operation_unsupported',
    summary: 'The provider does not offer this operation.',
  },
  PARAMETER_UNSUPPORTED: {
    ...target,
    status: 400,
    wireCode: 'parameter_unsupported',
    summary: 'The provider does not have a parameter of the request, and the config refuses to leave it out.',
  },
  CONTENT_UNSUPPORTED: {
    ...target,
    status: 400,
    wireCode: 'content_unsupported',
    summary: 'The provider does not take a part of a message.',
  },
  CONTENT_FILTERED: {
    ...target,
    status: 400,
    wireCode: 'content_filter',
    summary: 'The provider filtered all that was asked for.',
  },
  PATH_NOT_ALLOWED: { ...target, status: 403, wireCode: 'path_not_allowed', summary: 'The path may not be called.' },
  MODEL_REQUIRED: { ...target, status: 400, wireCode: 'model_required', summary: 'Model is required' },
  RESPONSE_UNKNOWN: {
    ...unusable,
    type: 'invalid_request_error',
    status: 404,
    wireCode: 'response_unknown',
    summary: 'No target of the config has the response.',
  },
  MODEL_UNKNOWN: { ...REQUEST, status: 404, wireCode: 'model_unknown', summary: 'The model is not known.' },
  DEPLOYMENT_UNKNOWN: {
    ...target,
    status: 400,
    wireCode: 'deployment_unknown',
    summary: 'No deployment alias matches the model and none is marked as default.',
  },

  ...BATCH_ERRORS,
  ...PROMPT_ERRORS,
  ...SAVED_ONLY_ERRORS,

  // Key
  KEY_INVALID: { ...key, status: 401, wireCode: '03', summary: 'Invalid API Key' },
  KEY_WITHOUT_WORKSPACE: { ...key, status: 401, wireCode: '033', summary: 'Unable to validate key' },
  KEY_EXPIRED: { ...key, status: 401, wireCode: '01', summary: 'API Key Expired' },
  SCOPE_MISSING: { ...key, status: 403, type: 'permission_error', wireCode: '033', summary: 'Forbidden!' },
  WORKSPACE_FORBIDDEN: {
    ...key,
    status: 403,
    type: 'permission_error',
    wireCode: '033',
    summary: 'Forbidden! The token may not act in this workspace.',
  },
  ...LIMIT_ERRORS,

  KEY_CONCURRENCY_EXCEEDED: {
    ...key,
    status: 429,
    type: 'api_key_concurrency_error',
    retryable: true,
    wireCode: 'concurrency_exceeded',
    summary: 'This API key has reached the number of requests that are served at the same time.',
  },

  // Target: a fallback may move past them
  PROVIDER_EXPIRED: {
    ...unusable,
    type: 'virtual_key_expired_error',
    status: 401,
    wireCode: '01',
    summary: 'The provider or virtual key has expired.',
  },
  MODEL_NOT_ALLOWED: {
    ...unusable,
    type: 'model_not_allowed_error',
    status: 412,
    wireCode: null,
    summary: 'The model is not allowed for this provider.',
  },
  SESSION_NOT_SEEN: {
    ...unusable,
    type: 'session_not_seen_error',
    status: 403,
    wireCode: 'session_not_seen',
    summary: 'The session would not pass the gateway, and what holds for the call could not hold for it.',
  },
  NEEDS_FLEET: {
    ...unusable,
    type: 'needs_fleet_error',
    status: 501,
    wireCode: 'needs_fleet',
    summary:
      'The credential of the target belongs to the organisation and is only available in a fleet, not in sidecars.',
  },
  FLEET_UNAVAILABLE: {
    ...upstream,
    fallback: 'stop',
    type: 'fleet_unavailable_error',
    status: 503,
    wireCode: 'fleet_unavailable',
    summary: 'The fleet that has the credential of the target gives the sidecar no answer.',
  },

  ...GUARDRAIL_ERRORS,

  // Upstream
  UPSTREAM_STATUS: {
    ...upstream,
    shape: 'provider',
    type: 'upstream_error',
    log: 'info',
    status: 502,
    wireCode: null,
    summary: 'The provider answered with an error; its own status and fields are passed on.',
  },
  UPSTREAM_TIMEOUT: {
    ...upstream,
    type: 'timeout_error',
    status: 408,
    wireCode: null,
    summary: 'The provider did not answer within the request timeout.',
  },
  UPSTREAM_CONNECT_TIMEOUT: {
    ...upstream,
    status: 503,
    wireCode: null,
    summary: 'The connection to the provider could not be opened in time.',
  },
  UPSTREAM_UNREACHABLE: { ...upstream, status: 502, wireCode: null, summary: 'The provider could not be reached.' },
  UPSTREAM_ADDRESS_REFUSED: {
    ...upstream,
    retryable: false,
    status: 502,
    wireCode: null,
    summary: 'The provider host resolves to an address that is not allowed.',
  },
  UPSTREAM_OVERLOADED: { ...upstream, type: 'overloaded_error', status: 529, wireCode: null, summary: 'Overloaded' },
  UPSTREAM_INVALID_RESPONSE: {
    ...upstream,
    shape: 'provider',
    type: 'upstream_invalid_response',
    status: 502,
    wireCode: null,
    summary: 'The provider sent an answer that cannot be read.',
  },
  UPSTREAM_TOO_LARGE: {
    ...upstream,
    retryable: false,
    type: 'upstream_response_too_large',
    status: 502,
    wireCode: null,
    summary: 'The answer of the provider is larger than the limit.',
  },
  UPSTREAM_STREAM_BROKEN: {
    ...upstream,
    type: 'stream_error',
    status: 502,
    wireCode: null,
    summary: 'The stream of the provider ended before it was complete.',
  },
  UPSTREAM_STREAM_IDLE: {
    ...upstream,
    type: 'stream_error',
    status: 504,
    wireCode: null,
    summary: 'The stream of the provider was silent for too long.',
  },
  ATTEMPTS_EXHAUSTED: {
    ...upstream,
    type: 'attempts_exhausted_error',
    retryable: false,
    fallback: 'stop',
    status: 502,
    wireCode: 'attempts_exhausted',
    summary: 'The request reached the limit of calls to providers, and none of them gave an answer.',
  },
  CREDENTIAL_UNAVAILABLE: {
    ...upstream,
    type: 'credential_error',
    status: 502,
    wireCode: null,
    summary: 'The credential for the provider could not be obtained.',
  },

  ...SERVICE_ERRORS,
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** The row of a code. */
export function errorRow(code: ErrorCode): ErrorRow {
  return ERRORS[code];
}
