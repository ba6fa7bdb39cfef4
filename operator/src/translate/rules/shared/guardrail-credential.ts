/** Credentials of guardrail services: from Secrets, and from the Integrations that hold them. */
import { err, ok, type Result } from '@gatehouse/crds';
import {
  type CheckEntry,
  type CredentialField,
  missingFieldsOf,
  pluginOf,
  podIdentityProblem,
} from '@gatehouse/crds/guardrails';
import type { Integration } from '@gatehouse/crds/kinds';
import { entryId } from '@gatehouse/crds/snapshot';
import { credentialName } from '../../incremental/index.ts';
import type { EntryDraft, Finding, Lookups, ObjectScope, SecretData } from '../../types/index.ts';
import {
  identityNotGranted,
  missing,
  notPermitted,
  objectKey,
  secretKeyOf,
  secretUnread,
  verdictKey,
} from '../../types/index.ts';
import { textOf } from './secret-text.ts';

type Path = Finding['path'];

export interface ServiceCredential {
  /** Id of the credential entry; undefined: the check runs without one. */
  readonly credential: string | undefined;
  readonly entries: readonly EntryDraft[];
  readonly findings: readonly Finding[];
  /** The Integration of the same owner that holds it. */
  readonly integration?: Integration | undefined;
}

interface CheckOfGuardrail {
  /** `parametersSecretRef` of the check. */
  readonly ref: { readonly name: string } | undefined;
  /** The check itself names the address that the credential would be sent to. */
  readonly namesAddress: boolean;
  /** Name of the Guardrail. */
  readonly owner: string;
  /** Position of the check. */
  readonly index: number;
}

interface Context {
  readonly scope: ObjectScope;
  readonly view: Lookups;
}

const NONE: ServiceCredential = { credential: undefined, entries: [], findings: [] };
const refused = (finding: Finding): ServiceCredential => ({ ...NONE, findings: [finding] });

/** The credential of a check: its own Secret, else that of the Integration of its service. */
export function checkCredential(entry: CheckEntry, check: CheckOfGuardrail, context: Context): ServiceCredential {
  const fields = entry.credential?.fields ?? [];
  if (fields.length === 0) return NONE;
  const { scope, view } = context;
  const { ref, owner, index, namesAddress } = check;
  if (ref === undefined) {
    return fromIntegration(entry, { path: ['spec', 'checks', index, 'parametersSecretRef'], namesAddress }, context);
  }
  const path = ['spec', 'checks', index, 'parametersSecretRef', 'name'];
  const read = readFields(fields, { namespace: scope.namespace, secret: ref.name, path, given: {} }, view);
  if (!read.ok) return refused(read.error);
  const name = credentialName(['Guardrail', owner, ref.name, pluginOf(entry.id)]);
  return {
    credential: entryId('credential', scope.workspace, name),
    entries: [{ kind: 'credential', workspace: scope.workspace, name, body: { fields: read.value } }],
    findings: [],
  };
}

interface Wanted {
  readonly path: Path;
  readonly namesAddress: boolean;
}

/**
 * The oldest Integration of the service in the own namespace, else the oldest of the organisation that is granted: whoever is granted
 * it does not decide where its credential goes.
 */
function fromIntegration(
  entry: CheckEntry,
  { path, namesAddress }: Wanted,
  { scope, view }: Context,
): ServiceCredential {
  const { namespace, workspace, settings } = scope;
  const { organisationNamespace } = settings;
  const plugin = pluginOf(entry.id);
  const homes = workspace === null || namesAddress ? [namespace] : [namespace, organisationNamespace];
  for (const home of homes) {
    const name = view.serviceIntegration(home, plugin, home === namespace ? '' : (workspace ?? ''));
    if (name === undefined) continue;
    const key = objectKey(home, name);
    const credential = view.credentialOf(key);
    if (typeof credential !== 'string') {
      const message = `the Integration ${name} of ${plugin} cannot be used as it is`;
      return refused(missing(path, message, 'withdraw', [verdictKey('Integration', key)]));
    }
    const integration = home === namespace ? view.find('Integration', home, name) : undefined;
    return { credential, entries: [], findings: [], integration };
  }
  if (!entry.credential?.fields.some(({ required }) => required)) return NONE;
  const message = `${entry.id} needs a credential: name its Secret here, or have an Integration of ${plugin}${workspace === null ? '' : ' granted to the workspace'}`;
  const isUnread = homes.some((home) => view.hasUnreadIntegration(home));
  return refused(isUnread ? missing(path, message, 'keep') : notPermitted(path, message, 'withdraw'));
}

interface FieldsRequest {
  readonly namespace: string;
  /** Undefined: all fields are given. */
  readonly secret: string | undefined;
  readonly path: Path;
  /** Fields that the object sets itself. */
  readonly given: Readonly<Record<string, string>>;
}

/** The fields of a credential that a Secret has, with those that are given. */
export function readFields(
  fields: readonly CredentialField[],
  { namespace, secret, path, given }: FieldsRequest,
  view: Lookups,
): Result<Readonly<Record<string, string>>, Finding> {
  if (secret === undefined) return checkFields(given, fields, path);
  const lost = (message: string) => err(missing(path, message, 'keep', [secretKeyOf(namespace, secret)]));
  const data = view.secret(namespace, secret);
  if (data === undefined) {
    const why = secretUnread(path, { namespace, secret, view });
    return why === undefined ? lost(`the Secret ${secret} does not exist`) : err(why);
  }
  const found = fieldsIn(data, fields);
  const names = fields.map(({ name }) => name).join(', ');
  if (Object.keys(found).length === 0) return lost(`the Secret ${secret} has none of ${names}`);
  const all = { ...found, ...given };
  const absent = missingFieldsOf(fields, (name) => Object.hasOwn(all, name));
  if (absent.length > 0) return lost(`the Secret ${secret} has no entry ${absent.join(', ')}`);
  const problem = podIdentityProblem(fields, all);
  return problem === undefined ? ok(all) : err(identityNotGranted(path, `the Secret ${secret}: ${problem.message}`));
}

/** Fields that need no Secret; which of them are missing, the schema has said. */
function checkFields(
  given: Readonly<Record<string, string>>,
  fields: readonly CredentialField[],
  path: Path,
): Result<Readonly<Record<string, string>>, Finding> {
  const problem = podIdentityProblem(fields, given);
  return problem === undefined ? ok(given) : err(identityNotGranted(path, problem.message));
}

const fieldsIn = (data: SecretData, fields: readonly CredentialField[]): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap(({ name }) => {
      const text = textOf(data, name);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
