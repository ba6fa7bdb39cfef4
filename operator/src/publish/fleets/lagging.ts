/** Pods that do not serve what is published, and their answers. */
import { compareRevisions } from '@gatehouse/crds/snapshot';
import { type Acknowledgement, type Published, type ReportedRevision, servesContent } from '../index.ts';
import type { LaggingPod } from './ports.ts';

/** The revisions that pods report. */
export const reportsOf = (table: readonly Acknowledgement[]): ReportedRevision[] =>
  table.flatMap(({ answer }) => {
    if (answer?.version === undefined) return [];
    return [{ epoch: answer.epoch, version: answer.version, digest: answer.digest }];
  });

/** The reason of the first pod that refuses what is published; earlier refusals do not count. */
export function rejectionOf(table: readonly Acknowledgement[], published: Published | undefined): string | undefined {
  if (published === undefined) return undefined;
  return table.map(({ answer }) => refusalOf(answer, published)).find((reason) => reason !== undefined);
}

/** One row for a pod that does not serve the content, none for others. */
export function toLagging(row: Acknowledgement, published: Published): LaggingPod[] {
  if (servesContent(row, published.digest)) return [];
  const { pod, answer, reachable } = row;
  const known = answer?.version === undefined ? {} : { version: answer.version };
  const refusal = refusalOf(answer, published);
  if (refusal !== undefined) return [{ name: pod.name, ...known, reason: 'Rejected', message: refusal }];
  if (!reachable) return [{ name: pod.name, ...known, reason: 'Unreachable' }];
  const message = answer === undefined ? undefined : troubleOf(answer, published);
  return [{ name: pod.name, ...known, reason: 'Pending', ...(message === undefined ? {} : { message }) }];
}

type Answer = NonNullable<Acknowledgement['answer']>;

function refusalOf(answer: Answer | undefined, published: Published): string | undefined {
  const { rejected } = answer ?? {};
  return rejected !== undefined && compareRevisions(rejected, published) >= 0 ? rejected.reason : undefined;
}

/** Why waiting will not make a pod serve what is published. */
function troubleOf({ epoch, version, digest }: Answer, published: Published): string | undefined {
  if (version === undefined) return undefined;
  if (digest === undefined) return 'the gateway is of a release that does not say what it serves: use a newer image';
  if (compareRevisions({ epoch, version }, published) <= 0) return undefined;
  return `it serves version ${version} of epoch ${epoch}, which was not published by this operator`;
}
