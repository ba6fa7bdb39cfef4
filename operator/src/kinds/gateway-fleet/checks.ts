/** What the schema cannot check about a fleet, with paths from the root of the resource. */
import type { Issue } from '@gatehouse/crds';
import { type GatewayFleet, unsupportedIn } from '@gatehouse/crds/kinds';
import { isReserved } from './environment.ts';

/** Fields that are not served yet, and variables that a fleet must not set. */
export function fleetIssues(fleet: GatewayFleet): Issue[] {
  const { env = [], listeners = [] } = fleet.spec;
  return [
    ...unsupportedIn(fleet),
    ...(listeners.length > 1 ? [ONE_LISTENER] : []),
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
