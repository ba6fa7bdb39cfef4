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
export class Findings {
  readonly list: Finding[] = [];

  /** They come nearly in order: few of those before are behind. */
  add(finding: Finding): void {
    const { list } = this;
    const behind: Finding[] = [];
    let added = finding;
    for (let last = list.at(-1); last !== undefined && last.end > added.start; last = list.at(-1)) {
      list.pop();
      if (last.start >= added.end) behind.push(last);
      else added = joined(last, added);
    }
    list.push(added, ...behind.reverse());
  }
}

function joined(a: Finding, b: Finding): Finding {
  const { category } = RANK[a.category] < RANK[b.category] ? a : b;
  return { category, start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
}
