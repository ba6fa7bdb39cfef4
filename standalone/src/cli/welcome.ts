/** The message of a process that has started. */
import type { StandaloneProcess } from '../app/index.ts';

interface Welcome {
  readonly process: StandaloneProcess;
  readonly host: string;
  readonly resources: string;
  readonly mockUrl: string | undefined;
  /** The admin key, if it was generated on this start. */
  readonly adminKey: string | undefined;
  readonly exampleKey: string | undefined;
}

const MODEL = 'gpt-4o-mini';

export function welcome({ process, host, resources, mockUrl, adminKey, exampleKey }: Welcome): string {
  const { state, port, adminPort } = process;
  const base = baseUrl(host, port);
  const lines = [
    `Gatehouse serves ${state.objects} objects of ${resources} on ${base}/v1; edits are served at once`,
    `Metrics and status are on ${baseUrl(host, adminPort)}`,
  ];
  if (mockUrl !== undefined) lines.push(`The mock provider answers on ${mockUrl}`);
  if (state.problems.length > 0) {
    lines.push(`${state.problems.length} problems: see the log, or gatehouse validate ${resources}`);
  }
  if (adminKey !== undefined) lines.push('', 'The admin key, shown only now:', `  ${adminKey}`);
  if (exampleKey !== undefined) lines.push('', 'A first request:', curl(base, exampleKey));
  return lines.join('\n');
}

/** A listener on all addresses is reached on loopback. */
const baseUrl = (host: string, port: number): string => {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
};

function curl(base: string, key: string): string {
  const body = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Say hello' }] });
  return [
    `  curl ${base}/v1/chat/completions \\`,
    `    -H 'authorization: Bearer ${key}' \\`,
    `    -H 'content-type: application/json' \\`,
    `    -d '${body}'`,
  ].join('\n');
}
