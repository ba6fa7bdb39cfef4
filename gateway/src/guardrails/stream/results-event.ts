/** The results of hooks as an event of a stream; docs/behaviour/guardrails.md. */
import type { TextProtocol } from './formats/index.ts';

export interface StreamedResults {
  readonly before_request_hooks?: readonly object[];
  readonly after_request_hooks?: readonly object[];
}

/** Formats whose events have names. */
const NAMED: ReadonlySet<TextProtocol> = new Set<TextProtocol>(['messages', 'responses']);

export function resultsEvent(protocol: TextProtocol, results: StreamedResults): Buffer {
  const name = NAMED.has(protocol) ? 'hook_results' : undefined;
  const data = JSON.stringify({ ...(name === undefined ? {} : { type: name }), hook_results: results });
  return Buffer.from(`${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`);
}
