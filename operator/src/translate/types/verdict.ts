/** What a translation says about an object. */
import type { Explanation } from '@gatehouse/crds/conditions';
import type { KindName } from '@gatehouse/crds/kinds';
import type { FindingReason } from './findings.ts';

/** The conditions that a translation decides; `Programmed` and `Ready` need pods. */
export type TranslatedCondition = 'Accepted' | 'ResolvedRefs';

export interface Judgement extends Explanation {
  readonly status: 'True' | 'False' | 'Unknown';
}

/** One thing wrong with an object. */
export interface VerdictIssue {
  readonly condition: TranslatedCondition;
  readonly reason: FindingReason;
  /** From the root of the resource. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Keys of objects, any of which would resolve the reference; absent or empty where it is no reference. */
  readonly refersTo?: readonly string[];
}

export interface Verdict {
  readonly kind: KindName;
  /** Absent for cluster-scoped Kinds. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** `Kind/namespace/name` or `Kind/name`: unique, and the sort key. */
  readonly key: string;
  /** The owner: a workspace (of a Workspace: itself), null for the organisation, undefined for none. */
  readonly workspace: string | null | undefined;
  /** The generation the verdict is about. */
  readonly generation: number;
  readonly conditions: Readonly<Record<TranslatedCondition, Judgement>>;
  /** Every issue, sorted by path. */
  readonly issues: readonly VerdictIssue[];
  /** What is served for the object: its current content, its last good content, or nothing. */
  readonly serves: 'current' | 'last good' | 'nothing';
  /** Keys of the Guardrails that the object names. */
  readonly uses?: readonly string[] | undefined;
}

/** The key of an object's verdict. */
export function verdictKey(kind: KindName, objectKey: string): string {
  return `${kind}/${objectKey}`;
}
