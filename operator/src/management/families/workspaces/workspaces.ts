import { workspaces } from '@gatehouse/crds/rest';
import { RestError } from '../../http/rest-error.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { pageOf } from '../pages.ts';
import { newSlug } from '../slugs.ts';
import { type FieldNames, written } from '../write.ts';
import { deleteAll, dependentsOf, grantsTo, refuseKept } from './cascade.ts';
import { nameOf, readDefaults, toItem, toRecord, toSpec, type WorkspaceFields, type WorkspaceObject } from './spec.ts';

const WHAT = 'workspace';
const KIND = 'Workspace';
const NAMES: FieldNames = {
  displayName: 'name',
  configRef: 'user_api_key_config',
  inputGuardrailRefs: 'input_guardrails',
  outputGuardrailRefs: 'output_guardrails',
};

const placeOf = (name: string) => ({ kind: KIND, namespace: undefined, name }) as const;

/** Those that the caller may see. */
async function visible({ caller }: Pick<RestCall, 'caller'>, { store }: Services): Promise<readonly WorkspaceObject[]> {
  const all = await store.list(KIND);
  return caller.workspace === undefined ? all : all.filter(({ meta }) => meta.name === caller.workspace);
}

async function find(call: Pick<RestCall, 'caller' | 'path'>, services: Services): Promise<WorkspaceObject> {
  const wanted = call.path['workspaceId'];
  const found = (await visible(call, services)).find(({ meta }) => meta.name === wanted || meta.uid === wanted);
  if (found === undefined) throw new RestError('ABSENT', { message: 'The workspace does not exist' });
  return found;
}

async function defaultName({ store }: Services): Promise<string | undefined> {
  const organisation = await store.get({ kind: 'Organisation', namespace: undefined, name: 'default' });
  return organisation?.spec.defaultWorkspaceRef?.name;
}

/** The limits of a workspace are what the organisation gives it. */
function refuseOwnLimits({ caller }: Pick<RestCall, 'caller'>, body: WorkspaceFields): void {
  if (caller.workspace === undefined) return;
  const param = (['usage_limits', 'rate_limits'] as const).find((name) => body[name] !== undefined);
  if (param === undefined) return;
  throw new RestError('FORBIDDEN', {
    message: 'Only keys of the organisation change the limits of a workspace',
    param,
  });
}

function refuseOfWorkspaces({ caller }: Pick<RestCall, 'caller'>): void {
  if (caller.workspace === undefined) return;
  throw new RestError('FORBIDDEN', { message: 'Only keys of the organisation make and delete workspaces' });
}

/** Nothing is archived. */
const isActive = (status: string | undefined): boolean =>
  status === undefined || status.split(',').some((one) => one.trim() === 'active');

async function remove(call: RestCall<typeof workspaces.delete>, services: Services): Promise<undefined> {
  refuseOfWorkspaces(call);
  const object = await find(call, services);
  const { name, force_delete: all = false } = call.body;
  const { meta, spec } = object;
  if (name !== nameOf(object) && name !== meta.name) {
    throw new RestError('INVALID', { message: 'body name: expected the name of the workspace', param: 'name' });
  }
  if ((await defaultName(services)) === meta.name) {
    throw new RestError('CONFLICT', { message: 'The default workspace of the organisation cannot be deleted' });
  }
  const how = { force: call.force };
  const { store } = services;
  const dependents = await dependentsOf(object, services);
  refuseKept(dependents, how, all);
  written(await store.delete(placeOf(meta.name), { ...how, dryRun: true }), WHAT);
  if (dependents.length > 0 && spec.defaults !== undefined) {
    // What the defaults name would be in use.
    const change = (now: WorkspaceObject) => ({ spec: { ...now.spec, defaults: undefined } });
    written(await store.update(placeOf(meta.name), change, how), WHAT);
  }
  await deleteAll(dependents, services, how);
  await deleteAll(await grantsTo(object, services), services, how);
  written(await store.delete(placeOf(meta.name), how), WHAT);
  return undefined;
}

export const WORKSPACES: readonly BoundOperation[] = [
  serveOperation(workspaces.list, async (call, services) => {
    const { name, exact_name: exactName, status } = call.query;
    const all = isActive(status) ? await visible(call, services) : [];
    const wanted = all.filter(
      (one) =>
        (name === undefined || nameOf(one).includes(name)) && (exactName === undefined || nameOf(one) === exactName),
    );
    const ofOrganisation = await defaultName(services);
    return pageOf(wanted, call.query, (one) => toItem(one, one.meta.name === ofOrganisation));
  }),
  serveOperation(workspaces.create, async (call, services) => {
    refuseOfWorkspaces(call);
    const { body, force } = call;
    const slug = body.slug ?? newSlug({ prefix: 'ws-', name: body.name, length: 6 }, services.randomName);
    const namespace = body.namespace ?? slug;
    const spec = { ...toSpec(body, await readDefaults(body, namespace, services), {}), namespace };
    const made = await services.store.create(placeOf(slug), { spec }, { force, permittedOnly: true });
    return toRecord(written(made, WHAT, NAMES), false);
  }),
  serveOperation(workspaces.get, async (call, services) => {
    const object = await find(call, services);
    return toRecord(object, object.meta.name === (await defaultName(services)));
  }),
  serveOperation(workspaces.update, async (call, services) => {
    refuseOwnLimits(call, call.body);
    const { meta, spec } = await find(call, services);
    const defaults = await readDefaults(call.body, spec.namespace, services);
    const change = (now: WorkspaceObject) => ({ spec: toSpec(call.body, defaults, now.spec) });
    written(await services.store.update(placeOf(meta.name), change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(workspaces.delete, remove),
];
