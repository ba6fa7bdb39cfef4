/** Which workspaces a fleet may serve. */
import { isObject } from '@gatehouse/crds';
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { CONSENT_LABEL, type World, type WorldObject } from '../../translate/index.ts';
import { ungrantedProblem } from './metadata-access.ts';
import type { FleetSettings } from './settings.ts';

export type FleetWorld = Pick<World, 'resources' | 'namespaces'>;

export interface FleetIssue {
  readonly reason: 'RefNotFound' | 'RefNotPermitted' | 'IdentityNotGranted' | 'InvalidCertificateRef';
  /** The path in the fleet. */
  readonly path: string;
  readonly message: string;
}

export interface Placement {
  /**
   * The owner of the fleet's namespace: people who read the Secrets there can read what is published there. Undefined: no
   * owner.
   */
  readonly owner: 'organisation' | 'workspace' | undefined;
  /** What may be published to the fleet, even if it is otherwise invalid. */
  readonly served: World['served'];
  readonly issues: readonly FleetIssue[];
}

/**
 * The workspaces that a fleet serves. A fleet in one of the organisation's fleet namespaces may serve any; in the namespace
 * that a Workspace owns with the namespace's consent it may serve that one; elsewhere it may serve none.
 */
export function workspacesServedBy(
  fleet: Pick<GatewayFleet, 'metadata' | 'spec'>,
  world: FleetWorld,
  settings: Pick<FleetSettings, 'fleetNamespaces'>,
): Placement {
  const {
    metadata: { namespace = '' },
    spec: { workspaces, workspaceSelector },
  } = fleet;
  const isOrganisation = isOfOrganisation(namespace, settings);
  const tenant = isOrganisation ? undefined : ownerOf(namespace, world);
  if (!isOrganisation && tenant === undefined) return { owner: undefined, served: new Set(), issues: [NO_OWNER] };
  const owner = isOrganisation ? 'organisation' : 'workspace';
  if (isOrganisation && workspaces === undefined && workspaceSelector === undefined) {
    return { owner, served: 'all', issues: [] };
  }
  const permitted = permittedOf(tenant, world);
  const chosen = workspaceSelector === undefined ? permitted : permitted.filter(selectedBy(workspaceSelector));
  const names = new Set(chosen.map(({ metadata }) => metadata.name));
  const ungranted = tenant && ungrantedProblem(fleet, tenant.metadata.name, world);
  const unnamed = (workspaces ?? []).flatMap((name, i) => (names.has(name) ? [] : [unserved(name, i, isOrganisation)]));
  return {
    owner,
    served: workspaces === undefined ? names : names.intersection(new Set(workspaces)),
    issues: [...unnamed, ...(ungranted === undefined ? [] : [{ reason: 'IdentityNotGranted' as const, ...ungranted }])],
  };
}

/** The Workspace in whose namespace the fleet is; undefined for one of the organisation, or of nobody. */
export const tenantOf = (
  { metadata: { namespace = '' } }: Pick<GatewayFleet, 'metadata'>,
  world: FleetWorld,
  settings: Pick<FleetSettings, 'fleetNamespaces'>,
): string | undefined => (isOfOrganisation(namespace, settings) ? undefined : ownerOf(namespace, world)?.metadata.name);

/** Whether the organisation owns the fleets of the namespace: no tenant can write what is published to them. */
export const isOfOrganisation = (
  namespace: string,
  { fleetNamespaces }: Pick<FleetSettings, 'fleetNamespaces'>,
): boolean => fleetNamespaces.has(namespace);

const NO_OWNER: FleetIssue = {
  reason: 'RefNotPermitted',
  path: 'metadata.namespace',
  message: `the namespace belongs neither to a Workspace that it names with the label ${CONSENT_LABEL} nor to the fleets of the organisation`,
};

/** A tenant gets the same text whether or not the other workspace exists. */
const unserved = (name: string, index: number, isOrganisation: boolean): FleetIssue => ({
  reason: isOrganisation ? 'RefNotFound' : 'RefNotPermitted',
  path: `spec.workspaces[${index}]`,
  message: isOrganisation
    ? `there is no Workspace ${name}`
    : `a fleet in the namespace of a Workspace serves no other than that one, and so not ${name}`,
});

/** The Workspace that the namespace's label names and that names the namespace. */
function ownerOf(namespace: string, { resources, namespaces }: FleetWorld): WorldObject | undefined {
  const name = namespaces.get(namespace)?.get(CONSENT_LABEL);
  const workspace = name === undefined ? undefined : resources.get('Workspace')?.get(name);
  const spec = workspace?.['spec'];
  return isObject(spec) && spec['namespace'] === namespace ? workspace : undefined;
}

function permittedOf(tenant: WorldObject | undefined, { resources }: FleetWorld): readonly WorldObject[] {
  if (tenant !== undefined) return [tenant];
  const all: WorldObject[] = [];
  resources.get('Workspace')?.forEach((workspace) => {
    all.push(workspace);
  });
  return all;
}

type Selector = NonNullable<GatewayFleet['spec']['workspaceSelector']>;
type Requirement = NonNullable<Selector['matchExpressions']>[number];

function selectedBy({ matchLabels = {}, matchExpressions = [] }: Selector): (workspace: WorldObject) => boolean {
  return ({ metadata }) => {
    const labels = new Map(isObject(metadata['labels']) ? Object.entries(metadata['labels']) : []);
    const isEqual = Object.entries(matchLabels).every(([key, value]) => labels.get(key) === value);
    return isEqual && matchExpressions.every((requirement) => meets(labels, requirement));
  };
}

/** As in Kubernetes: a missing label is in no set, and so matches `NotIn`. */
function meets(labels: ReadonlyMap<string, unknown>, { key, operator, values = [] }: Requirement): boolean {
  const value = labels.get(key);
  const isIn = typeof value === 'string' && values.includes(value);
  const verdicts = { In: isIn, NotIn: !isIn, Exists: labels.has(key), DoesNotExist: !labels.has(key) };
  return verdicts[operator];
}
