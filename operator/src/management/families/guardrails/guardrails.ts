import { guardrails } from '@gatehouse/crds/rest';
import { authorize } from '../../callers/index.ts';
import { versionIdOf } from '../../revisions/index.ts';
import type { StoredObject } from '../../store/index.ts';
import type { Home, Tenancy } from '../../tenancy/index.ts';
import { newSecretName } from '../account.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { givenFields } from '../fields.ts';
import { type Found, findObject } from '../find.ts';
import { homeOf } from '../homes.ts';
import { pageOfWanted } from '../pages.ts';
import { newSlug } from '../slugs.ts';
import { type FieldNames, written } from '../write.ts';
import { showActions, toActions } from './actions.ts';
import { secretsOf, showCheck, toChecks } from './checks.ts';

const WHAT = 'guardrail';
const KIND = 'Guardrail';
const NAMES: FieldNames = { displayName: 'name', enabled: 'is_enabled', softDeny200: 'soft_deny_200' };

type Action = 'create' | 'read' | 'update' | 'delete' | 'list';

/** Those of the organisation have scopes of their own. */
function authorizeFor({ caller }: Pick<RestCall, 'caller'>, { workspace }: Home, action: Action): void {
  authorize(caller, [`${workspace === undefined ? 'organisation_guardrails' : 'guardrails'}.${action}`]);
}

async function find(
  call: Pick<RestCall, 'caller' | 'path'>,
  services: Services,
  action: Action,
): Promise<Found<'Guardrail'>> {
  const found = await findObject(KIND, call.path['guardrailId'] ?? '', { call, services }, WHAT);
  authorizeFor(call, found.home, action);
  return found;
}

const placeOf = ({ meta: { namespace, name } }: StoredObject<'Guardrail'>) =>
  ({ kind: KIND, namespace, name }) as const;

const toItem = ({ meta, spec }: StoredObject<'Guardrail'>, { workspace }: Home, { organisationId }: Tenancy) => ({
  id: meta.uid,
  name: spec.displayName ?? meta.name,
  slug: meta.name,
  type: spec.type,
  description: spec.description ?? null,
  organisation_id: organisationId,
  workspace_id: workspace?.id ?? null,
  status: 'active' as const,
  created_at: meta.createdAt,
  last_updated_at: meta.updatedAt,
  owner_id: null,
  updated_by: null,
});

const toResult = (guardrail: StoredObject<'Guardrail'>) => ({
  id: guardrail.meta.uid,
  slug: guardrail.meta.name,
  version_id: versionIdOf(guardrail),
});

export const GUARDRAILS: readonly BoundOperation[] = [
  serveOperation(guardrails.list, async (call, { store, tenancy }) => {
    const home = await homeOf(call.caller, call.query, tenancy);
    authorizeFor(call, home, 'list');
    const ids = call.query.ids === undefined ? undefined : new Set(call.query.ids.split(',').map((id) => id.trim()));
    const all = await store.list(KIND, home.namespace);
    return pageOfWanted(all, call.query, {
      isWanted: ({ meta }) => ids === undefined || ids.has(meta.uid) || ids.has(meta.name),
      render: (one) => toItem(one, home, tenancy),
    });
  }),
  serveOperation(guardrails.create, async (call, { store, tenancy, randomName }) => {
    const { name, type, description, checks, actions } = call.body;
    const home = await homeOf(call.caller, call.body, tenancy);
    authorizeFor(call, home, 'create');
    const slug = call.body.slug ?? newSlug({ prefix: 'pg-', name, length: 6 }, randomName);
    const draft = toChecks(checks, { before: [], secretName: slug });
    const spec = {
      ...givenFields({ displayName: name, description, type }),
      checks: draft.checks,
      actions: actions === undefined || actions === null ? undefined : toActions(actions, undefined),
    };
    const place = { kind: KIND, namespace: home.namespace, name: slug } as const;
    const made = await store.create(place, { spec, secret: draft.secret }, { force: call.force });
    return toResult(written(made, WHAT, NAMES));
  }),
  serveOperation(guardrails.get, async (call, services) => {
    const { object, home } = await find(call, services, 'read');
    const { checks, actions } = object.spec;
    return {
      ...toItem(object, home, services.tenancy),
      checks: checks.map(showCheck),
      actions: showActions(actions),
    };
  }),
  serveOperation(guardrails.update, async (call, services) => {
    const { object } = await find(call, services, 'update');
    const { name, type, description, checks, actions } = call.body;
    const change = ({ meta, spec }: StoredObject<'Guardrail'>) => {
      const { checks: before } = spec;
      const secretName = secretsOf(before).length === 0 ? meta.name : newSecretName(meta.name, services.randomName);
      const draft = checks && toChecks(checks, { before, secretName });
      return {
        spec: {
          ...spec,
          ...givenFields({ displayName: name, description, type, checks: draft?.checks }),
          ...(actions === undefined
            ? {}
            : { actions: actions === null ? undefined : toActions(actions, spec.actions) }),
        },
        secret: draft?.secret,
        retired: draft?.retired,
      };
    };
    return toResult(written(await services.store.update(placeOf(object), change, { force: call.force }), WHAT, NAMES));
  }),
  serveOperation(guardrails.delete, async (call, services) => {
    const { object } = await find(call, services, 'delete');
    written(await services.store.delete(placeOf(object), { force: call.force }), WHAT);
    return undefined;
  }),
];
