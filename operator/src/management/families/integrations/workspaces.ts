import { integrationWorkspaces } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import { RestError } from '../../http/rest-error.ts';
import type { WriteOptions } from '../../store/index.ts';
import type { Home } from '../../tenancy/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { givenFields } from '../fields.ts';
import { referred } from '../homes.ts';
import { toRateLimits, toUsageLimits } from '../limits.ts';
import { type FieldNames, written } from '../write.ts';
import { type DefaultProvider, makeProvider, planProvider } from './default-provider.ts';
import { find, grantsOf } from './find.ts';
import { type AccessObject, type IntegrationObject, showAccess } from './spec.ts';

const WHAT = 'access of a workspace';
const KIND = 'IntegrationAccess';
const NAMES: FieldNames = {};

type Body = z.output<typeof integrationWorkspaces.write.body>;
type Given = Pick<NonNullable<Body['workspaces']>[number], 'enabled' | 'usage_limits' | 'rate_limits'>;

/** One grant that is to be written. */
interface Planned {
  /** Undefined: all workspaces. */
  readonly workspace: string | undefined;
  readonly given: Given;
  /** Undefined: there is none yet. */
  readonly before: AccessObject | undefined;
}

interface Plan {
  readonly writes: readonly Planned[];
  /** Those that go. */
  readonly removals: readonly AccessObject[];
  readonly providers: readonly DefaultProvider[];
}

const workspaceOf = ({ spec }: AccessObject): string | undefined => spec.workspaceRef?.name;

type Call = RestCall<typeof integrationWorkspaces.write>;

/** Throws RestError for a workspace that does not exist, and for one that is named twice. */
async function plan(call: Call, integration: IntegrationObject, services: Services): Promise<Plan> {
  const grants = await grantsOf(integration, services.tenancy.organisation, services);
  const writes: Planned[] = [];
  const providers: DefaultProvider[] = [];
  for (const [i, given] of (call.body.workspaces ?? []).entries()) {
    const home = await referred(`workspaces[${i}].id`, () => services.tenancy.workspaceOf(call.caller, given.id));
    const workspace = home.workspace?.slug;
    if (writes.some((other) => other.workspace === workspace)) throw problemAt(i, 'it is in the list twice');
    const before = grants.find((grant) => workspaceOf(grant) === workspace);
    writes.push({ workspace, given, before });
    const isNew = given.enabled && before?.spec.enabled !== true;
    const provider = isNew ? await providerFor(i, home, { call, integration, services }) : undefined;
    if (provider !== undefined) providers.push(provider);
  }
  const named = new Set(writes.map(({ workspace }) => workspace));
  const { global_workspace_access: all, override_existing_workspace_access: isWhole = false } = call.body;
  const forAll = grants.find((grant) => workspaceOf(grant) === undefined);
  if (all !== undefined && all !== null) writes.push({ workspace: undefined, given: all, before: forAll });
  const others = grants.filter((grant) => workspaceOf(grant) !== undefined && !named.has(workspaceOf(grant)));
  const removals = [...(isWhole ? others : []), ...(all === null && forAll !== undefined ? [forAll] : [])];
  return { writes, removals, providers };
}

interface Asked {
  readonly call: Call;
  readonly integration: IntegrationObject;
  readonly services: Services;
}

/** What is said of one workspace goes before what is said of all. */
function providerFor(
  i: number,
  home: Home,
  { call: { body }, integration: { meta, spec }, services }: Asked,
): Promise<DefaultProvider | undefined> {
  const one = body.workspaces?.[i];
  const wanted = {
    create_default_provider: one?.create_default_provider ?? body.create_default_provider,
    default_provider_slug: one?.default_provider_slug ?? body.default_provider_slug,
  };
  return planProvider(wanted, { home, name: meta.name, provider: spec.provider }, services);
}

const problemAt = (i: number, message: string): RestError =>
  new RestError('INVALID', { message: `body workspaces[${i}].id: ${message}`, param: `workspaces[${i}].id` });

async function write(
  { workspace, given, before }: Planned,
  integration: string,
  { store, tenancy, now }: Services,
  how: WriteOptions,
): Promise<void> {
  const change = (spec: Partial<AccessObject['spec']>) => ({
    spec: {
      ...spec,
      integrationRef: { name: integration },
      ...(workspace === undefined ? { allWorkspaces: true } : { workspaceRef: { name: workspace } }),
      ...givenFields({
        enabled: given.enabled,
        usageLimits: toUsageLimits(given, spec.usageLimits, now()),
        rateLimits: toRateLimits(given.rate_limits),
      }),
    },
  });
  // An object for each pair has the same name whoever makes it; an all-workspaces grant has that of the integration.
  const name = before?.meta.name ?? (workspace === undefined ? integration : `${integration}.${workspace}`);
  const place = { kind: KIND, namespace: tenancy.organisation.namespace, name } as const;
  const outcome =
    before === undefined
      ? await store.create(place, change({}), how)
      : await store.update(place, ({ spec }) => change(spec), how);
  written(outcome, WHAT, NAMES);
}

function refuseOfWorkspace({ workspace }: Home): void {
  if (workspace === undefined) return;
  throw new RestError('INVALID', { message: 'An integration of a workspace is granted to no other workspace' });
}

export const INTEGRATION_WORKSPACES: readonly BoundOperation[] = [
  serveOperation(integrationWorkspaces.list, async (call, services) => {
    const { object, home } = await find(call, services, 'read');
    refuseOfWorkspace(home);
    const grants = await grantsOf(object, home, services);
    const workspaces = grants.flatMap((grant) => {
      const id = workspaceOf(grant);
      return id === undefined ? [] : [{ id, ...showAccess(grant) }];
    });
    return { total: workspaces.length, workspaces };
  }),
  serveOperation(integrationWorkspaces.write, async (call, services) => {
    const { object, home } = await find(call, services, 'update');
    refuseOfWorkspace(home);
    const { writes, removals, providers } = await plan(call, object, services);
    for (const dryRun of [true, false]) {
      const how = { force: call.force, dryRun };
      for (const one of writes) await write(one, object.meta.name, services, how);
      for (const provider of providers) await makeProvider(provider, services, dryRun);
      for (const { kind, meta } of removals) {
        const place = { kind, namespace: meta.namespace, name: meta.name } as const;
        const gone = await services.store.delete(place, how);
        if (!gone.ok && gone.error.kind !== 'absent') written(gone, WHAT);
      }
    }
    return {};
  }),
];
