/** The hooks of a config in all their spellings: docs/behaviour/guardrails.md#hooks-in-configs. */
import { err, isObject, ok, type Result } from '../../lib/result.ts';
import { createSuggestions, didYouMean, type Suggest } from '../../lib/suggestions.ts';
import type { PatternRule } from '../../patterns/index.ts';
import type { Issue } from '../../schema/index.ts';
import type { CheckPhase } from '../check.ts';
import { type CheckSpec, checkMemberOf, issuesOf, parseCheck } from '../parse-check.ts';
import { actionFields, actionsOf, hookFields, MEMBER_NAMES, memberOf } from './fields.ts';
import type { HookSpec } from './hook-spec.ts';

/** Hooks and checks of one direction of a config. */
export const MAX_HOOKS = 32;
export const MAX_CHECKS = 128;
/** Problems that are listed: each costs a search for near names. */
const MAX_ISSUES = 16;

export interface ParseHooksOptions {
  readonly path: readonly (string | number)[];
  readonly phase: CheckPhase;
  /** What items without a type are. */
  readonly type?: HookSpec['type'];
  /** Whether the hooks may carry credentials: those of a request may, those of a resource may not. */
  readonly literalCredentials: boolean;
  /** As of `parseCheck`. */
  readonly refuseSecretParameters?: boolean;
  /** Shared by the patterns of a config. */
  readonly patterns?: PatternRule;
  readonly suggest?: Suggest;
}

type Parsed<T> = Result<T, readonly Issue[]>;
type Path = Issue['path'];
type Fields = Readonly<Record<string, unknown>>;
type Context = ParseHooksOptions & { readonly suggest: Suggest };

/** Parses one list: slugs, the long form and the shorthand, in any mixture. */
export function parseHooks(value: unknown, options: ParseHooksOptions): Parsed<readonly HookSpec[]> {
  if (value === undefined || value === null) return ok([]);
  const { path } = options;
  if (!Array.isArray(value)) return err([invalid(path, 'expected a list of guardrails')]);
  if (value.length > MAX_HOOKS) return err([invalid(path, `${value.length} hooks; at most ${MAX_HOOKS} are allowed`)]);
  const context = { ...options, suggest: options.suggest ?? createSuggestions() };
  const hooks: HookSpec[] = [];
  const issues: Issue[] = [];
  for (const [i, item] of value.entries()) {
    if (issues.length >= MAX_ISSUES) break;
    const parsed = parseHook(item, [...path, i], context);
    if (parsed.ok) hooks.push(parsed.value);
    else issues.push(...parsed.error);
  }
  const checks = hooks.reduce((sum, hook) => sum + (hook.checks?.length ?? 0), 0);
  if (checks > MAX_CHECKS) issues.push(invalid(path, `${checks} checks; at most ${MAX_CHECKS} are allowed`));
  return issues.length > 0 ? err(issues.slice(0, MAX_ISSUES)) : ok(hooks);
}

function parseHook(item: unknown, path: Path, context: Context): Parsed<HookSpec> {
  if (typeof item === 'string') {
    return item === ''
      ? err([invalid(path, 'expected the slug of a guardrail')])
      : ok({ type: typeOf(context), ref: item });
  }
  if (!isObject(item)) return err([invalid(path, 'expected the slug of a guardrail, or a guardrail written out')]);
  return Object.hasOwn(item, 'checks') ? parseLong(item, path, context) : parseShort(item, path, context);
}

/** Members of hooks and checks under their ids. */
function parseShort(item: Fields, path: Path, context: Context): Parsed<HookSpec> {
  const [fields, others] = splitMembers(item);
  const checks = Object.entries(others).filter(([key]) => key !== 'actions' && key !== 'credentials');
  const beside = others['credentials'];
  return joined(
    parseMembers(fields, others['actions'], path, context),
    parseChecks(checks, ([key, value]) => parseShortCheck(key, value, { path, beside, context })),
    path,
  );
}

/** Members of hooks, and a list of checks. */
function parseLong(item: Fields, path: Path, context: Context): Parsed<HookSpec> {
  const [fields, { checks, actions, credentials, ...unknown }] = splitMembers(item);
  const wrong = Object.keys(unknown).slice(0, MAX_ISSUES);
  if (wrong.length > 0) {
    return err(
      wrong.map((key) => {
        return invalid([...path, key], `unknown field${didYouMean(context.suggest(key, MEMBER_NAMES))}`);
      }),
    );
  }
  const list = checks ?? [];
  if (!Array.isArray(list)) return err([invalid([...path, 'checks'], 'expected a list of checks')]);
  if (list.length > MAX_CHECKS) {
    return err([invalid([...path, 'checks'], `${list.length} checks; at most ${MAX_CHECKS} are allowed`)]);
  }
  return joined(
    parseMembers(fields, actions, path, context),
    parseChecks([...list.entries()], ([i, check]) =>
      parseCheck(withCredentials(check, credentials), { ...context, path: [...path, 'checks', i] }),
    ),
    path,
  );
}

