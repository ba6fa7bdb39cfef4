/** One check of a guardrail as it stands in resources and configs: docs/behaviour/guardrails.md#checks. */
import { z } from 'zod';
import { err, isObject, ok, type Result } from '../lib/result.ts';
import { createSuggestions, didYouMean, type Suggest } from '../lib/suggestions.ts';
import { createPatternBudget, type PatternRule, withPatterns } from '../patterns/index.ts';
import { fromZodError, type Issue } from '../schema/index.ts';
import { type CheckEntry, podIdentityProblem } from './check.ts';
import { CHECK_NAMES, checkEntryOf, withPlugin } from './register.ts';

/** A check with its parameters complete and valid. */
export interface CheckSpec {
  /** As the register writes it, whatever its spelling was. */
  readonly id: string;
  /** Tells checks of one id apart. */
  readonly name?: string | undefined;
  readonly enabled: boolean;
  /** Without `credentials` and `failOnError`; defaults are written in. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly softDeny200?: boolean | undefined;
  /** Literal fields; only inline configs have them. */
  readonly credential?: Readonly<Record<string, string>> | undefined;
  /** An error of the check fails it. */
  readonly failOnError: boolean;
  /** Absent: that of the engine. */
  readonly timeoutMs?: number | undefined;
}

export interface ParseCheckOptions {
  readonly path: readonly (string | number)[];
  /** Whether the parameters may carry the credential; a resource may not, it would be readable. */
  readonly literalCredentials: boolean;
  /** Whether parameters that may be secret are refused: those of a saved config would be published in the open. */
  readonly refuseSecretParameters?: boolean;
  /** Both are shared by the checks of a document. */
  readonly patterns?: PatternRule;
  readonly suggest?: Suggest;
}

/** Most fields of a credential, and the longest of them. */
const MAX_CREDENTIAL_FIELDS = 32;
const MAX_CREDENTIAL_CHARS = 16_384;

/** With all members: a record of zod leaves `__proto__` out, which then nobody would refuse. */
const fields = z.custom<Readonly<Record<string, unknown>>>(isObject, 'expected an object');

const members = z.strictObject({
  id: z.string().min(1).max(128),
  name: z.string().max(253).nullish(),
  enabled: z.boolean().nullish(),
  softDeny200: z.boolean().nullish(),
  parameters: fields.nullish(),
  credentials: fields.nullish(),
});

const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['is_enabled', 'enabled'],
  ['isEnabled', 'enabled'],
  ['soft_deny_200', 'softDeny200'],
  ['soft_deny200', 'softDeny200'],
]);

/** The member of a check that a key means, of those that shorthand keeps among the parameters. */
export function checkMemberOf(key: string): 'enabled' | 'softDeny200' | undefined {
  const member = SPELLINGS.get(key) ?? key;
  return member === 'enabled' || member === 'softDeny200' ? member : undefined;
}

/** Parses a check in any spelling; every problem comes with its path and the nearest known name. */
export function parseCheck(item: unknown, options: ParseCheckOptions): Result<CheckSpec, readonly Issue[]> {
  const { path, suggest = createSuggestions() } = options;
  if (!isObject(item)) return err([invalid(path, 'expected a check with its id')]);
  const keys = new Map(Object.keys(item).map((key) => [SPELLINGS.get(key) ?? key, key]));
  const value = Object.fromEntries(Object.entries(item).map(([key, member]) => [SPELLINGS.get(key) ?? key, member]));
  const parsed = members.safeParse(value);
  if (!parsed.success) return err(issuesOf(parsed.error, members, value, { path, keys }));
  const { id, name, enabled, softDeny200, parameters, credentials } = parsed.data;
  const entry = checkEntryOf(id);
  if (entry === undefined) {
    const near = suggest(withPlugin(id), CHECK_NAMES);
    const known = near === undefined ? undefined : checkEntryOf(near)?.id;
    return err([invalid([...path, 'id'], `unknown check ${id}${didYouMean(known)}`)]);
  }
  const checked = parseParameters(entry, { given: parameters ?? {}, beside: credentials ?? undefined }, options);
  if (!checked.ok) return checked;
  return ok({
    id: entry.id,
    enabled: enabled ?? true,
    ...checked.value,
    ...(typeof name === 'string' && { name }),
    ...(typeof softDeny200 === 'boolean' && { softDeny200 }),
  });
}

interface Given {
  readonly given: Readonly<Record<string, unknown>>;
  /** A credential that stands beside the parameters. */
  readonly beside: Readonly<Record<string, unknown>> | undefined;
}

