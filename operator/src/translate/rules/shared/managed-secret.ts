/** What is to be fetched for a SecretReference, and what has been: docs/behaviour/secret-references.md. */
import { err, ok, type Result } from '@gatehouse/crds';
import type { SecretReference } from '@gatehouse/crds/kinds';
import { digestOf } from '@gatehouse/crds/snapshot';
import type { Lookups, ManagerReach, ObjectScope, OperatorIdentityGrant, SecretFetch } from '../../types/index.ts';
import {
  type Finding,
  identityNotGranted,
  missing,
  notPermitted,
  objectKey,
  secretKeyOf,
  secretUnread,
} from '../../types/index.ts';
import { isAllowedHost } from './custom-hosts.ts';
import { textOf } from './secret-text.ts';

type Spec = SecretReference['spec'];
type Path = Finding['path'];

/** Entries of the Secret with the credentials, by manager and auth method. */
const ENTRIES: Readonly<Record<string, { readonly needed: readonly string[]; readonly optional?: readonly string[] }>> =
  {
    Token: { needed: ['token'] },
    AppRole: { needed: ['role_id', 'secret_id'] },
    AccessKey: { needed: ['aws_access_key_id', 'aws_secret_access_key'], optional: ['aws_session_token'] },
    ClientSecret: { needed: ['client_secret'] },
    ServiceAccountKey: { needed: ['service_account_json'] },
  };

/** What is to be fetched; undefined with the manager Kubernetes. */
export function fetchOf(
  { metadata, spec }: SecretReference,
  scope: ObjectScope,
  view: Lookups,
): Result<SecretFetch | undefined, Finding> {
  const place = placeOf(spec);
  if (place === undefined) return ok(undefined);
  const { namespace, workspace } = scope;
  const refused = place.authMethod in ENTRIES ? undefined : identityProblem(spec, place, workspace, view);
  if (refused !== undefined) return err(refused);
  const reach = reachOfManager(spec, scope, view);
  if (!reach.ok) return reach;
  const credentials = readCredentials(spec, place, namespace, view);
  if (!credentials.ok) return credentials;
  const { manager, path, vault, aws, azure, gcp, refreshSeconds } = spec;
  const what = {
    manager,
    path,
    ...(vault === undefined ? {} : { vault }),
    ...(aws === undefined ? {} : { aws }),
    ...(azure === undefined ? {} : { azure }),
    ...(gcp === undefined ? {} : { gcp }),
  };
  return ok({
    key: objectKey(namespace, metadata.name),
    share: namespace,
    target: digestOf({ ...what, reach: reach.value }),
    spec: what,
    credentials: credentials.value,
    reach: reach.value,
    refreshSeconds,
  });
}

interface Place {
  /** The member of the spec. */
  readonly member: 'vault' | 'aws' | 'azure' | 'gcp';
  readonly authMethod: string;
  /** What a grant of an identity names. */
  readonly location: string;
  /** What the prefix of a grant is compared with. */
  readonly fullPath: string;
}

function placeOf({ vault, aws, azure, gcp, path }: Spec): Place | undefined {
  if (vault !== undefined) {
    const { authMethod, address, namespace, mount } = vault;
    const fullPath = [...(namespace === undefined ? [] : [namespace]), mount, path].join('/');
    return { member: 'vault', authMethod, location: withoutSlash(address), fullPath };
  }
  const fullPath = path;
  if (aws !== undefined) return { member: 'aws', authMethod: aws.authMethod, location: aws.region, fullPath };
  if (azure !== undefined) {
    return { member: 'azure', authMethod: azure.authMethod, location: withoutSlash(azure.vaultUrl), fullPath };
  }
  return gcp && { member: 'gcp', authMethod: gcp.authMethod, location: gcp.project, fullPath };
}

const withoutSlash = (url: string): string => url.toLowerCase().replace(/\/+$/, '');

/** The operator's identity is the organisation's: workspaces have it where and below what the Organisation says. */
function identityProblem(
  spec: Spec,
  { member, location, fullPath }: Place,
  workspace: string | null,
  view: Lookups,
): Finding | undefined {
  if (workspace === null) return undefined;
  const path = ['spec', member, 'authMethod'];
  const grant: OperatorIdentityGrant | undefined = view.operatorIdentityGrant(workspace, spec.manager);
  if (grant === undefined) {
    const message =
      `it asks for the operator's own identity, which the Organisation does not lend to the Workspace ${workspace}: ` +
      'its operatorIdentityGrants name who may use it';
    return identityNotGranted(path, message);
  }
  if (!grant.locations.some((granted) => withoutSlash(granted) === location))
    return identityNotGranted(path, `the Organisation does not grant ${location} to the Workspace ${workspace}`);
  if (!fullPath.startsWith(grant.pathPrefix)) {
    const message = `with the operator's identity, the Workspace ${workspace} has paths that begin with ${grant.pathPrefix}`;
    return identityNotGranted(['spec', 'path'], message);
  }
  if (spec.aws?.roleArn === undefined) return undefined;
  return identityNotGranted(['spec', 'aws', 'roleArn'], "a workspace chooses no role for the operator's identity");
}

/** Only the address of Vault is chosen freely; those of the clouds are public, or private ones of the organisation's network. */
function reachOfManager(
  { vault }: Spec,
  { workspace, settings }: ObjectScope,
  view: Lookups,
): Result<ManagerReach, Finding> {
  if (settings.clusterDomain === undefined) return ok('machine');
  if (workspace === null) return ok('cluster');
  if (vault === undefined) return ok('public');
  const opened = [view.openedHosts(workspace), view.trustedHosts()].filter((hosts) => hosts !== '');
  if (opened.some((hosts) => isAllowedHost(vault.address, hosts.split(',')))) return ok('cluster');
  if (vault.address.startsWith('https:')) return ok('public');
  const message =
    'a workspace sends credentials over http only to hosts that spec.tenantHosts of the Organisation opens';
  return err(notPermitted(['spec', 'vault', 'address'], message, 'withdraw'));
}

function readCredentials(
  { credentialsRef }: Spec,
  { authMethod }: Place,
  namespace: string,
  view: Lookups,
): Result<Readonly<Record<string, string>>, Finding> {
  const entries = ENTRIES[authMethod];
  if (entries === undefined || credentialsRef === undefined) return ok({});
  const path: Path = ['spec', 'credentialsRef', 'name'];
  const { name } = credentialsRef;
  const lost = (message: string) => err(missing(path, message, 'keep', [secretKeyOf(namespace, name)]));
  const data = view.secret(namespace, name);
  if (data === undefined) {
    const why = secretUnread(path, { namespace, secret: name, view });
    return why === undefined ? lost(`the Secret ${name} does not exist`) : err(why);
  }
  const { needed, optional = [] } = entries;
  const absent = needed.filter((entry) => textOf(data, entry) === undefined);
  if (absent.length > 0) return lost(`the Secret ${name} has no entry ${absent.join(', ')}`);
  const found = [...needed, ...optional].flatMap((entry) => {
    const text = textOf(data, entry);
    return text === undefined ? [] : [[entry, text] as const];
  });
  return ok(Object.fromEntries(found));
}
