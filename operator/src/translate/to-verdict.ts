/**
 * From the findings about an object to its verdict: plain data for statuses, `validate` and logs. Same input, same verdict.
 */
import { formatPath } from '@gatehouse/crds';
import { REASONS } from '@gatehouse/crds/conditions';
import { KINDS } from '@gatehouse/crds/kinds';
import type {
  Finding,
  FindingReason,
  Judgement,
  TranslatedCondition,
  Verdict,
  VerdictIssue,
  WorldObject,
} from './types/index.ts';

/** Longest message in characters; the limit of Kubernetes is 1 kB, and characters may be several bytes. */
const MAX_MESSAGE = 900;

const GOOD: Readonly<Record<TranslatedCondition, Judgement>> = {
  Accepted: { status: 'True', reason: 'Accepted', message: 'The spec is valid' },
  ResolvedRefs: { status: 'True', reason: 'ResolvedRefs', message: 'All references are resolved' },
};
const UNDECIDED: Judgement = { status: 'Unknown', reason: 'Pending', message: 'The spec is not accepted' };

export interface Findings {
  readonly object: WorldObject;
  /** Of the verdict. */
  readonly key: string;
  readonly workspace: Verdict['workspace'];
  readonly findings: readonly Finding[];
  readonly serves: Verdict['serves'];
  readonly uses?: Verdict['uses'];
}

export function toVerdict({ object, key, workspace, findings, serves, uses = [] }: Findings): Verdict {
  const { kind, metadata } = object;
  const issues = findings.map(toIssue).sort(byPath);
  return {
    kind,
    namespace: KINDS[kind].scope === 'Cluster' ? undefined : metadata.namespace,
    name: metadata.name,
    key,
    workspace: kind === 'Workspace' ? metadata.name : workspace,
    generation: metadata.generation ?? 0,
    // Shared between objects without issues, which are nearly all.
    conditions: issues.length === 0 ? GOOD : conditionsOf(issues, serves),
    issues: issues.length === 0 ? NO_ISSUES : issues,
    serves,
    ...(uses.length === 0 ? {} : { uses }),
  };
}

const NO_ISSUES: readonly VerdictIssue[] = [];

function conditionsOf(issues: readonly VerdictIssue[], serves: Verdict['serves']): Verdict['conditions'] {
  const judge = (condition: TranslatedCondition): Judgement | undefined =>
    toJudgement(
      issues.filter((issue) => issue.condition === condition),
      serves,
    );
  const refused = judge('Accepted');
  return {
    Accepted: refused ?? GOOD.Accepted,
    ResolvedRefs: judge('ResolvedRefs') ?? (refused === undefined ? GOOD.ResolvedRefs : UNDECIDED),
  };
}

function toIssue({ reason, path, message, refersTo = NO_REFERENCE }: Finding): VerdictIssue {
  const [first] = REASONS[reason].on;
  const condition = reason === 'Pending' ? 'ResolvedRefs' : first; // the one reason that any condition may have
  return { condition, reason, path, message, ...(refersTo.length === 0 ? {} : { refersTo }) };
}

const NO_REFERENCE: readonly string[] = [];

function byPath(a: VerdictIssue, b: VerdictIssue): number {
  const [left, right] = [lineOf(a), lineOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Capital first, but a field path keeps its case: it is a name. */
function lineOf({ path, message }: VerdictIssue): string {
  const text = message.replace(/\s+/g, ' ');
  return path.length === 0 ? text.charAt(0).toUpperCase() + text.slice(1) : `${formatPath(path)}: ${text}`;
}

/** The reason of a condition is the first one here; later ones may be mended by mending it. */
const SEVERITY: readonly FindingReason[] = [
  'InternalError',
  'QuotaExceeded',
  'Conflicted',
  'Invalid',
  'UnsupportedValue',
  'RefNotPermitted',
  'IdentityNotGranted',
  'AccessDenied',
  'InvalidKind',
  'RefNotFound',
  'SecretNotFetched',
  'Pending',
];

function toJudgement(issues: readonly VerdictIssue[], serves: Verdict['serves']): Judgement | undefined {
  if (issues.length === 0) return undefined;
  const reason = SEVERITY.find((row) => issues.some((issue) => issue.reason === row)) ?? 'Invalid';
  const status = reason === 'Pending' ? 'Unknown' : 'False';
  return { status, reason, message: toMessage([...new Set(issues.map(lineOf))], serves) };
}

/** As many lines as fit, and how many more there are. */
function toMessage(lines: readonly string[], serves: Verdict['serves']): string {
  let [text = ''] = lines;
  let shown = 1;
  for (const line of lines.slice(1)) {
    if (text.length + line.length > MAX_MESSAGE) break;
    text += `; ${line}`;
    shown += 1;
  }
  const more = shown < lines.length ? `; and ${lines.length - shown} more` : '';
  const past = serves === 'last good' ? '; the last good content is served' : '';
  return `${text.slice(0, MAX_MESSAGE)}${more}${past}`;
}