type Parameters = Pick<CheckSpec, 'parameters' | 'credential' | 'failOnError' | 'timeoutMs'>;

function parseParameters(
  entry: CheckEntry,
  { given, beside }: Given,
  { path, literalCredentials, refuseSecretParameters = false, patterns = createPatternBudget() }: ParseCheckOptions,
): Result<Parameters, readonly Issue[]> {
  const here = [...path, 'parameters'];
  const { credentials, failOnError, ...rest } = given;
  const issues = refuseSecretParameters ? secretsAmong(entry, rest, here) : [];
  if (failOnError !== undefined && typeof failOnError !== 'boolean') {
    issues.push(invalid([...here, 'failOnError'], 'expected true or false'));
  }
  const parsed = withPatterns(patterns, () => entry.parameters.safeParse(rest));
  if (!parsed.success) issues.push(...issuesOf(parsed.error, entry.parameters, rest, { path: here }));
  const credential = parseCredential(entry, credentials ?? beside, [...here, 'credentials'], literalCredentials);
  if (!credential.ok) issues.push(...credential.error);
  if (issues.length > 0 || !parsed.success || !credential.ok) return err(issues);
  const timeoutMs = parsed.data['timeout'] ?? parsed.data['timeoutMs'];
  return ok({
    parameters: parsed.data,
    failOnError: failOnError === true,
    ...(credential.value !== undefined && { credential: credential.value }),
    ...(typeof timeoutMs === 'number' && { timeoutMs }),
  });
}

const secretsAmong = ({ secretParameters = [] }: CheckEntry, given: Given['given'], path: Issue['path']): Issue[] =>
  secretParameters
    .filter((name) => given[name] !== undefined)
    .map((name) => invalid([...path, name], 'it may be secret: write the check into a Guardrail, and name that here'));

function parseCredential(
  { id, credential }: CheckEntry,
  given: unknown,
  path: Issue['path'],
  allowed: boolean,
): Result<Readonly<Record<string, string>> | undefined, readonly Issue[]> {
  if (given === undefined || given === null) return ok(undefined);
  if (!isObject(given)) return err([invalid(path, 'expected the fields of the credential')]);
  if (!allowed) {
    return err([invalid(path, 'credentials are not written into resources; name a Secret with parametersSecretRef')]);
  }
  const known = credential?.fields.map(({ name }) => name) ?? [];
  const suggest = createSuggestions();
  const fields = flattened(given, known);
  const issues = fields.slice(0, MAX_CREDENTIAL_FIELDS).flatMap(([name, value]): Issue[] => {
    if (!known.includes(name)) {
      const why = known.length === 0 ? `${id} takes no credential` : 'unknown field';
      return [invalid([...path, name], `${why}${didYouMean(suggest(name, known))}`)];
    }
    const isGood = typeof value === 'string' && value.length <= MAX_CREDENTIAL_CHARS;
    return isGood ? [] : [invalid([...path, name], `expected a text of at most ${MAX_CREDENTIAL_CHARS} characters`)];
  });
  if (issues.length > 0) return err(issues);
  // All values are texts: the others are among the issues.
  const values = Object.fromEntries(fields) as Readonly<Record<string, string>>;
  const problem = podIdentityProblem(credential?.fields ?? [], values);
  return problem === undefined ? ok(values) : err([invalid([...path, problem.field], problem.message)]);
}

/** Fields with a dot in their name may stand in an object: `{pii: {apiKey}}` is `pii.apiKey`. */
function flattened(
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
): [name: string, value: unknown][] {
  return Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const isGroup = isObject(value) && known.some((field) => field.startsWith(`${name}.`));
    return isGroup ? Object.entries(value).map(([below, one]) => [`${name}.${below}`, one]) : [[name, value]];
  });
}

interface Place {
  readonly path: Issue['path'];
  /** How the document spells the members of the first level. */
  readonly keys?: ReadonlyMap<string, string>;
}

/** The issues of a schema with the path of the document. */
export function issuesOf(error: z.ZodError, schema: z.ZodType, value: unknown, { path, keys }: Place): Issue[] {
  return fromZodError(error, { schema, value }).map((issue) => {
    const [first, ...rest] = issue.path;
    const spelled = typeof first === 'string' ? (keys?.get(first) ?? first) : first;
    return { ...issue, path: spelled === undefined ? path : [...path, spelled, ...rest] };
  });
}

const invalid = (path: Issue['path'], message: string): Issue => ({ code: 'invalid', path, message });
