/** What the schema cannot say about a fleet, with paths from the root of the resource. */
import type { Issue } from '@gatehouse/crds';
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { isReserved } from './environment.ts';

interface NotServed {
  readonly path: readonly string[];
  /** Completes "… not part of this version". */
  readonly engine: string;
  readonly isAsked: (spec: GatewayFleet['spec']) => boolean;
}

/** Fields whose engine does not exist yet are refused rather than ignored (DESIGN section 4); the engine deletes its row. */
const NOT_SERVED: readonly NotServed[] = [
  {
    path: ['spec', 'stores', 'postgres'],
    engine: 'records in PostgreSQL are',
    isAsked: ({ stores }) => stores?.postgres !== undefined,
  },
  {
    path: ['spec', 'stores', 's3'],
    engine: 'bodies in an object store are',
    isAsked: ({ stores }) => stores?.s3 !== undefined,
  },
  {
    path: ['spec', 'stores', 'redis', 'cacheUrlSecretRef'],
    engine: 'a Redis for cached answers alone is',
    isAsked: ({ stores }) => stores?.redis?.cacheUrlSecretRef !== undefined,
  },
  {
    path: ['spec', 'storeFailurePolicy'],
    engine: 'refusing requests while a store is away is',
    isAsked: ({ storeFailurePolicy }) => storeFailurePolicy === 'closed',
  },
  {
    path: ['spec', 'listeners'],
    engine: 'more than one listener is',
    isAsked: ({ listeners = [] }) => listeners.length > 1,
  },
];

/** Fields nobody serves yet, and variables that are not the fleet's to set. */
export function fleetIssues({ spec }: Pick<GatewayFleet, 'spec'>): Issue[] {
  return [
    ...NOT_SERVED.filter(({ isAsked }) => isAsked(spec)).map(
      ({ path, engine }): Issue => ({ code: 'unsupported', path, message: `${engine} not part of this version` }),
    ),
    ...(spec.env ?? []).flatMap(({ name }, i): Issue[] => {
      if (!isReserved(name, spec)) return [];
      return [{ code: 'invalid', path: ['spec', 'env', i, 'name'], message: `the operator sets ${name} itself` }];
    }),
  ];
}
