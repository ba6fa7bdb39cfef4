/** The holder of a ServiceAccount token, as a workspace names it. Rules: docs/behaviour/identity.md#serviceaccounts. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../errors/index.ts';
import type { Claims } from '../lib/jwt/index.ts';
import {
  compileLimits,
  type IssuerRecord,
  type KeyRecord,
  type SnapshotView,
  type Workload,
} from '../snapshot/index.ts';
import type { TokenIdentity } from './key-record.ts';

/** The claims that an API server writes: https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/. */
const workloadClaims = z.looseObject({
  sub: z.string(),
  'kubernetes.io': z.looseObject({
    namespace: z.string().min(1),
    serviceaccount: z.looseObject({ name: z.string().min(1), uid: z.string().min(1) }),
    pod: z.looseObject({ name: z.string().min(1), uid: z.string().min(1).optional() }).optional(),
  }),
});

/** Throws AppError KEY_INVALID or WORKSPACE_FORBIDDEN. */
export function toWorkloadIdentity(claims: Claims, issuer: IssuerRecord, snapshot: SnapshotView): TokenIdentity {
  const { data } = workloadClaims.safeParse(claims);
  const { namespace = '', serviceaccount: account, pod } = data?.['kubernetes.io'] ?? {};
  if (
    data === undefined ||
    account === undefined ||
    data.sub !== `system:serviceaccount:${namespace}:${account.name}`
  ) {
    throw new AppError('KEY_INVALID', {
      detail: 'Invalid API Key: the token of the cluster is not of a ServiceAccount',
    });
  }
  const who = `${namespace}/${account.name}`;
  const workload = workloadOf({ namespace, name: account.name, isOfPod: pod !== undefined }, snapshot);
  if (workload.uid !== undefined && workload.uid !== account.uid) {
    throw new AppError('KEY_INVALID', {
      detail: `Invalid API Key: the token is of an earlier ServiceAccount ${who}; restart the pod`,
    });
  }
  const { workspace, scopes, rateLimits = [] } = workload;
  const id = `workload/${workspace}/${who}`;
  const key: KeyRecord = {
    id,
    name: who,
    workspace,
    scopes: new Set(scopes),
    defaults: { allowConfigOverride: true },
    limits: compileLimits({ subject: id, workspace }, { rateLimits }),
    expiresAtMs: (Number(claims['exp']) + issuer.clockSkewSeconds) * 1000,
    user: undefined,
  };
  const identity = { key, keyHash: hash('sha256', id) };
  return pod === undefined ? identity : { ...identity, pod: `${namespace}/${pod.name}/${pod.uid ?? ''}` };
}

interface Caller {
  readonly namespace: string;
  /** Of the ServiceAccount. */
  readonly name: string;
  readonly isOfPod: boolean;
}

/** A ServiceAccount that is named has what is said there and no more, also in a namespace whose pods have sidecars. */
function workloadOf({ namespace, name, isOfPod }: Caller, snapshot: SnapshotView): Acting {
  const [named, anotherNamed] = snapshot.workloads(namespace, name);
  const who = `${namespace}/${name}`;
  if (anotherNamed !== undefined)
    throw forbidden(`Several workspaces name the ServiceAccount ${who} in workloadIdentities`);
  if (named !== undefined) return named;
  const [pods, anotherOwner] = isOfPod ? snapshot.pods(namespace) : [];
  if (pods !== undefined && anotherOwner === undefined) return pods;
  throw forbidden(`No workspace names the ServiceAccount ${who} in workloadIdentities`);
}

type Acting = Pick<Workload, 'workspace' | 'scopes'> & Partial<Pick<Workload, 'rateLimits' | 'uid'>>;

const forbidden = (why: string): AppError => new AppError('WORKSPACE_FORBIDDEN', { detail: `Forbidden! ${why}` });
