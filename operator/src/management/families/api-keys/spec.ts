/** The members of an API key in bodies, in resources and in answers. */
import type { ResourceOf } from '@gatehouse/crds/kinds';
import type { apiKeys } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import { RestError, referenceAbsent } from '../../http/rest-error.ts';
import type { StoredObject } from '../../store/index.ts';
import type { Home, Tenancy } from '../../tenancy/index.ts';
import type { Services } from '../family.ts';
import { givenFields } from '../fields.ts';
import { lastResetAt, showRateLimits, showStatus, showUsageLimit, toRateLimits, toUsageLimits } from '../limits.ts';
import { MASK } from '../masks.ts';

export type ApiKeyObject = StoredObject<'ApiKey'>;
export type ApiKeyFields = z.output<typeof apiKeys.update.body>;
type Spec = ResourceOf<'ApiKey'>['spec'];

/** The mask of a key: its ends. */
export const MASKED_KEY = 'gatehouse.dev/masked-key';

const MS_PER_MINUTE = 60_000;

interface Resolved {
  /** The config that the body names; null: none, undefined: the body does not say. */
  readonly configName: string | null | undefined;
  readonly nowMs: number;
}

/** What is given over what is there. Throws RestError INVALID for a time that is over. */
export function toFields(body: ApiKeyFields, before: Partial<Spec>, { configName, nowMs }: Resolved): object {
  const { expires_at: expiresAt } = body;
  if (typeof expiresAt === 'string' && Date.parse(expiresAt) <= nowMs) {
    throw new RestError('INVALID', { message: 'body expires_at: must be in the future', param: 'expires_at' });
  }
  return {
    ...before,
    ...givenFields({
      displayName: body.name,
      description: body.description,
      scopes: body.scopes,
      defaults: toDefaults(body.defaults, before.defaults, configName),
      usageLimits: toUsageLimits(body, before.usageLimits, nowMs),
      rateLimits: toRateLimits(body.rate_limits),
      alertEmails: body.alert_emails?.length === 0 ? null : body.alert_emails,
      expiresAt,
      rotation: toRotation(body.rotation_policy, before.rotation),
    }),
  };
}

function toDefaults(
  given: ApiKeyFields['defaults'],
  before: Spec['defaults'],
  configName: string | null | undefined,
): object | null | undefined {
  if (given === undefined || given === null) return given;
  const { metadata, allow_config_override: allowConfigOverride } = given;
  const configRef = typeof configName === 'string' ? { name: configName } : configName;
  return { ...before, ...givenFields({ metadata, configRef, allowConfigOverride }) };
}

/** The config of the body, which is given by its slug or its UUID. Throws RestError REFERENCE_ABSENT for one that is not in the namespace. */
export async function configNameOf(
  { defaults }: { readonly defaults?: { readonly config_id?: string | null | undefined } | null | undefined },
  namespace: string | undefined,
  { store }: Pick<Services, 'store'>,
  param = 'defaults.config_id',
): Promise<string | null | undefined> {
  const given = defaults?.config_id;
  if (typeof given !== 'string') return given;
  const named = await store.get({ kind: 'GatewayConfig', namespace, name: given });
  const found = named ?? (await store.find('GatewayConfig', given));
  if (found !== undefined && found.meta.namespace === namespace) return found.meta.name;
  throw referenceAbsent(param, 'The config does not exist');
}

function toRotation(given: ApiKeyFields['rotation_policy'], before: Spec['rotation']): object | null | undefined {
  if (given === undefined || given === null) return given;
  const { key_transition_period_ms: transition } = given;
  return {
    ...before,
    ...givenFields({
      period: given.rotation_period,
      periodDays: given.rotation_period_days,
      nextRotationAt: given.next_rotation_at,
      transitionMinutes: typeof transition === 'number' ? Math.ceil(transition / MS_PER_MINUTE) : transition,
    }),
  };
}

interface Shown {
  readonly home: Home;
  readonly tenancy: Tenancy;
  readonly nowMs: number;
}

/** As the API shows it. */
export function toView(object: ApiKeyObject, { home, tenancy: { organisationId }, nowMs }: Shown) {
  const { meta, spec, status } = object;
  const { metadata = {}, configRef, allowConfigOverride = true } = spec.defaults ?? {};
  const masked = meta.annotations[MASKED_KEY] ?? status['maskedKey'];
  return {
    object: 'api-key' as const,
    id: meta.uid,
    slug: meta.name,
    key: typeof masked === 'string' ? masked : MASK,
    name: spec.displayName ?? meta.name,
    description: spec.description ?? null,
    type: spec.type,
    organisation_id: organisationId,
    workspace_id: home.workspace?.id ?? null,
    user_id: spec.user ?? null,
    status: showStatus(object, nowMs),
    creation_mode: 'api' as const,
    created_at: meta.createdAt,
    last_updated_at: meta.updatedAt,
    scopes: [...spec.scopes],
    defaults: { metadata: { ...metadata }, config_id: configRef?.name ?? null },
    allow_config_override: allowConfigOverride ? (1 as const) : (0 as const),
    usage_limits: showUsageLimit(object),
    rate_limits: showRateLimits(object),
    last_reset_at: lastResetAt(object),
    alert_emails: [...(spec.alertEmails ?? [])],
    expires_at: spec.expiresAt ?? null,
    rotation_policy: showRotation(spec.rotation),
  };
}

const showRotation = (rotation: Spec['rotation']) =>
  rotation === undefined
    ? null
    : {
        rotation_period: rotation.period ?? null,
        rotation_period_days: rotation.periodDays ?? null,
        next_rotation_at: rotation.nextRotationAt ?? null,
        key_transition_period_ms: rotation.transitionMinutes * MS_PER_MINUTE,
        status: 'ACTIVE' as const,
      };
