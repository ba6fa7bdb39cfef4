import { hash } from 'node:crypto';
import type { CheckEntry, CheckSpec, FeedbackSpec, HookActions, HookSpec } from '@gatehouse/crds/guardrails';
import { Secret } from '../../lib/secret.ts';
import type { HostScope } from '../../upstream/index.ts';
import type { CheckCredential, CheckDefinition, CheckTools, CompiledCheck } from '../contract.ts';

export interface HookCheck {
  readonly entry: CheckEntry;
  readonly softDeny200: boolean;
  readonly failOnError: boolean;
  /** Longest time in ms; undefined: that of the phase. */
  readonly timeoutMs: number | undefined;
  readonly run: CompiledCheck;
}

/** Whose hook it is: it applies by default to all requests of the organisation or of the workspace, or a config names it. */
export type HookOwner = 'organisation' | 'workspace' | 'config';

/** Checks that run together, and what follows from them. */
export interface CompiledHook {
  /** As results show it. */
  readonly id: string;
  readonly versionId: string | undefined;
  /** Differs where what it does to an answer may differ; names no secret. */
  readonly identity: string;
  readonly type: 'guardrail' | 'mutator';
  readonly checks: readonly HookCheck[];
  readonly deny: boolean;
  readonly async: boolean;
  readonly sequential: boolean;
  readonly softDeny200: boolean;
  readonly mode: 'enforce' | 'monitor';
  readonly message: string | undefined;
  readonly buffer: boolean;
  /** In characters. */
  readonly window: number | undefined;
  readonly onSuccess: FeedbackSpec | undefined;
  readonly onFail: FeedbackSpec | undefined;
  /** Which hosts its checks may call. */
  readonly scope: HostScope;
  readonly owner: HookOwner;
  /** Whether a check may change texts or bodies. */
  readonly transforms: boolean;
  /** Whether a check may call anything. */
  readonly callsOut: boolean;
  /** The credential of a check stays with the fleet. */
  readonly needsFleet: boolean;
}

/** Of a list of the organisation or of the workspace. */
export const isDefault = ({ owner }: Pick<CompiledHook, 'owner'>): boolean => owner !== 'config';

/** The tools of the checks of a hook: which hosts they may call differs. */
export type ToolsFor = (hook: CompiledHook) => CheckTools;

export interface CompileHookOptions {
  readonly checks: ReadonlyMap<string, CheckDefinition>;
  /** Shown where the hook has no id of its own. */
  readonly id: string;
  readonly scope: HostScope;
  /** Absent: made of the spec. */
  readonly identity?: string;
  /** The credential of a check, by its position; absent: those that the hook brings itself. */
  credentialOf?(index: number): CheckCredential | undefined;
}

/** Longest time of a check that calls a service and sets none, in ms. */
const CALL_TIMEOUT_MS = 5_000;
const NO_CREDENTIAL: CheckCredential = new Map();

/**
 * Makes the checks of a hook ready. Throws UnknownCheck for a check that this gateway does not have, and what a check throws
 * for parameters that it cannot use.
 */
export function compileHook(spec: HookSpec, options: CompileHookOptions): CompiledHook {
  const isMutator = spec.type === 'mutator';
  const enabled = [...(spec.checks ?? []).entries()].filter(([, { enabled }]) => enabled || isMutator);
  const checks = enabled.map(([i, check]) => compileCheck(check, i, options));
  return {
    id: spec.id ?? options.id,
    versionId: spec.versionId,
    identity: options.identity ?? hash('sha256', JSON.stringify(spec), 'base64'),
    type: spec.type,
    checks,
    ...actionsOf(spec),
    sequential: isMutator || spec.sequential === true,
    scope: options.scope,
    owner: 'config',
    transforms: checks.some(({ entry }) => entry.transforms === true),
    callsOut: checks.some(({ entry }) => entry.callsOut === true),
    needsFleet: false,
  };
}

type Actions = Omit<
  CompiledHook,
  'id' | 'versionId' | 'identity' | 'type' | 'checks' | 'scope' | 'owner' | 'transforms' | 'callsOut' | 'needsFleet'
>;

const actionsOf = (spec: HookActions): Actions => ({
  deny: spec.deny ?? false,
  async: spec.async ?? false,
  sequential: spec.sequential ?? false,
  softDeny200: spec.softDeny200 ?? false,
  mode: spec.mode ?? 'enforce',
  message: spec.message,
  buffer: spec.buffer ?? false,
  window: spec.window,
  onSuccess: spec.onSuccess,
  onFail: spec.onFail,
});

function compileCheck(check: CheckSpec, index: number, { checks, credentialOf }: CompileHookOptions): HookCheck {
  const definition = checks.get(check.id);
  if (definition === undefined) throw new UnknownCheck(check.id);
  const { entry } = definition;
  const credential = check.credential === undefined ? credentialOf?.(index) : secretsOf(check.credential);
  return {
    entry,
    softDeny200: check.softDeny200 ?? false,
    failOnError: check.failOnError,
    timeoutMs: check.timeoutMs ?? (entry.callsOut === true ? CALL_TIMEOUT_MS : undefined),
    run: definition.compile(check.parameters, credential ?? NO_CREDENTIAL),
  };
}

/** A check of a newer contract. */
export class UnknownCheck extends Error {
  override readonly name = 'UnknownCheck';

  constructor(id: string) {
    super(`unknown check ${id}`);
  }
}

const secretsOf = (fields: Readonly<Record<string, string>>): CheckCredential =>
  new Map(Object.entries(fields).map(([name, value]) => [name, new Secret(value)]));

/** A stored hook with what the element that attaches it says instead. */
export function overrideHook(hook: CompiledHook, spec: HookActions): CompiledHook {
  const own = Object.fromEntries(
    Object.entries(spec).filter(([name, value]) => ACTIONS.has(name) && value !== undefined),
  );
  if (Object.keys(own).length === 0) return hook;
  const changed: CompiledHook = { ...hook, ...own, identity: `${hook.identity} ${JSON.stringify(own)}` };
  return changed.type === 'mutator' ? { ...changed, sequential: true } : changed;
}

const ACTIONS: ReadonlySet<string> = new Set(Object.keys(actionsOf({})));
