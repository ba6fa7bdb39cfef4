import { ratePolicies } from '@gatehouse/crds/rest';
import type { StoredObject } from '../store/index.ts';
import type { Home, Tenancy } from '../tenancy/index.ts';
import { type BoundOperation, serveOperation } from './family.ts';
import { findObject } from './find.ts';
import { pageOf } from './pages.ts';
import { toConditions, toSelection } from './policy-selection.ts';
import { type FieldNames, written } from './write.ts';

const WHAT = 'rate limit policy';
const KIND = 'RateLimitPolicy';
const NAMES: FieldNames = { displayName: 'name', values: 'value' };

function toView({ meta, spec }: StoredObject<'RateLimitPolicy'>, home: Home | undefined, { organisationId }: Tenancy) {
  return {
    id: meta.uid,
    slug: meta.name,
    name: spec.displayName ?? meta.name,
    ...toSelection(spec),
    type: spec.type,
    unit: spec.unit,
    value: spec.value,
    status: 'active' as const,
    workspace_id: home?.workspace?.id ?? organisationId,
    organisation_id: organisationId,
    created_at: meta.createdAt,
    last_updated_at: meta.updatedAt,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    target: spec.target,
  };
}

export const RATE_LIMIT_POLICIES: readonly BoundOperation[] = [
  serveOperation(ratePolicies.list, async ({ caller, query }, { store, tenancy }) => {
    const home = await tenancy.workspaceOf(caller, query.workspace_id);
    const { status = 'active', type, unit } = query;
    const policies = status === 'active' ? await store.list(KIND, home.namespace) : [];
    const wanted = policies.filter(
      ({ spec }) => (type === undefined || spec.type === type) && (unit === undefined || spec.unit === unit),
    );
    return pageOf(wanted, query, (policy) => toView(policy, home, tenancy));
  }),
  serveOperation(ratePolicies.create, async ({ caller, body, force }, { store, tenancy, randomName }) => {
    const home = await tenancy.workspaceOf(caller, body.workspace_id);
    const { name, conditions, group_by, type, unit, value, description, target } = body;
    const spec = {
      displayName: name,
      description: description ?? undefined,
      target,
      conditions: toConditions(conditions),
      groupBy: group_by,
      type,
      unit,
      value,
    };
    const place = { kind: KIND, namespace: home.namespace, name: body.slug ?? `rate-${randomName(8)}` } as const;
    const { meta } = written(await store.create(place, { spec }, { force }), WHAT, NAMES);
    return { id: meta.uid, slug: meta.name, object: 'policy' as const };
  }),
  serveOperation(ratePolicies.get, async (call, services) => {
    const { object, home } = await findObject(KIND, call.path['rateLimitsPolicyId'] ?? '', { call, services }, WHAT);
    return { ...toView(object, home, services.tenancy), object: 'policy' as const };
  }),
  serveOperation(ratePolicies.update, async (call, services) => {
    const { object } = await findObject(KIND, call.path['rateLimitsPolicyId'] ?? '', { call, services }, WHAT);
    const { name, unit, value, description, conditions } = call.body;
    const change = ({ spec }: StoredObject<'RateLimitPolicy'>) => ({
      spec: {
        ...spec,
        ...(name === undefined ? {} : { displayName: name }),
        ...(unit === undefined ? {} : { unit }),
        ...(value === undefined ? {} : { value }),
        ...(description === undefined ? {} : { description: description ?? undefined }),
        ...(conditions === undefined ? {} : { conditions: toConditions(conditions) }),
      },
    });
    const place = { kind: KIND, namespace: object.meta.namespace, name: object.meta.name } as const;
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(ratePolicies.delete, async (call, services) => {
    const { object } = await findObject(KIND, call.path['rateLimitsPolicyId'] ?? '', { call, services }, WHAT);
    const place = { kind: KIND, namespace: object.meta.namespace, name: object.meta.name } as const;
    written(await services.store.delete(place, { force: call.force }), WHAT);
    return {};
  }),
];
