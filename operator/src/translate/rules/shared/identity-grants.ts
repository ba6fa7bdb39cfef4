/**
 * Which accounts of workspaces use the cloud identity of the gateway's pods: those of workspaces that the Organisation names
 * for the cloud. Accounts of the organisation need no grant. See docs/behaviour/cloud-identities.md.
 */
import { createHash } from 'node:crypto';
import type { Integration, VirtualKey } from '@gatehouse/crds/kinds';
import { API_KEY, identityRequestOf, PROVIDER_CATALOGUE, podIdentityProblems } from '@gatehouse/crds/providers';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { Lookups } from '../../types/index.ts';
import { type Finding, identityNotGranted } from '../../types/index.ts';

export interface IdentityGrant {
  /** Members of the account's entry. */
  readonly body: Pick<EntryBody<'provider'>, 'ownIdentity'>;
  /** Settings that the operator sets, not the account. */
  readonly settings: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
}

const NOTHING: IdentityGrant = { body: {}, settings: {}, findings: [] };

/** What is granted to an account of a workspace, or (null) of the organisation. */
export function identityGrantOf(
  spec: (VirtualKey | Integration)['spec'],
  workspace: string | null,
  view: Lookups,
): IdentityGrant {
  const provider = PROVIDER_CATALOGUE.get(spec.provider);
  // A reference to a whole Secret, and a mapping of one, also bring the fields besides the API key.
  const hasSecretFields =
    (spec.secretRef !== undefined && spec.secretRef.key === undefined) ||
    (spec.secretMappings ?? []).some(({ field }) => field !== API_KEY);
  const request = identityRequestOf(provider, { settings: spec.settings, hasSecretFields });
  if (request === undefined) return NOTHING;
  const body = { ownIdentity: true };
  if (workspace === null) return { ...NOTHING, body };
  const { cloud, field, externalId } = request;
  if (!view.isIdentityGranted(workspace, cloud)) {
    const message =
      `${field} ${spec.settings?.[field]} asks for the ${cloud} identity of the gateway's pods, which the Organisation does ` +
      `not lend to the Workspace ${workspace}: its cloudIdentityGrants name who may use it`;
    return { ...NOTHING, findings: [identityNotGranted(['spec', 'settings', field], message)] };
  }
  const problems = podIdentityProblems(provider, spec);
  const derived = externalId === undefined ? undefined : view.externalIdOf(workspace);
  const given = externalId === undefined ? undefined : spec.settings?.[externalId];
  if (externalId !== undefined && given !== undefined && given !== derived) {
    const message = `the external id of a role of the Workspace ${workspace} is ${derived}; leave it out or write that`;
    problems.push({ key: externalId, message });
  }
  return {
    body,
    settings: externalId === undefined || derived === undefined ? {} : { [externalId]: derived },
    findings: problems.map(({ key, message }) =>
      identityNotGranted(['spec', ...(key === 'customHost' ? [key] : ['settings', key])], message),
    ),
  };
}

/** Hexadecimal digits of an external id: 160 bits of a hash. */
const ID_DIGITS = 40;

/**
 * The external id of roles that a workspace assumes: it cannot be made for another workspace, since it depends on the UIDs of
 * both objects.
 */
export function externalIdFor(installation: string, workspace: string): string {
  const digest = createHash('sha256').update(`${installation}/${workspace}`).digest('hex');
  return `gatehouse-${digest.slice(0, ID_DIGITS)}`;
}
