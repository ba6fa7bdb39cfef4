/** Denials of limits as errors of the client; docs/behaviour/limits.md#answers. */
import type { ErrorCode } from '@gatehouse/crds/errors';
import { AppError } from '../../errors/index.ts';
import type { Denial, LimitWindow } from '../../limits/index.ts';
import { type Owner, type OwnerKind, ownerOf } from './owner.ts';

/** Where a request is refused: before it is read, or for one of its targets. */
export type Phase = 'entry' | 'target';

const RATE_CODES: Readonly<Record<Phase, Readonly<Record<OwnerKind, ErrorCode>>>> = {
  entry: {
    key: 'KEY_RATE_LIMITED',
    workspace: 'WORKSPACE_RATE_LIMITED',
    provider: 'PROVIDER_RATE_LIMITED',
    integration: 'ACCESS_RATE_LIMITED',
    policy: 'POLICY_RATE_LIMITED',
  },
  target: {
    key: 'KEY_TOKENS_RATE_LIMITED',
    workspace: 'WORKSPACE_TOKENS_RATE_LIMITED',
    provider: 'PROVIDER_RATE_LIMITED',
    integration: 'ACCESS_RATE_LIMITED',
    policy: 'POLICY_RATE_LIMITED',
  },
};

const PERIODS: Readonly<Record<LimitWindow, string>> = {
  rps: 'second',
  rpm: 'minute',
  rph: 'hour',
  rpd: 'day',
  rpw: 'week',
};

/** The error of a full window. */
export function rateError({ demand, retryAfterMs }: Denial, phase: Phase, provider?: string): AppError {
  const owner = ownerOf(demand.subject);
  const { limit, unit, window, cost } = demand;
  const asked = unit === 'tokens' && cost > 1 ? `; the request asks for ${cost}` : '';
  const detail = `${textOf(owner)} exceeded its limit of ${limit} ${unit} per ${PERIODS[window]}${asked}`;
  const of = provider === undefined ? {} : { provider };
  return new AppError(RATE_CODES[phase][owner.kind], { detail, retryAfterMs, ...of });
}

const WORDS: Readonly<Record<OwnerKind, string>> = {
  key: 'API key',
  workspace: 'workspace',
  provider: 'provider',
  integration: 'integration access',
  policy: 'rate limit policy',
};

const textOf = ({ kind, name, bucket }: Owner): string =>
  `The ${WORDS[kind]} ${kind === 'provider' ? '@' : ''}${name}${bucket === undefined ? '' : ` (${bucket})`}`;
