/** What the schema cannot check about a fleet, with paths from the root of the resource. */
import type { Issue } from '@gatehouse/crds';
import { type GatewayFleet, unsupportedIn } from '@gatehouse/crds/kinds';
import { isReserved } from './environment.ts';
import { childLabels } from './names.ts';
import { isOfOrganisation } from './placement.ts';
import type { FleetSettings } from './settings.ts';

/**
 * Fields that are not served yet, variables and labels that the operator sets itself, and what a fleet in the namespace of a
 * Workspace may not have: there, the right to write fleets must not become a right to more than its own pods.
 */
export function fleetIssues(fleet: GatewayFleet, settings: Pick<FleetSettings, 'fleetNamespaces'>): Issue[] {
  const { env = [], listeners = [] } = fleet.spec;
  const isOrganisation = isOfOrganisation(fleet.metadata.namespace ?? '', settings);
  return [
    ...unsupportedIn(fleet),
    ...(listeners.length > 1 ? [ONE_LISTENER] : []),
    ...ownLabels(fleet),
    ...(isOrganisation ? [] : [...volumeIssues(fleet), ...affinityIssues(fleet), ...platformLabels(fleet)]),
    ...env.flatMap(({ name }, i): Issue[] => {
      if (!isReserved(name, fleet.spec)) return [];
      return [{ code: 'invalid', path: ['spec', 'env', i, 'name'], message: `the operator sets ${name} itself` }];
    }),
  ];
}

const ONE_LISTENER: Issue = {
  code: 'unsupported',
  path: ['spec', 'listeners'],
  message: 'more than one listener is not part of this version',
};

type Path = readonly (string | number)[];

const invalid = (path: Path, message: string): Issue => ({ code: 'invalid', path: [...path], message });

const LABELS = ['spec', 'service', 'labels'] as const;
const labelsOf = ({ spec }: GatewayFleet): readonly string[] => Object.keys(spec.service?.labels ?? {});
const domainOf = (label: string): string => (label.includes('/') ? label.slice(0, label.indexOf('/')) : '');
const isIn = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

/** Our labels select objects: another value would take the Service out of the operator's sight. */
function ownLabels(fleet: GatewayFleet): readonly Issue[] {
  const own = childLabels(fleet);
  return labelsOf(fleet)
    .filter((name) => Object.hasOwn(own, name) || isIn(domainOf(name), 'gatehouse.dev'))
    .map((name) => invalid([...LABELS, name], `the operator sets ${name} itself`));
}

/** Labels of these domains steer components of the cluster. */
const PLATFORM_DOMAINS = ['kubernetes.io', 'k8s.io'];

const platformLabels = (fleet: GatewayFleet): readonly Issue[] =>
  labelsOf(fleet)
    .filter((name) => PLATFORM_DOMAINS.some((domain) => isIn(domainOf(name), domain)))
    .map((name) => invalid([...LABELS, name], `labels of ${domainOf(name)} are for fleets of the organisation`));

/** A mounted Secret can be read by the image that the fleet names. */
const volumeIssues = ({ spec }: GatewayFleet): readonly Issue[] =>
  (['volumes', 'volumeMounts'] as const)
    .filter((field) => (spec.pod?.[field]?.length ?? 0) > 0)
    .map((field) => invalid(['spec', 'pod', field], `${field} are for fleets of the organisation`));

/** Pods that keep the pods of all namespaces away from their nodes would stop the cluster from scheduling. */
function affinityIssues({ spec }: GatewayFleet): readonly Issue[] {
  const { podAffinity, podAntiAffinity } = spec.pod?.affinity ?? {};
  return Object.entries({ podAffinity, podAntiAffinity }).flatMap(([name, terms]) => {
    const required = terms?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = terms?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const at = ['spec', 'pod', 'affinity', name];
    return [
      ...required.map((term, i) => ({ term, path: [...at, 'requiredDuringSchedulingIgnoredDuringExecution', i] })),
      ...preferred.map(({ podAffinityTerm: term }, i) => ({
        term,
        path: [...at, 'preferredDuringSchedulingIgnoredDuringExecution', i, 'podAffinityTerm'],
      })),
    ].flatMap(({ term, path }) =>
      (['namespaces', 'namespaceSelector'] as const)
        .filter((field) => term[field] !== undefined)
        .map((field) => invalid([...path, field], 'pods of other namespaces are for fleets of the organisation')),
    );
  });
}
