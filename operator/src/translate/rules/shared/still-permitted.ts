/**
 * Which of its last good entries a broken object keeps: grants are still checked, since the object itself cannot say anything
 * any more.
 */
import type { KindName } from '@gatehouse/crds/kinds';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import type { AnyEntry, SnapshotEntry } from '@gatehouse/crds/snapshot';
import { entryId } from '@gatehouse/crds/snapshot';
import { accountOf, entryName, NO_ENTRIES, sourcesOf } from '../../incremental/index.ts';
import type { Lookups } from '../../types/index.ts';
import { objectKey, type WorldObject, type WorldSettings } from '../../types/index.ts';
import { losesClaim } from './key-claims.ts';
import { requestedNamespace } from './namespace-owners.ts';
import { mayUseReferences } from './secret-mappings.ts';

/** The identity of the pods is withdrawn with its grant, whatever has become of the object. */
function isIdentityStillGranted({ workspace, body }: SnapshotEntry<'provider'>, view: Lookups): boolean {
  if (body.ownIdentity !== true || workspace === null) return true;
  const cloud = PROVIDER_CATALOGUE.get(body.provider)?.podIdentity?.cloud;
  return cloud !== undefined && view.isIdentityGranted(workspace, cloud);
}

interface BrokenObject {
  readonly kind: KindName;
  readonly object: WorldObject;
  /** The namespace of the object; empty for a cluster-scoped Kind. */
  readonly namespace: string;
  readonly settings: WorldSettings;
}

/** The last good entries, if all of them are still permitted. */
export function stillPermitted(entries: readonly AnyEntry[], broken: BrokenObject, view: Lookups): readonly AnyEntry[] {
  if (entries.length === 0 || !mayStay(broken, view)) return NO_ENTRIES;
  return entries.every((entry) => isPermitted(entry, broken, view)) ? entries : NO_ENTRIES;
}

/** A Workspace must still own its namespace, and of several objects with one slug or key only one can be served. */
function mayStay({ kind, object, namespace }: BrokenObject, view: Lookups): boolean {
  const { name } = object.metadata;
  if (kind === 'Workspace') return view.ownerOf(requestedNamespace(object) ?? '') === name;
  if (kind === 'VirtualKey') return view.find('Provider', namespace, name) === undefined;
  if (kind === 'Provider') return view.find('VirtualKey', namespace, name) === undefined;
  const key = objectKey(namespace, name);
  return kind !== 'ApiKey' || !losesClaim(key, view.claimedHash(key), view);
}

function isPermitted(entry: AnyEntry, broken: BrokenObject, view: Lookups): boolean {
  const { kind, namespace } = broken;
  if (entry.kind === 'provider' && !isIdentityStillGranted(entry, view)) return false;
  if (entry.kind === 'provider' && kind === 'Provider') return isUsable(entry, broken, view);
  if (entry.kind === 'guardrail') return isServiceGranted(entry, view);
  if (entry.kind !== 'credential') return true;
  const { foreign, references } = sourcesOf(entryName(entry));
  if (foreign !== undefined && !view.isSecretGranted(kind, namespace, foreign.namespace, foreign.secret)) return false;
  return (
    references.length === 0 ||
    mayUseReferences(references, { namespace, workspace: entry.workspace, settings: broken.settings }, view)
  );
}

/** The Integrations of the organisation whose credentials a guardrail of a workspace has must still be granted to it. */
function isServiceGranted({ body, workspace }: SnapshotEntry<'guardrail'>, view: Lookups): boolean {
  const shared = entryId('credential', null, '');
  return body.checks.every(({ credential = '' }) => {
    if (workspace === null || !credential.startsWith(shared)) return true;
    return view.isGranted(accountOf(credential)?.name ?? '', workspace);
  });
}

/** The Integration behind a Provider must be the same, and still granted to the workspace. */
function isUsable({ body, workspace }: SnapshotEntry<'provider'>, broken: BrokenObject, view: Lookups): boolean {
  const { credential = '' } = body;
  const integration = accountOf(credential)?.name ?? '';
  const shared = workspace !== null && credential.startsWith(entryId('credential', null, ''));
  if (shared && !view.isGranted(integration, workspace)) return false;
  const home = shared ? broken.settings.organisationNamespace : broken.namespace;
  return view.credentialOf(objectKey(home, integration)) === credential;
}
