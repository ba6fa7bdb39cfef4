import { isObject } from '@gatehouse/crds';
import { apiKeys } from '@gatehouse/crds/rest';
import { type Family, Refused, type View } from './family.ts';
import { DISPLAY_NAME, decodeFields, encodeFields, type Fields, pathIn, plain, withoutEmpty } from './fields.ts';
import { LIMIT_FIELDS, settleLimits } from './limits.ts';

const MS_PER_MINUTE = 60_000;

/** All members are written: those that are left out would stay. */
function encodeDefaults(value: unknown): object | undefined {
  const { metadata, configRef, allowConfigOverride } = isObject(value) ? value : {};
  const given = withoutEmpty({ metadata, config_id: isObject(configRef) ? configRef['name'] : undefined });
  if (Object.keys(given).length === 0 && allowConfigOverride !== false) return undefined;
  return { metadata: null, config_id: null, ...given, allow_config_override: allowConfigOverride !== false };
}

function decodeDefaults(shown: unknown, { allow_config_override: mayOverride }: View): object | undefined {
  const { metadata, config_id: config } = isObject(shown) ? shown : {};
  const given = withoutEmpty({ metadata, configRef: typeof config === 'string' ? { name: config } : undefined });
  if (mayOverride === 0) given['allowConfigOverride'] = false;
  return Object.keys(given).length === 0 ? undefined : given;
}

function encodeRotation(value: unknown): object {
  const { period, periodDays, nextRotationAt, transitionMinutes } = isObject(value) ? value : {};
  return {
    rotation_period: period ?? null,
    rotation_period_days: periodDays ?? null,
    next_rotation_at: nextRotationAt ?? null,
    key_transition_period_ms: Number(transitionMinutes) * MS_PER_MINUTE,
  };
}

function decodeRotation(shown: unknown): object {
  const { rotation_period, rotation_period_days, next_rotation_at, key_transition_period_ms } = isObject(shown)
    ? shown
    : {};
  return withoutEmpty({
    period: rotation_period,
    periodDays: rotation_period_days,
    nextRotationAt: next_rotation_at,
    transitionMinutes: Number(key_transition_period_ms) / MS_PER_MINUTE,
  });
}

const FIELDS: Fields = {
  type: plain('type'),
  ...DISPLAY_NAME,
  description: plain('description'),
  user: plain('user_id'),
  scopes: plain('scopes'),
  defaults: { rest: 'defaults', encode: encodeDefaults, decode: decodeDefaults },
  ...LIMIT_FIELDS,
  expiresAt: plain('expires_at'),
  alertEmails: {
    rest: 'alert_emails',
    decode: (shown) => (Array.isArray(shown) && shown.length === 0 ? undefined : shown),
  },
  rotation: { rest: 'rotation_policy', encode: encodeRotation, decode: decodeRotation },
};

const KEY_IN_RESOURCE = 'the management API makes the keys itself; use kubectl for an ApiKey that has its own';

export const API_KEYS: Family<'ApiKey'> = {
  kind: 'ApiKey',
  operations: apiKeys,
  createPath: ({ type }) => {
    const [owner = '', ...rest] = type.split('-');
    return { type: owner, subType: rest.join('-') };
  },
  inPath: ['type'],
  toBody: (spec, context) => {
    const own = (['sha256', 'secretRef'] as const).find((member) => spec[member] !== undefined);
    if (own !== undefined) throw new Refused(['spec', own], KEY_IN_RESOURCE);
    return encodeFields(spec, FIELDS, context);
  },
  toSpec: (view, missing) => {
    missing.push({ path: ['spec', 'sha256'] });
    return decodeFields(view, FIELDS);
  },
  pathOf: pathIn(FIELDS),
  settle: settleLimits,
  unknown: ['secretRef'],
};
