import type { PiiCategory } from '@gatehouse/crds/guardrails';
import type { Finding } from './detectors/detector.ts';

/** Of two that share characters, the surer one gives the category. */
const RANK: Readonly<Record<PiiCategory, number>> = {
  SECRET: 0,
  EMAIL_ADDRESS: 1,
  IBAN: 2,
  CREDIT_CARD: 3,
  IP_ADDRESS: 4,
  NATIONAL_ID: 5,
  SSN: 6,
  PHONE_NUMBER: 7,
};

/** In order. Findings that share characters become one that covers both, so that nothing of either is left. */
export function withoutOverlaps(findings: readonly Finding[]): Finding[] {
  const result: Finding[] = [];
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || finding.start >= last.end) result.push(finding);
    else {
      const { category } = RANK[finding.category] < RANK[last.category] ? finding : last;
      result[result.length - 1] = { category, start: last.start, end: Math.max(last.end, finding.end) };
    }
  }
  return result;
}
