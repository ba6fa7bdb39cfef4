/** ServiceAccounts that act in a Workspace, and what is wrong with them: docs/behaviour/identity.md#serviceaccounts. */
import { canonicalScope, type Workspace } from '@gatehouse/crds/kinds';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import { DEFAULT_ACCOUNT, issuerUnread } from '../../../rbac.ts';
import {
  type Finding,
  type Lookups,
  missing,
  notPermitted,
  pending,
  unreadable,
  type WorldSettings,
} from '../../types/index.ts';

type Named = NonNullable<Workspace['spec']['workloadIdentities']>[number];
type Identity = NonNullable<EntryBody<'workspace'>['workloadIdentities']>[number];
type View = Pick<Lookups, 'accountOf' | 'accountsCommand' | 'workspaceNaming'>;

export interface Workloads {
  readonly identities: readonly Identity[];
  readonly findings: readonly Finding[];
}

/** The UID of a ServiceAccount that does not exist: no token has it. */
const NO_UID = '';
const BOUND = 'tokens of a ServiceAccount that was deleted are good until they expire, 60 minutes at most';

/** A ServiceAccount acts in the oldest Workspace that names it. */
export function workloadsOf(
  workspace: string,
  named: readonly Named[] | undefined = [],
  settings: WorldSettings,
  view: View,
): Workloads {
  const found = named.map((one, i) => workloadOf(one, { workspace, place: ['spec', 'workloadIdentities', i] }, view));
  return {
    identities: found.flatMap(({ identity }) => (identity === undefined ? [] : [identity])),
    findings: [
      ...found.flatMap(({ finding }) => (finding === undefined ? [] : [finding])),
      ...(named.length === 0 ? [] : issuerFindings(named, settings, view)),
    ],
  };
}

interface Place {
  readonly workspace: string;
  readonly place: readonly (string | number)[];
}

interface Workload {
  readonly identity?: Identity;
  readonly finding?: Finding;
}

function workloadOf(named: Named, { workspace, place }: Place, view: View): Workload {
  const { namespace, serviceAccount } = named;
  const who = `the ServiceAccount ${namespace}/${serviceAccount}`;
  const path = [...place, 'serviceAccount'];
  const first = view.workspaceNaming(namespace, serviceAccount);
  if (first !== undefined && first !== workspace) {
    const message = `${who} acts in the Workspace ${first}, which is older: a ServiceAccount acts in one workspace`;
    return { finding: notPermitted(path, message, 'serve') };
  }
  const account = view.accountOf(namespace, serviceAccount);
  if (account === null) return { identity: identityOf(named) };
  switch (account?.kind) {
    case 'exists':
      return { identity: identityOf(named, account.uid) };
    case 'absent':
      return { identity: identityOf(named, NO_UID), finding: missing(path, `${who} does not exist`, 'serve') };
    case 'denied': {
      const message = `the operator may not read ${who}, so that ${BOUND}; grant it with: ${view.accountsCommand(namespace)}`;
      return { identity: identityOf(named), finding: unreadable(path, message) };
    }
    case 'beyond': {
      const message = `${who} is not watched, since Workspaces name more than the operator can follow: ${BOUND}`;
      return { identity: identityOf(named), finding: pending(path, message, 'serve') };
    }
    default:
      return { finding: pending(path, `${who} is not read yet`) };
  }
}

const identityOf = ({ namespace, serviceAccount, scopes, rateLimits = [] }: Named, uid?: string): Identity => ({
  namespace,
  serviceAccount,
  ...(uid === undefined ? {} : { uid }),
  scopes: scopes.map(canonicalScope),
  ...(rateLimits.length === 0 ? {} : { rateLimits: [...rateLimits] }),
});

/** Without the issuer of a cluster no token can be checked. */
function issuerFindings(
  [first]: readonly Named[],
  { clusterIssuer, operatorAccount = DEFAULT_ACCOUNT }: WorldSettings,
  view: View,
): readonly Finding[] {
  const isCluster = first !== undefined && view.accountOf(first.namespace, first.serviceAccount) !== null;
  if (clusterIssuer !== undefined || !isCluster) return [];
  const message = `no token of a ServiceAccount is accepted: ${issuerUnread(operatorAccount)}`;
  return [unreadable(['spec', 'workloadIdentities'], message)];
}
