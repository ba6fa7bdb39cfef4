/** A Guardrail with its checks ready to run: docs/behaviour/guardrails.md#stored-guardrails. */
import { hash } from 'node:crypto';
import { err, formatPath, ok, type Result } from '@gatehouse/crds';
import { type CheckSpec, type HookSpec, parseCheck } from '@gatehouse/crds/guardrails';
import { type EntryBody, entryId, type SnapshotEntry } from '@gatehouse/crds/snapshot';
import { CHECKS, compileHook, UnknownCheck } from '../guardrails/index.ts';
import { reveal } from '../lib/secret.ts';
import { compileReach, type HostScope } from '../upstream/index.ts';
import type { Credential, GuardrailRecord } from './compiled-entries.ts';

type Body = EntryBody<'guardrail'>;
type Credentials = ReadonlyMap<string, Credential>;
type CompiledGuardrail =
  | { readonly kind: 'guardrail'; readonly record: GuardrailRecord }
  | { readonly kind: 'skipped'; readonly reason: string };

/** `skipped` with the reason where a check cannot run: requests under the guardrail are refused then. */
export function compileGuardrail(
  { id, workspace, body }: SnapshotEntry<'guardrail'>,
  credentials: Credentials,
): CompiledGuardrail {
  const needsFleet = (body.needsFleet ?? []).length > 0;
  try {
    // What stays with the fleet cannot be compiled, and never runs here.
    const checks = needsFleet ? ok([]) : readChecks(body, credentials);
    if (!checks.ok) return { kind: 'skipped', reason: checks.error };
    const hook = compileHook(specOf(body, checks.value), {
      checks: CHECKS,
      id: body.slug,
      identity: `${id} ${body.version}${secretDigest(body, credentials)}`,
      scope: scopeOf(body, credentials),
      credentialOf: (index) => credentials.get(body.checks[index]?.credential ?? '')?.fields,
    });
    return { kind: 'guardrail', record: { id, slug: body.slug, workspace, hook: { ...hook, needsFleet } } };
  } catch (error) {
    const reason = error instanceof UnknownCheck ? error.message : 'the parameters of a check cannot be used';
    return { kind: 'skipped', reason };
  }
}

const CHECKED = { literalCredentials: false, patterns: 'checked' } as const;

/** By the contract of this gateway: the entry may be of another version. */
function readChecks(body: Body, credentials: Credentials): Result<readonly CheckSpec[], string> {
  const checks: CheckSpec[] = [];
  for (const [i, { id, name, softDeny200, failOnError = false, ...stored }] of body.checks.entries()) {
    const hidden = hiddenParameters(stored.parametersFrom, credentials);
    const item = { id, name, softDeny200, parameters: { ...stored.parameters, ...hidden, failOnError } };
    const parsed = parseCheck(item, { ...CHECKED, path: ['checks', i] });
    if (parsed.ok) checks.push(parsed.value);
    else return err(parsed.error.map(({ path, message }) => `${formatPath(path)}: ${message}`).join('; '));
  }
  return ok(checks);
}

/** Differs where the secrets of the checks do, which the version does not tell; empty where there are none. */
function secretDigest(body: Body, credentials: Credentials): string {
  const secrets = body.checks.map(({ credential, parametersFrom }) => [
    [...(credentials.get(credential ?? '')?.fields ?? [])].map(([name, value]) => [name, reveal(value)]),
    hiddenParameters(parametersFrom, credentials),
  ]);
  const hasSecrets = body.checks.some(({ credential, parametersFrom }) => credential ?? parametersFrom);
  return hasSecrets ? ` ${hash('sha256', JSON.stringify(secrets), 'base64')}` : '';
}

const specOf = ({ type, version, mode, ...body }: Body, checks: readonly CheckSpec[]): HookSpec => ({
  id: body.slug,
  type: type === 'mutator' ? 'mutator' : 'guardrail',
  versionId: version,
  checks,
  deny: body.deny,
  async: body.async,
  sequential: body.sequential,
  softDeny200: body.softDeny200,
  mode: mode === 'monitor' ? 'monitor' : 'enforce',
  message: body.message,
  buffer: body.buffer,
  window: body.window,
  onSuccess: body.onSuccess,
  onFail: body.onFail,
});

/** The parameters of a check that are kept as secrets. */
function hiddenParameters(from: string | undefined, credentials: Credentials): Record<string, unknown> {
  const entries = [...(credentials.get(from ?? '')?.parameters ?? [])];
  return Object.fromEntries(entries.map(([name, json]) => [name, JSON.parse(reveal(json))]));
}

/**
 * The reach of the guardrail. Where every check that calls a service has a credential of the organisation and no URL of its own,
 * the organisation has named all hosts.
 */
function scopeOf(body: Body, credentials: Credentials): HostScope {
  const reach = compileReach(body.reach);
  if (reach === 'resource') return reach;
  const calling = body.checks.filter(({ id }) => CHECKS.get(id)?.entry.callsOut === true);
  const isOrganisations = calling.every(
    ({ credential, parameters, parametersFrom }) =>
      isOfOrganisation(credential) && !namesHost([parameters, hiddenParameters(parametersFrom, credentials)]),
  );
  return calling.length > 0 && isOrganisations ? 'resource' : reach;
}

const SCHEME = /^\s*[a-z][a-z0-9+.-]*:\/\//i;

/** Whether a URL stands anywhere in the parameters. */
function namesHost(value: unknown): boolean {
  if (typeof value === 'string') return SCHEME.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(namesHost);
}

const ORGANISATIONS = entryId('credential', null, '');

/** Whether a credential entry is one of the organisation; those of accounts and checks of workspaces may be. */
export const isOfOrganisation = (credential: string | undefined): boolean =>
  credential?.startsWith(ORGANISATIONS) === true;
