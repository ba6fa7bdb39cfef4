import { usagePolicies } from '@gatehouse/crds/rest';
import type { StoredObject } from '../store/index.ts';
import type { Home, Tenancy } from '../tenancy/index.ts';
import { type BoundOperation, serveOperation } from './family.ts';
import { givenFields } from './fields.ts';
import { findObject } from './find.ts';
import { pageOf, pageOfWanted } from './pages.ts';
import { checkGroup, findGroup, groupsOf, type PolicyGroup, withReset } from './policy-groups.ts';
import { toConditions, toSelection } from './policy-selection.ts';
import { absent, type FieldNames, written } from './write.ts';

const WHAT = 'usage limit policy';
const KIND = 'UsageLimitPolicy';
const NAMES: FieldNames = { displayName: 'name', values: 'value' };

function toView({ meta, spec }: StoredObject<'UsageLimitPolicy'>, home: Home, { organisationId }: Tenancy) {
  return {
    id: meta.uid,
    slug: meta.name,
    name: spec.displayName ?? meta.name,
    ...toSelection(spec),
    type: spec.type,
    credit_limit: Number(spec.creditLimit),
    alert_threshold: spec.alertThreshold === undefined ? null : Number(spec.alertThreshold),
    periodic_reset: spec.periodicReset ?? null,
    periodic_reset_days: spec.periodicResetDays ?? null,
    next_usage_reset_at: spec.nextUsageResetAt ?? null,
    status: 'active' as const,
    workspace_id: home.workspace?.id ?? organisationId,
    organisation_id: organisationId,
    created_at: meta.createdAt,
    last_updated_at: meta.updatedAt,
    ...(spec.description === undefined ? {} : { description: spec.description }),
  };
}

interface Fields {
  readonly name?: string | undefined;
  readonly credit_limit?: number | undefined;
  readonly alert_threshold?: number | null | undefined;
  readonly periodic_reset?: 'monthly' | 'weekly' | null | undefined;
  readonly periodic_reset_days?: number | null | undefined;
  readonly next_usage_reset_at?: string | null | undefined;
  readonly description?: string | null | undefined;
}

function toFields(body: Fields): Readonly<Record<string, unknown>> {
  const decimal = (value: number | null | undefined) => (typeof value === 'number' ? String(value) : value);
  return givenFields({
    displayName: body.name,
    creditLimit: decimal(body.credit_limit),
    alertThreshold: decimal(body.alert_threshold),
    periodicReset: body.periodic_reset,
    periodicResetDays: body.periodic_reset_days,
    nextUsageResetAt: body.next_usage_reset_at,
    description: body.description,
  });
}

export const USAGE_LIMIT_POLICIES: readonly BoundOperation[] = [
  serveOperation(usagePolicies.list, async ({ caller, query }, { store, tenancy }) => {
    const home = await tenancy.workspaceOf(caller, query.workspace_id);
    const { status = 'active', type } = query;
    const policies = status === 'active' ? await store.list(KIND, home.namespace) : [];
    return pageOfWanted(policies, query, {
      isWanted: ({ spec }) => type === undefined || spec.type === type,
      render: (policy) => toView(policy, home, tenancy),
    });
  }),
  serveOperation(usagePolicies.create, async ({ caller, body, force }, { store, tenancy, randomName }) => {
    const home = await tenancy.workspaceOf(caller, body.workspace_id);
    const { conditions, group_by, type } = body;
    const spec = { ...toFields(body), conditions: toConditions(conditions), groupBy: group_by, type };
    const place = { kind: KIND, namespace: home.namespace, name: body.slug ?? `usage-${randomName(8)}` } as const;
    const { meta } = written(await store.create(place, { spec }, { force }), WHAT, NAMES);
    return { id: meta.uid, slug: meta.name, object: 'policy' as const };
  }),
  serveOperation(usagePolicies.get, async (call, services) => {
    const { object, home } = await findObject(KIND, call.path['policyUsageLimitsId'] ?? '', { call, services }, WHAT);
    const groups = call.query.include_usage === 'true' ? await groupsOf(object, home, services) : undefined;
    return {
      ...toView(object, home, services.tenancy),
      object: 'policy' as const,
      ...(groups === undefined ? {} : { value_key_usage_map: toUsageMap(groups) }),
    };
  }),
  serveOperation(usagePolicies.update, async (call, services) => {
    const { object } = await findObject(KIND, call.path['policyUsageLimitsId'] ?? '', { call, services }, WHAT);
    const { conditions, reset_usage_for_value: group } = call.body;
    if (group !== undefined) checkGroup(group, object.spec, 'reset_usage_for_value');
    const change = ({ spec }: StoredObject<'UsageLimitPolicy'>) => ({
      spec: {
        ...(group === undefined ? spec : withReset(spec, group, services.now())),
        ...toFields(call.body),
        ...(conditions === undefined ? {} : { conditions: toConditions(conditions) }),
      },
    });
    const place = { kind: KIND, namespace: object.meta.namespace, name: object.meta.name } as const;
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(usagePolicies.delete, async (call, services) => {
    const { object } = await findObject(KIND, call.path['policyUsageLimitsId'] ?? '', { call, services }, WHAT);
    const place = { kind: KIND, namespace: object.meta.namespace, name: object.meta.name } as const;
    written(await services.store.delete(place, { force: call.force }), WHAT);
    return {};
  }),
  serveOperation(usagePolicies.listEntities, async (call, services) => {
    const { object, home } = await findObject(KIND, call.path['policyUsageLimitsId'] ?? '', { call, services }, WHAT);
    const { search, status } = call.query;
    const groups = (await groupsOf(object, home, services)).filter(
      (group) =>
        (status === undefined || group.status === status) && (search === undefined || group.value_key.includes(search)),
    );
    return pageOf(groups, call.query, (group) => group);
  }),
  serveOperation(usagePolicies.resetEntity, async (call, services) => {
    const { object, home } = await findObject(KIND, call.path['policyUsageLimitsId'] ?? '', { call, services }, WHAT);
    const group = findGroup(object, await groupsOf(object, home, services), call.path['entityId'] ?? '');
    if (group === undefined) throw absent('group of the policy');
    const change = ({ spec }: StoredObject<'UsageLimitPolicy'>) => ({ spec: withReset(spec, group, services.now()) });
    const place = { kind: KIND, namespace: object.meta.namespace, name: object.meta.name } as const;
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
];

/** Groups may have any name: the map has no prototype. */
const toUsageMap = (groups: readonly PolicyGroup[]): Record<string, number> =>
  Object.assign(
    Object.create(null),
    Object.fromEntries(groups.map(({ value_key, current_usage }) => [value_key, current_usage])),
  );
