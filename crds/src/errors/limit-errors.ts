/** Errors of rate limits and budgets: docs/behaviour/limits.md#answers. */
import type { ErrorRow } from './error-row.ts';

/** Of keys and workspaces, before the request is read. */
const entry = { shape: 'key', fallback: 'stop', expose: true, log: 'info' } as const;
/** Of one target: a fallback may move past it. */
const target = { shape: 'openai', fallback: 'status', expose: true, log: 'info' } as const;

const rate = { status: 429, retryable: true } as const;
const budget = { status: 412, retryable: false } as const;

export const LIMIT_ERRORS = {
  KEY_RATE_LIMITED: {
    ...entry,
    ...rate,
    type: 'api_key_rate_limit_error',
    wireCode: '05',
    summary: 'The rate limit of this API key is exceeded.',
  },
  WORKSPACE_RATE_LIMITED: {
    ...entry,
    ...rate,
    type: 'workspace_rate_limit_error',
    wireCode: '05',
    summary: 'The rate limit of this workspace is exceeded.',
  },
  KEY_TOKENS_RATE_LIMITED: {
    ...target,
    ...rate,
    type: 'api_key_rate_limit_error',
    wireCode: null,
    summary: 'The tokens that the request asks for exceed the rate limit of this API key.',
  },
  WORKSPACE_TOKENS_RATE_LIMITED: {
    ...target,
    ...rate,
    type: 'workspace_rate_limit_error',
    wireCode: null,
    summary: 'The tokens that the request asks for exceed the rate limit of this workspace.',
  },
  PROVIDER_RATE_LIMITED: {
    ...target,
    ...rate,
    type: 'virtual_key_rate_limit_error',
    wireCode: null,
    summary: 'The rate limit of the provider or virtual key is exceeded.',
  },
  ACCESS_RATE_LIMITED: {
    ...target,
    ...rate,
    type: 'integration_rate_limit_error',
    wireCode: null,
    summary: 'The rate limit of the integration in this workspace is exceeded.',
  },
  POLICY_RATE_LIMITED: {
    ...target,
    ...rate,
    type: 'rate_limits_policy_exhaust_error',
    wireCode: null,
    summary: 'The rate limit of a policy is exceeded.',
  },
  KEY_BUDGET_EXHAUSTED: {
    ...entry,
    ...budget,
    type: 'api_key_exhaust_error',
    wireCode: '04',
    summary: 'API Key Usage Limit Exceeded',
  },
  WORKSPACE_BUDGET_EXHAUSTED: {
    ...entry,
    ...budget,
    type: 'workspace_exhaust_error',
    wireCode: '04',
    summary: 'Workspace Usage Limit Exceeded',
  },
  TARGET_KEY_BUDGET_EXHAUSTED: {
    ...target,
    ...budget,
    type: 'api_key_exhaust_error',
    wireCode: '04',
    summary: 'The budget of this API key is used up.',
  },
  TARGET_WORKSPACE_BUDGET_EXHAUSTED: {
    ...target,
    ...budget,
    type: 'workspace_exhaust_error',
    wireCode: '04',
    summary: 'The budget of this workspace is used up.',
  },
  PROVIDER_BUDGET_EXHAUSTED: {
    ...target,
    ...budget,
    type: 'virtual_key_exhaust_error',
    wireCode: '04',
    summary: 'The budget of the provider or virtual key is used up.',
  },
  ACCESS_BUDGET_EXHAUSTED: {
    ...target,
    ...budget,
    type: 'integration_exhaust_error',
    wireCode: '04',
    summary: 'The budget of the integration in this workspace is used up.',
  },
  POLICY_BUDGET_EXHAUSTED: {
    ...target,
    ...budget,
    type: 'usage_limits_policy_exhaust_error',
    wireCode: '06',
    summary: 'The budget of a policy is used up.',
  },
} as const satisfies Record<string, ErrorRow>;
