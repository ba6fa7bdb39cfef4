/** The message of a process that serves a folder. */
import type { StandaloneProcess } from '../app/index.ts';
import { formatProblem } from '../resource-folder/index.ts';
import { baseUrl, curl } from './first-request.ts';
import { describeLoaded, describeProblems } from './loaded.ts';

interface Welcome {
  readonly process: StandaloneProcess;
  readonly host: string;
  /** Of the listener with metrics and status. */
  readonly adminHost: string;
  readonly resources: string;
  readonly mockUrl: string | undefined;
  /** The admin key, if it was generated on this start. */
  readonly adminKey: string | undefined;
  readonly exampleKey: string | undefined;
}

const MODEL = 'gpt-4o-mini';
/** Remarks that are shown; the first ones are the most useful. */
const MAX_REMARKS = 10;

export function welcome(options: Welcome): string {
  const { process, host, adminHost, resources, mockUrl, adminKey, exampleKey } = options;
  const { state, port, adminPort } = process;
  const base = baseUrl(host, port);
  const lines = [
    `Gatehouse serves ${state.objects} objects of ${resources} on ${base}/v1; edits are served at once`,
    `Loaded: ${describeLoaded(state)}`,
    `Metrics and status are on ${baseUrl(adminHost, adminPort)}`,
  ];
  if (mockUrl !== undefined) lines.push(`The mock provider answers on ${mockUrl}`);
  lines.push(...describeProblems(state, `gatehouse validate ${resources}`));
  for (const remark of state.remarks.slice(0, MAX_REMARKS)) lines.push(formatProblem(remark));
  if (adminKey !== undefined) lines.push('', 'The admin key, shown only now:', `  ${adminKey}`);
  if (exampleKey !== undefined)
    lines.push(
      '',
      'A first request:',
      curl({ base, authorization: `'authorization: Bearer ${exampleKey}'`, model: MODEL }),
    );
  return lines.join('\n');
}
