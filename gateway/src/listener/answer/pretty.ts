/** `?pretty` on any URL indents JSON answers, for people with curl. */
import { readJson } from '../../lib/json/index.ts';
import type { Answer, ClientRequest } from '../../pipeline/index.ts';

/** Larger answers are left as they are: indenting parses and writes them once more. */
const MAX_BYTES = 1024 * 1024;
const PARAMETER = /(?:^|&)pretty(?:=|&|$)/;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/** The answer, indented if the client asks for it. Indented answers are not cached. */
export function indented(answer: Answer, { query }: Pick<ClientRequest, 'query'>): Answer {
  const { headers, body } = answer;
  if (query === '' || !PARAMETER.test(query) || body.kind !== 'bytes' || body.bytes.length > MAX_BYTES) return answer;
  if (!JSON_TYPE.test(String(headers['content-type'])) || headers['content-encoding'] !== undefined) return answer;
  const bytes = indent(body.bytes);
  return bytes === undefined ? answer : { ...answer, body: { kind: 'bytes', bytes }, store: undefined };
}

/** Undefined when the bytes are not JSON. */
function indent(bytes: Buffer): Buffer | undefined {
  try {
    return Buffer.from(`${JSON.stringify(readJson(bytes), null, 2)}\n`);
  } catch {
    return undefined;
  }
}
