/** The steps of a run over a profile, without side effects. */
import { formatPath, type Issue } from '@gatehouse/crds';
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import { entryId, isOrganisationOnly } from '@gatehouse/crds/snapshot';
import { done, type StepResult, stall, wait } from '../../runtime/index.ts';
import { EMPTY_SNAPSHOT, fleetNeeds, INJECTION_LABEL, type SidecarSnapshot } from '../../translate/index.ts';
import { MAX_COPY_BYTES, type TooLarge } from './copies.ts';
import type { ProfileFleet, ProfileView } from './ports.ts';

const KIB = 1024;
const MAX_LINES = 10;

export function checkSpec(issues: readonly Issue[]): StepResult {
  if (issues.length === 0) return done('The spec is valid');
  const lines = issues.map(({ path, message }) => `${formatPath(path)}: ${message}`);
  const reason = issues.every(({ code }) => code === 'unsupported') ? 'UnsupportedValue' : 'Invalid';
  return stall(reason, listed(lines));
}

export interface Resolved {
  readonly workspace: string;
  readonly snapshot: SidecarSnapshot;
  /** The fleet that gets what needs credentials of the organisation, as `namespace/name`. */
  readonly fleet: string | undefined;
}

const NOT_YET_MS = 2_000;
const RETIRED = 'Gatehouse is about to be uninstalled: sidecars are not served any more';
/** A change triggers a run earlier. */
const RETIRED_MS = 60_000;

/** The workspace, its Snapshot, and the config that the profile names. */
export function resolve(profile: SidecarProfile, view: ProfileView): StepResult | Resolved {
  const { metadata, spec } = profile;
  const { namespace = '' } = metadata;
  if (view.areRetired()) return wait('Pending', RETIRED, { afterMs: RETIRED_MS });
  const workspace = view.workspaceOf(namespace);
  if (workspace === undefined)
    return stall('RefNotFound', `metadata.namespace: no Workspace has the namespace ${namespace}`);
  if (view.wantsSidecars(namespace) === false)
    return stall('RefNotPermitted', `metadata.namespace: the namespace lacks the label ${INJECTION_LABEL}: enabled`);
  const snapshot = view.snapshotFor(namespace);
  // A new profile is not in the last translation yet.
  if (snapshot === undefined || snapshot === EMPTY_SNAPSHOT) {
    return wait('Pending', 'The first Snapshot is not made yet', { afterMs: NOT_YET_MS });
  }
  const config = spec.defaults?.configRef?.name;
  if (config !== undefined && !hasConfig(snapshot, workspace, config)) {
    return stall(
      'RefNotFound',
      `spec.defaults.configRef.name: the GatewayConfig ${config} does not exist or is not served`,
    );
  }
  return withFleet({ workspace, snapshot }, view.fleetOf(profile, workspace));
}

function withFleet(resolved: Omit<Resolved, 'fleet'>, fleet: ProfileFleet | undefined): StepResult | Resolved {
  if (fleet?.kind !== 'refused') return { ...resolved, fleet: fleet?.kind === 'found' ? fleet.name : undefined };
  if (fleet.reason === 'Pending') return wait('Pending', fleet.message, { afterMs: NOT_YET_MS });
  return stall(fleet.reason, fleet.message);
}

/** A name is the workspace's own config, else one of the organisation that tenants may use. */
const hasConfig = ({ entries }: SidecarSnapshot, workspace: string, name: string): boolean =>
  entries.some(
    (entry) =>
      entry.kind === 'config' &&
      (entry.id === entryId('config', workspace, name) ||
        (entry.id === entryId('config', null, name) && !isOrganisationOnly(entry))),
  );

export function publishedMessage({ snapshot: { version }, fleet }: Resolved, needs: readonly string[]): string {
  const served = `Version ${version} is there for the sidecars of the namespace`;
  if (needs.length === 0) return served;
  if (fleet !== undefined) {
    return `${served}; they pass on to the fleet ${fleet} what needs credentials of the organisation: ${listed(needs, ', ')}`;
  }
  return `${served}; they refuse with NeedsFleet what needs credentials of the organisation: ${listed(needs, ', ')}`;
}

/** What the sidecars of a profile refuse, since it needs credentials of the organisation. */
export const needsOf = (snapshot: SidecarSnapshot): readonly string[] => fleetNeeds(snapshot);

export function tooLarge({ configBytes, secretBytes }: TooLarge): StepResult {
  const [config, secret, most] = [configBytes, secretBytes, MAX_COPY_BYTES].map((bytes) => Math.ceil(bytes / KIB));
  const message = `The mounted copy is too large, so new pods start with an older one: gzipped ${config} KiB of configuration and ${secret} KiB of secrets, where ${most} KiB each is the most; serve this workspace by a fleet or split it`;
  return stall('SnapshotTooLarge', message);
}

function listed(lines: readonly string[], separator = '; '): string {
  const more = lines.length - MAX_LINES;
  return lines.slice(0, MAX_LINES).join(separator) + (more > 0 ? `${separator}and ${more} more` : '');
}