/** Some clients write the credentials beside the checks. */
function withCredentials(check: unknown, beside: unknown): unknown {
  if (beside === undefined || !isObject(check) || Object.hasOwn(check, 'credentials')) return check;
  return { ...check, credentials: beside };
}

/** The items that are members of hooks, and the others. */
function splitMembers(item: Fields): [fields: Fields, others: Fields] {
  const entries = Object.entries(item);
  const isMember = ([key]: [string, unknown]) => memberOf(key) !== undefined;
  return [
    Object.fromEntries(entries.filter(isMember)),
    Object.fromEntries(entries.filter((entry) => !isMember(entry))),
  ];
}

interface ShortCheck {
  readonly path: Path;
  readonly beside: unknown;
  readonly context: Context;
}

/** `id` names the check where its key is only unique; what else is no parameter stands among the parameters. */
function parseShortCheck(key: string, value: unknown, { path, beside, context }: ShortCheck): Parsed<CheckSpec> {
  const here = [...path, key];
  if (!isObject(value)) {
    return key.includes('.')
      ? err([invalid(here, 'expected the parameters of the check')])
      : err([invalid(here, `unknown field${didYouMean(context.suggest(key, MEMBER_NAMES))}`)]);
  }
  const check: Record<string, unknown> = { id: key };
  const parameters: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (name === 'id') check['id'] = member;
    else if (checkMemberOf(name) !== undefined) check[name] = member;
    else parameters.push([name, member]);
  }
  const full = withCredentials({ ...check, parameters: Object.fromEntries(parameters) }, beside);
  const parsed = parseCheck(full, { ...context, path: here });
  // The document has no member `parameters`, and the id may be its key.
  return parsed.ok
    ? parsed
    : err(parsed.error.map((issue) => ({ ...issue, path: inShorthand(issue.path, here, value) })));
}

function inShorthand(path: Path, check: Path, value: Fields): Path {
  const [member, ...rest] = path.slice(check.length);
  if (member === 'parameters') return [...check, ...rest];
  return member === 'id' && !Object.hasOwn(value, 'id') ? check : path;
}

function parseChecks<T>(items: readonly T[], parse: (item: T) => Parsed<CheckSpec>): Parsed<readonly CheckSpec[]> {
  const checks: CheckSpec[] = [];
  const issues: Issue[] = [];
  for (const item of items) {
    if (issues.length >= MAX_ISSUES) break;
    const parsed = parse(item);
    if (parsed.ok) checks.push(parsed.value);
    else issues.push(...parsed.error);
  }
  return issues.length > 0 ? err(issues) : ok(checks);
}

/** Members beside `actions` win over those in it. */
function parseMembers(given: Fields, actions: unknown, path: Path, context: Context): Parsed<Omit<HookSpec, 'checks'>> {
  const outer = parseFields(hookFields, given, path);
  if (!isObject(actions) && actions !== undefined) {
    return err([invalid([...path, 'actions'], 'expected what follows the checks')]);
  }
  const inner = parseFields(actionFields, actions ?? {}, [...path, 'actions']);
  if (!outer.ok) return outer;
  if (!inner.ok) return inner;
  const { id, type, guardrailVersionId, ...rest } = outer.value;
  return ok({
    type: type ?? typeOf(context),
    ...(typeof id === 'string' && { id }),
    ...(typeof guardrailVersionId === 'string' && { versionId: guardrailVersionId }),
    ...actionsOf(inner.value),
    ...actionsOf(rest),
  });
}

function parseFields<T extends typeof hookFields | typeof actionFields>(
  schema: T,
  given: Fields,
  path: Path,
): Parsed<ReturnType<T['parse']>> {
  const named = Object.entries(given).map(([key, member]) => [memberOf(key) ?? key, key, member] as const);
  const keys = new Map(named.map(([name, key]) => [name, key]));
  const value = Object.fromEntries(named.map(([name, , member]) => [name, member])); // also `__proto__` is a member
  const parsed = schema.safeParse(value);
  // The output of the schema that was given.
  return parsed.success
    ? ok(parsed.data as ReturnType<T['parse']>)
    : err(issuesOf(parsed.error, schema, value, { path, keys }));
}

function joined(
  hook: Parsed<Omit<HookSpec, 'checks'>>,
  checks: Parsed<readonly CheckSpec[]>,
  path: Path,
): Parsed<HookSpec> {
  if (!hook.ok || !checks.ok) return err([...(hook.ok ? [] : hook.error), ...(checks.ok ? [] : checks.error)]);
  if (checks.value.length > 0) return ok({ ...hook.value, checks: checks.value });
  const { id, ...rest } = hook.value;
  if (id === undefined) return err([invalid(path, 'expected checks, or the id of a stored guardrail')]);
  return ok({ ...rest, ref: id });
}

const typeOf = ({ type = 'guardrail' }: ParseHooksOptions): HookSpec['type'] => type;

const invalid = (path: Path, message: string): Issue => ({ code: 'invalid', path, message });
